-- What organizations are told of. Written in the transaction of what it tells, numbered without gaps in
-- the order of commits: the counter's row is held until then. No foreign keys, for these rows are written
-- with each message, and what they name is written in the same transaction or never removed.
CREATE TABLE events (
    organization_id uuid NOT NULL,
    sequence bigint NOT NULL,
    id uuid NOT NULL UNIQUE,
    kind text NOT NULL,
    account_id uuid,
    -- The message, template, conversation or contact that it tells of.
    subject uuid,
    -- The connection that it tells of.
    connection_id uuid,
    -- The one endpoint that it is for, of a test.
    endpoint_id uuid,
    -- What it tells, as it was then; null where the subject's own row still tells it.
    data json,
    at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, sequence)
);
CREATE INDEX events_by_age ON events (at);
CREATE TABLE event_counters (
    organization_id uuid PRIMARY KEY,
    last bigint NOT NULL
);

-- The message that paused the AI agent, by which whoever sent it knows that it was running before.
ALTER TABLE conversations ADD COLUMN agent_paused_by uuid;
-- Whether the organization has been told that this limit is reached.
ALTER TABLE usage ADD COLUMN told boolean NOT NULL DEFAULT false;
