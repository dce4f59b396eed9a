ALTER TABLE scheduled_messages DROP COLUMN key_id;
ALTER TABLE messages DROP COLUMN key_id;
