-- A log is an endpoint of an application that is read with GET /events and not posted to.
ALTER TABLE webhook_endpoints ADD COLUMN is_log INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX webhook_endpoints_log ON webhook_endpoints (owner_id, application_id) WHERE is_log AND application_id IS NOT NULL;
-- The last sequence of a log.
ALTER TABLE endpoint_work ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT 0;
-- The events of an application's connections, with sequences of the application's own.
CREATE TABLE application_events (
    owner_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    organization_id BLOB NOT NULL,
    event_sequence INTEGER NOT NULL,
    connection_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, sequence)
) STRICT;
-- Old events are deleted by their time.
CREATE INDEX application_events_at ON application_events (owner_id, at);
