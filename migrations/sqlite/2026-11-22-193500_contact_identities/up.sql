-- A person is known by a phone number, by the channel's user id, or by both; each leads to one contact of a number of
-- the business. Keys begin with the organization, as the engine wants it that spreads tenants over nodes.
CREATE TABLE identified_contacts (
    id BLOB NOT NULL,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    phone_number TEXT,
    created_at INTEGER NOT NULL,
    channel_user_id TEXT,
    channel_parent_user_id TEXT,
    username TEXT,
    name TEXT,
    -- When the number and the user id were last found to be these; null where that is when the contact was created.
    identified_at INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT;
INSERT INTO identified_contacts (id, organization_id, account_id, phone_number, created_at)
    SELECT id, organization_id, account_id, phone_number, created_at FROM contacts;
DROP TABLE contacts;
ALTER TABLE identified_contacts RENAME TO contacts;
CREATE UNIQUE INDEX contacts_by_phone_number ON contacts (organization_id, phone_number, account_id)
    WHERE phone_number IS NOT NULL;
CREATE UNIQUE INDEX contacts_by_user_id ON contacts (organization_id, channel_user_id, account_id)
    WHERE channel_user_id IS NOT NULL;

CREATE TABLE merged_conversations (
    id BLOB NOT NULL,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    -- Where its messages go: the contact's number if it has one, else its user id. It keeps its name for servers of
    -- the version before, which write it. Null where the contact has neither any more, or is merged into another.
    phone_number TEXT,
    agent_paused INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL,
    last_inbound_at INTEGER,
    created_at INTEGER NOT NULL,
    -- When its next message is to go out; null while none waits.
    outbox_due_at INTEGER,
    outbox_claimed_until INTEGER,
    agent_paused_by BLOB,
    outbox_claimed_by BLOB,
    outbox_claim INTEGER,
    -- The conversation that answers for this one since their contacts were merged.
    merged_into BLOB,
    -- Whether others were merged into it: only then its claims have to look at theirs.
    has_merged INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, contact_id),
    UNIQUE (organization_id, phone_number, account_id)
) STRICT;
INSERT INTO merged_conversations (
    id, organization_id, account_id, contact_id, phone_number, agent_paused, message_count, last_message_at,
    last_inbound_at, created_at, outbox_due_at, outbox_claimed_until, agent_paused_by, outbox_claimed_by, outbox_claim
) SELECT
    id, organization_id, account_id, contact_id, phone_number, agent_paused, message_count, last_message_at,
    last_inbound_at, created_at, outbox_due_at, outbox_claimed_until, agent_paused_by, outbox_claimed_by, outbox_claim
FROM conversations;
DROP TABLE conversations;
ALTER TABLE merged_conversations RENAME TO conversations;
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
-- For the workers, which claim conversations of every organization.
CREATE INDEX conversations_by_id ON conversations (id);
CREATE INDEX conversations_merged ON conversations (organization_id, merged_into) WHERE merged_into IS NOT NULL;
