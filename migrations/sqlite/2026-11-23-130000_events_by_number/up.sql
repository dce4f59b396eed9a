-- An event is found by its organization and its number, and its age follows from that: its row stands in the order of
-- these, and no index has to be written with it.
CREATE TABLE numbered_events (
    organization_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    id BLOB NOT NULL,
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
) STRICT, WITHOUT ROWID;
INSERT INTO numbered_events
    SELECT organization_id, sequence, id, kind, account_id, subject, connection_id, endpoint_id, data, at FROM events
    ORDER BY organization_id, sequence;
DROP TABLE events;
ALTER TABLE numbered_events RENAME TO events;
