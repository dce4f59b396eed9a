-- Facts, look-ups and questions of AI agents.
CREATE TABLE agent_entries (
    organization_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    content json NOT NULL,
    -- The sealed header of a look-up.
    secret bytea,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, agent_id, kind, id)
);

-- Tokens and costs of AI agents in a month (202611), which outlive the turns.
CREATE TABLE agent_costs (
    organization_id uuid NOT NULL,
    month integer NOT NULL,
    agent_id uuid NOT NULL,
    tokens bigint NOT NULL,
    -- In millionths of a US dollar.
    cost bigint NOT NULL,
    -- Number of requests to models whose cost is unknown.
    unpriced_requests bigint NOT NULL,
    PRIMARY KEY (organization_id, month, agent_id)
);

-- Old months are deleted.
CREATE INDEX agent_costs_by_month ON agent_costs (month);

ALTER TABLE turns ADD COLUMN input_tokens bigint;
ALTER TABLE turns ADD COLUMN output_tokens bigint;
ALTER TABLE turns ADD COLUMN cost bigint;
ALTER TABLE turns ADD COLUMN unpriced_requests integer NOT NULL DEFAULT 0;
-- What the agent was asked, the tools that it used, and what it answered.
ALTER TABLE turns ADD COLUMN trace json;
