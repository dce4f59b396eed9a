CREATE TABLE plans (
    id BLOB PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    api_access INTEGER NOT NULL,
    api_calls_per_day INTEGER,
    messages_per_month INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE organizations (
    id BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    subscription_status TEXT NOT NULL,
    plan_id BLOB REFERENCES plans,
    default_account_id BLOB REFERENCES accounts,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE members (
    id BLOB PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE memberships (
    member_id BLOB NOT NULL REFERENCES members,
    organization_id BLOB NOT NULL REFERENCES organizations,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (member_id, organization_id)
) STRICT;
CREATE TABLE accounts (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL REFERENCES organizations,
    phone_number TEXT NOT NULL,
    display_name TEXT NOT NULL,
    channel TEXT NOT NULL,
    connected_at INTEGER NOT NULL,
    UNIQUE (organization_id, phone_number)
) STRICT;
CREATE TABLE keys (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL REFERENCES organizations,
    client_id TEXT NOT NULL UNIQUE,
    secret_digest BLOB NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    account_id BLOB REFERENCES accounts,
    scopes TEXT NOT NULL,
    rate_limit INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;
CREATE INDEX keys_of_organization ON keys (organization_id);
CREATE TABLE templates (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL REFERENCES organizations,
    account_id BLOB NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    category TEXT NOT NULL,
    status TEXT NOT NULL,
    rejection_reason TEXT,
    rejection_detail TEXT,
    parameter_format TEXT NOT NULL,
    components TEXT NOT NULL,
    external_id TEXT,
    submitted_at INTEGER,
    reviewed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (organization_id, name, language)
) STRICT;

-- The tables below are written with each message. Their rows refer to rows written in the same
-- transaction or never removed, so foreign keys would cost a look-up each and find nothing.
CREATE TABLE contacts (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    phone_number TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE conversations (
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
    -- When its next message is to go out; null while none waits.
    outbox_due_at INTEGER,
    outbox_claimed_until INTEGER,
    UNIQUE (organization_id, phone_number, account_id)
) STRICT;
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
CREATE TABLE messages (
    id BLOB PRIMARY KEY,
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    -- Its place in the conversation, from 1 without gaps: the order of acceptance.
    position INTEGER NOT NULL,
    direction TEXT NOT NULL,
    source TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    failure TEXT,
    failure_message TEXT,
    failure_code INTEGER,
    client_ref TEXT,
    metadata TEXT,
    reply_to BLOB,
    channel_message_id TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    delivered_at INTEGER,
    read_at INTEGER
) STRICT;
CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at, position);
CREATE UNIQUE INDEX messages_on_channel ON messages (account_id, channel_message_id)
    WHERE channel_message_id IS NOT NULL;
CREATE TABLE outbox (
    conversation_id BLOB NOT NULL,
    position INTEGER NOT NULL,
    message_id BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT;
CREATE TABLE callbacks (
    id BLOB PRIMARY KEY,
    channel TEXT NOT NULL,
    payload TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX callbacks_due ON callbacks (due_at, id);
CREATE TABLE usage (
    organization_id BLOB NOT NULL,
    meter TEXT NOT NULL,
    period INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (organization_id, meter, period)
) STRICT;
CREATE TABLE idempotency (
    key_id BLOB NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest BLOB NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, path, idempotency_key)
) STRICT;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
