DROP INDEX messages_on_channel;
ALTER TABLE messages DROP CONSTRAINT messages_pkey, ADD PRIMARY KEY (id);
CREATE UNIQUE INDEX messages_on_channel ON messages (account_id, channel_message_id)
    WHERE channel_message_id IS NOT NULL;
