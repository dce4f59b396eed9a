DROP TABLE contact_deletions;
ALTER TABLE contacts DROP COLUMN deleted_at;
