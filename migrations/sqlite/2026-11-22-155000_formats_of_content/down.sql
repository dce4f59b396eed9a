ALTER TABLE messages DROP COLUMN content_format;
