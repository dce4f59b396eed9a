-- When a member or a program chose the name of a contact. The channel's name does not replace it.
ALTER TABLE contacts ADD COLUMN name_edited_at INTEGER;
