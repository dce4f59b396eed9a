ALTER TABLE turns DROP COLUMN sent_message_id;
