-- The message as which a member sent the draft of a turn. A draft is sent once.
ALTER TABLE turns ADD COLUMN sent_message_id BLOB;
