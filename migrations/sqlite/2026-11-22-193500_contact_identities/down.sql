-- Merged contacts stay merged; who has no number gets one that nobody can have.
UPDATE contacts SET phone_number = '+999' || printf('%012d', abs(random() % 1000000000000)) WHERE phone_number IS NULL;
UPDATE conversations SET phone_number = (SELECT contacts.phone_number FROM contacts
        WHERE contacts.organization_id = conversations.organization_id AND contacts.id = conversations.contact_id)
    WHERE phone_number IS NULL OR phone_number NOT LIKE '+%';
CREATE TABLE numbered_conversations (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    contact_id BLOB NOT NULL UNIQUE,
    phone_number TEXT NOT NULL,
    agent_paused INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL,
    last_inbound_at INTEGER,
    created_at INTEGER NOT NULL,
    outbox_due_at INTEGER,
    outbox_claimed_until INTEGER,
    agent_paused_by BLOB,
    outbox_claimed_by BLOB,
    outbox_claim INTEGER,
    UNIQUE (organization_id, phone_number, account_id)
) STRICT;
INSERT INTO numbered_conversations
    SELECT id, organization_id, account_id, contact_id, phone_number, agent_paused, message_count,
        last_message_at, last_inbound_at, created_at, outbox_due_at, outbox_claimed_until, agent_paused_by,
        outbox_claimed_by, outbox_claim
    FROM conversations;
DROP TABLE conversations;
ALTER TABLE numbered_conversations RENAME TO conversations;
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
CREATE TABLE numbered_contacts (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    phone_number TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO numbered_contacts
    SELECT id, organization_id, account_id, phone_number, created_at FROM contacts;
DROP TABLE contacts;
ALTER TABLE numbered_contacts RENAME TO contacts;
