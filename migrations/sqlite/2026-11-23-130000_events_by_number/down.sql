CREATE TABLE events_by_id (
    organization_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    id BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    account_id BLOB,
    subject BLOB,
    connection_id BLOB,
    endpoint_id BLOB,
    data TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, sequence)
) STRICT;
INSERT INTO events_by_id
    SELECT organization_id, sequence, id, kind, account_id, subject, connection_id, endpoint_id, data, at FROM events;
DROP TABLE events;
ALTER TABLE events_by_id RENAME TO events;
CREATE INDEX events_by_age ON events (at);
