-- Messages that are sent later. A message leaves this table in the transaction that accepts it for sending, and a canceled
-- one stays for a while, so that it can be looked up.
CREATE TABLE scheduled_messages (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    -- The account that the sender is bound to.
    bound_to BLOB,
    -- A phone number, a user id, or the id of a contact or a conversation.
    recipient TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    content_format INTEGER NOT NULL,
    -- The template that is sent if the customer service window is closed.
    fallback TEXT,
    source TEXT NOT NULL,
    pauses_agent INTEGER NOT NULL,
    client_ref TEXT,
    metadata TEXT,
    reply_to BLOB,
    state TEXT NOT NULL,
    send_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    canceled_at INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX scheduled_messages_due ON scheduled_messages (organization_id, send_at, id) WHERE state = 'scheduled';
CREATE INDEX scheduled_messages_canceled ON scheduled_messages (canceled_at) WHERE canceled_at IS NOT NULL;
