-- What organizations are told of. Written in the transaction of what it tells, numbered without gaps in
-- the order of commits: the counter's row is held until then. No foreign keys, for these rows are written
-- with each message, and what they name is written in the same transaction or never removed.
CREATE TABLE events (
    organization_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    id BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    account_id BLOB,
    -- The message, template, conversation or contact that it tells of.
    subject BLOB,
    -- The connection that it tells of.
    connection_id BLOB,
    -- The one endpoint that it is for, of a test.
    endpoint_id BLOB,
    -- What it tells, as it was then; null where the subject's own row still tells it.
    data TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, sequence)
) STRICT;
CREATE INDEX events_by_age ON events (at);
CREATE TABLE event_counters (
    organization_id BLOB PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT;

-- The message that paused the AI agent, by which whoever sent it knows that it was running before.
ALTER TABLE conversations ADD COLUMN agent_paused_by BLOB;
-- Whether the organization has been told that this limit is reached.
ALTER TABLE usage ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
