-- Messages that are sent later. A message leaves this table in the transaction that accepts it for sending, and a canceled
-- one stays for a while, so that it can be looked up.
CREATE TABLE scheduled_messages (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    -- The account that the sender is bound to.
    bound_to uuid,
    -- A phone number, a user id, or the id of a contact or a conversation.
    recipient text NOT NULL,
    kind text NOT NULL,
    content json NOT NULL,
    content_format integer NOT NULL,
    -- The template that is sent if the customer service window is closed.
    fallback json,
    source text NOT NULL,
    pauses_agent boolean NOT NULL,
    client_ref text,
    metadata json,
    reply_to uuid,
    state text NOT NULL,
    send_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    canceled_at timestamptz,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (organization_id, send_at, id) WHERE state = 'scheduled';
CREATE INDEX scheduled_messages_canceled ON scheduled_messages (canceled_at) WHERE canceled_at IS NOT NULL;
