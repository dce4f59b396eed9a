CREATE TABLE plans (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    api_access boolean NOT NULL,
    api_calls_per_day integer,
    messages_per_month integer,
    created_at timestamptz NOT NULL
);
CREATE TABLE organizations (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    subscription_status text NOT NULL,
    plan_id uuid REFERENCES plans,
    default_account_id uuid,
    created_at timestamptz NOT NULL
);
CREATE TABLE members (
    id uuid PRIMARY KEY,
    email text NOT NULL UNIQUE,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TABLE memberships (
    member_id uuid NOT NULL REFERENCES members,
    organization_id uuid NOT NULL REFERENCES organizations,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (member_id, organization_id)
);
CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    phone_number text NOT NULL,
    display_name text NOT NULL,
    channel text NOT NULL,
    connected_at timestamptz NOT NULL,
    UNIQUE (organization_id, phone_number)
);
ALTER TABLE organizations ADD FOREIGN KEY (default_account_id) REFERENCES accounts;
CREATE TABLE keys (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    client_id text NOT NULL UNIQUE,
    secret_digest bytea NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    account_id uuid REFERENCES accounts,
    scopes text NOT NULL,
    rate_limit integer NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX keys_of_organization ON keys (organization_id);
CREATE TABLE templates (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    account_id uuid NOT NULL REFERENCES accounts,
    name text NOT NULL,
    language text NOT NULL,
    category text NOT NULL,
    status text NOT NULL,
    rejection_reason text,
    rejection_detail text,
    parameter_format text NOT NULL,
    components json NOT NULL,
    external_id text,
    submitted_at timestamptz,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (organization_id, name, language)
);

-- The tables below are written with each message. Their rows refer to rows written in the same
-- transaction or never removed, so foreign keys would cost a look-up each and find nothing.
CREATE TABLE contacts (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    phone_number text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TABLE conversations (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL UNIQUE,
    phone_number text NOT NULL,
    agent_paused boolean NOT NULL,
    message_count bigint NOT NULL,
    last_message_at timestamptz NOT NULL,
    last_inbound_at timestamptz,
    created_at timestamptz NOT NULL,
    -- When its next message is to go out; null while none waits.
    outbox_due_at timestamptz,
    outbox_claimed_until timestamptz,
    UNIQUE (organization_id, phone_number, account_id)
);
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
CREATE TABLE messages (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    -- Its place in the conversation, from 1 without gaps: the order of acceptance.
    position bigint NOT NULL,
    direction text NOT NULL,
    source text NOT NULL,
    type text NOT NULL,
    content json NOT NULL,
    status text NOT NULL,
    failure text,
    failure_message text,
    failure_code bigint,
    client_ref text,
    metadata json,
    reply_to uuid,
    channel_message_id text,
    created_at timestamptz NOT NULL,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz
);
CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at, position);
CREATE UNIQUE INDEX messages_on_channel ON messages (account_id, channel_message_id)
    WHERE channel_message_id IS NOT NULL;
CREATE TABLE outbox (
    conversation_id uuid NOT NULL,
    position bigint NOT NULL,
    message_id uuid NOT NULL,
    attempts integer NOT NULL,
    accepted_at timestamptz NOT NULL,
    PRIMARY KEY (conversation_id, position)
);
CREATE TABLE callbacks (
    id uuid PRIMARY KEY,
    channel text NOT NULL,
    payload json NOT NULL,
    attempts integer NOT NULL,
    due_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL
);
CREATE INDEX callbacks_due ON callbacks (due_at, id);
CREATE TABLE usage (
    organization_id uuid NOT NULL,
    meter text NOT NULL,
    period integer NOT NULL,
    used integer NOT NULL,
    PRIMARY KEY (organization_id, meter, period)
);
CREATE TABLE idempotency (
    key_id uuid NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    body_digest bytea NOT NULL,
    status integer NOT NULL,
    answer text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, path, idempotency_key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
