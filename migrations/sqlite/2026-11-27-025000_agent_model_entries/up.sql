-- Facts, look-ups and questions of AI agents.
CREATE TABLE agent_entries (
    organization_id BLOB NOT NULL,
    agent_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    id BLOB NOT NULL,
    content TEXT NOT NULL,
    -- The sealed header of a look-up.
    secret BLOB,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, agent_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Tokens and costs of AI agents in a month (202611), which outlive the turns.
CREATE TABLE agent_costs (
    organization_id BLOB NOT NULL,
    month INTEGER NOT NULL,
    agent_id BLOB NOT NULL,
    tokens INTEGER NOT NULL,
    -- In millionths of a US dollar.
    cost INTEGER NOT NULL,
    -- Number of requests to models whose cost is unknown.
    unpriced_requests INTEGER NOT NULL,
    PRIMARY KEY (organization_id, month, agent_id)
) STRICT, WITHOUT ROWID;

-- Old months are deleted.
CREATE INDEX agent_costs_by_month ON agent_costs (month);

ALTER TABLE turns ADD COLUMN input_tokens INTEGER;
ALTER TABLE turns ADD COLUMN output_tokens INTEGER;
ALTER TABLE turns ADD COLUMN cost INTEGER;
ALTER TABLE turns ADD COLUMN unpriced_requests INTEGER NOT NULL DEFAULT 0;
-- What the agent was asked, the tools that it used, and what it answered.
ALTER TABLE turns ADD COLUMN trace TEXT;
