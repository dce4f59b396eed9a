-- AI agents. What the workers and lists do not filter by is in `settings`.
CREATE TABLE agents (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    mode text NOT NULL,
    settings json NOT NULL,
    -- The sealed signing secret of a webhook, or key of a model's server.
    secret bytea,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- The numbers on which an agent answers. A number has at most one agent.
CREATE TABLE agent_accounts (
    organization_id uuid NOT NULL,
    account_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    PRIMARY KEY (organization_id, account_id)
);

-- Answers of agents. At most one waits in a conversation.
CREATE TABLE turns (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    account_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    state text NOT NULL,
    -- The last message of the contact that the turn answers.
    after_message_id uuid NOT NULL,
    -- The time of the first message that the turn answers.
    first_at timestamptz NOT NULL,
    -- When the agent is asked, asked again, or given up. Finished turns have none.
    due_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    -- The digest of the ticket with which a webhook answers later, and the end of its time.
    ticket bytea,
    expires_at timestamptz,
    -- Why the turn ended without an answer.
    reason text,
    tokens bigint,
    took_ms integer,
    -- What was answered, for the turn's page and for the draft in the inbox.
    answer json,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX turns_waiting ON turns (organization_id, conversation_id) WHERE state = 'waiting';
CREATE INDEX turns_due ON turns (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX turns_of_conversation ON turns (organization_id, conversation_id, id);
CREATE INDEX turns_of_agent ON turns (organization_id, agent_id, id);
CREATE INDEX turns_by_age ON turns (finished_at) WHERE finished_at IS NOT NULL;
