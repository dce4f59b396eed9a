ALTER TABLE contacts DROP COLUMN name_edited_at;
