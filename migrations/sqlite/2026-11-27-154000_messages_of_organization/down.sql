DROP INDEX messages_of_organization;
