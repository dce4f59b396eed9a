CREATE INDEX conversations_by_id ON conversations (id);
ALTER TABLE conversations ADD COLUMN outbox_claimed_until INTEGER;
ALTER TABLE conversations ADD COLUMN outbox_claimed_by BLOB;
ALTER TABLE conversations ADD COLUMN outbox_claim INTEGER;
ALTER TABLE conversations ADD COLUMN outbox_held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN outbox_due_at INTEGER;
UPDATE conversations SET outbox_due_at = waiting.due_at, outbox_held = waiting.held
    FROM outbox_conversations AS waiting
    WHERE conversations.organization_id = waiting.organization_id AND conversations.id = waiting.conversation_id;
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
CREATE INDEX conversations_held ON conversations (account_id, outbox_due_at) WHERE outbox_held;
DROP TABLE outbox_conversations;
CREATE TABLE outbox_of_conversations (
    conversation_id BLOB NOT NULL,
    position INTEGER NOT NULL,
    message_id BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT;
INSERT INTO outbox_of_conversations
    SELECT conversation_id, position, message_id, attempts, accepted_at FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_of_conversations RENAME TO outbox;
DROP TABLE organization_work;
