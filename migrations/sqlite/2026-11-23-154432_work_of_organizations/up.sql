-- What is due is found in two steps: first the organizations that have something due, each claimed by one server as a
-- whole, then the conversations of one of them. Every key begins with the organization. Claims and due times are out of
-- `conversations`, whose updates touch no index any more.
CREATE TABLE organization_work (
    organization_id BLOB NOT NULL,
    -- Of which kind: 'messages'.
    kind TEXT NOT NULL,
    -- When the first of it is due; null while nothing waits. Whoever has claimed it knows better.
    due_at INTEGER,
    -- The server that works on it, and the number of the claim, counted by that server; null while nobody does.
    claimed_by BLOB,
    claim INTEGER,
    PRIMARY KEY (organization_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX organization_work_due ON organization_work (kind, due_at) WHERE claimed_by IS NULL;
CREATE INDEX organization_work_claimed ON organization_work (claimed_by) WHERE claimed_by IS NOT NULL;

CREATE TABLE outbox_of_organizations (
    organization_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    position INTEGER NOT NULL,
    message_id BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, conversation_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO outbox_of_organizations
    SELECT conversations.organization_id, conversation_id, position, message_id, attempts, accepted_at
    FROM outbox JOIN conversations ON conversations.id = outbox.conversation_id;
DROP TABLE outbox;
ALTER TABLE outbox_of_organizations RENAME TO outbox;

-- The conversations in which messages wait for the channel: one row exactly as long as there are any in `outbox`.
CREATE TABLE outbox_conversations (
    organization_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    -- When the first of them is to go out.
    due_at INTEGER NOT NULL,
    -- Whether they wait because the number is held.
    held INTEGER NOT NULL,
    PRIMARY KEY (organization_id, conversation_id)
) STRICT, WITHOUT ROWID;
INSERT INTO outbox_conversations (organization_id, conversation_id, account_id, due_at, held)
    SELECT organization_id, id, account_id, coalesce(outbox_due_at, last_message_at), outbox_held
    FROM conversations
    WHERE EXISTS (SELECT 1 FROM outbox WHERE outbox.organization_id = conversations.organization_id
        AND outbox.conversation_id = conversations.id);
CREATE INDEX outbox_conversations_due ON outbox_conversations (organization_id, due_at);
CREATE INDEX outbox_conversations_held ON outbox_conversations (organization_id, account_id, due_at) WHERE held;
INSERT INTO organization_work (organization_id, kind, due_at)
    SELECT organization_id, 'messages', min(due_at) FROM outbox_conversations GROUP BY organization_id;

DROP INDEX conversations_due;
DROP INDEX conversations_held;
DROP INDEX conversations_by_id;
ALTER TABLE conversations DROP COLUMN outbox_due_at;
ALTER TABLE conversations DROP COLUMN outbox_held;
ALTER TABLE conversations DROP COLUMN outbox_claim;
ALTER TABLE conversations DROP COLUMN outbox_claimed_by;
ALTER TABLE conversations DROP COLUMN outbox_claimed_until;
