ALTER TABLE events DROP COLUMN contact;
DROP INDEX contacts_opted_out;
DROP INDEX contacts_of_account;
DROP INDEX contacts_by_parent_user_id;
DROP TABLE contact_numbers;
