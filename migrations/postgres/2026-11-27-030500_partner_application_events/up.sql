-- A log is an endpoint of an application that is read with GET /events and not posted to.
ALTER TABLE webhook_endpoints ADD COLUMN is_log boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX webhook_endpoints_log ON webhook_endpoints (owner_id, application_id) WHERE is_log AND application_id IS NOT NULL;
-- The last sequence of a log.
ALTER TABLE endpoint_work ADD COLUMN last_sequence bigint NOT NULL DEFAULT 0;
-- The events of an application's connections, with sequences of the application's own.
CREATE TABLE application_events (
    owner_id uuid NOT NULL,
    sequence bigint NOT NULL,
    organization_id uuid NOT NULL,
    event_sequence bigint NOT NULL,
    connection_id uuid NOT NULL,
    kind TEXT NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, sequence)
);
-- Old events are deleted by their time.
CREATE INDEX application_events_at ON application_events (owner_id, at);
