-- The API key with which a message was accepted or scheduled. There is no index and no foreign key, so that a send costs
-- no more, and a message keeps the id of a key that was deleted.
ALTER TABLE messages ADD COLUMN key_id BLOB;
ALTER TABLE scheduled_messages ADD COLUMN key_id BLOB;
