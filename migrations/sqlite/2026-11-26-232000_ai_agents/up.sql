-- AI agents. What the workers and lists do not filter by is in `settings`.
CREATE TABLE agents (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    mode TEXT NOT NULL,
    settings TEXT NOT NULL,
    -- The sealed signing secret of a webhook, or key of a model's server.
    secret BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;

-- The numbers on which an agent answers. A number has at most one agent.
CREATE TABLE agent_accounts (
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    agent_id BLOB NOT NULL,
    PRIMARY KEY (organization_id, account_id)
) STRICT, WITHOUT ROWID;

-- Answers of agents. At most one waits in a conversation.
CREATE TABLE turns (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    agent_id BLOB NOT NULL,
    state TEXT NOT NULL,
    -- The last message of the contact that the turn answers.
    after_message_id BLOB NOT NULL,
    -- The time of the first message that the turn answers.
    first_at INTEGER NOT NULL,
    -- When the agent is asked, asked again, or given up. Finished turns have none.
    due_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The digest of the ticket with which a webhook answers later, and the end of its time.
    ticket BLOB,
    expires_at INTEGER,
    -- Why the turn ended without an answer.
    reason TEXT,
    tokens INTEGER,
    took_ms INTEGER,
    -- What was answered, for the turn's page and for the draft in the inbox.
    answer TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX turns_waiting ON turns (organization_id, conversation_id) WHERE state = 'waiting';
CREATE INDEX turns_due ON turns (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX turns_of_conversation ON turns (organization_id, conversation_id, id);
CREATE INDEX turns_of_agent ON turns (organization_id, agent_id, id);
CREATE INDEX turns_by_age ON turns (finished_at) WHERE finished_at IS NOT NULL;
