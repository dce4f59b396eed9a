-- Keys contain the organization, as an engine wants it that distributes tenants. They begin with the id: an index that begins
-- with the organization or the number is read from end to end, for all that belongs to one, where PostgreSQL has no
-- statistics yet; and servers of the version before look messages up by their ids alone.
DROP INDEX messages_on_channel;
ALTER TABLE messages DROP CONSTRAINT messages_pkey, ADD PRIMARY KEY (id, organization_id);
CREATE UNIQUE INDEX messages_on_channel ON messages (channel_message_id, account_id, organization_id)
    WHERE channel_message_id IS NOT NULL;
