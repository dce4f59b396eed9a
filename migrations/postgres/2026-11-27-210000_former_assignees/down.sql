DROP TABLE former_assignees;
