-- Where events are sent: an organization's, or an application's. One without an owner was deleted, and is
-- removed bit by bit with all that it was sent.
CREATE TABLE webhook_endpoints (
    id BLOB PRIMARY KEY,
    organization_id BLOB REFERENCES organizations,
    application_id BLOB REFERENCES applications,
    url TEXT NOT NULL,
    description TEXT,
    -- The events that it wants, with spaces between; * for all.
    events TEXT NOT NULL,
    state TEXT NOT NULL,
    disabled_reason TEXT,
    disabled_at INTEGER,
    secret BLOB NOT NULL,
    -- After a rotation the secret before signs along until then.
    previous_secret BLOB,
    previous_until INTEGER,
    -- The first of the failed attempts since which none has succeeded.
    failing_since INTEGER,
    -- When there is next something to do for it.
    due_at INTEGER,
    claimed_until INTEGER,
    created_at INTEGER NOT NULL,
    CHECK (organization_id IS NULL OR application_id IS NULL),
    CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL AND disabled_at IS NOT NULL))
) STRICT;
CREATE INDEX webhook_endpoints_of_organization ON webhook_endpoints (organization_id);
CREATE INDEX webhook_endpoints_of_application ON webhook_endpoints (application_id);
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE state = 'enabled';

-- How far the events of an organization have been looked through for an endpoint.
CREATE TABLE webhook_feeds (
    id INTEGER PRIMARY KEY,
    endpoint_id BLOB NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    organization_id BLOB NOT NULL REFERENCES organizations,
    -- Of an application's endpoint: the connection through which it may be told anything.
    connection_id BLOB REFERENCES connections,
    -- The events after this one and up to that one are its business.
    starts_after INTEGER NOT NULL,
    ends_with INTEGER,
    -- The last one that was looked at.
    position INTEGER NOT NULL,
    -- Delivers what it finds anew, and is gone when it is through.
    replay INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_feeds_of_endpoint ON webhook_feeds (endpoint_id);
CREATE INDEX webhook_feeds_of_organization ON webhook_feeds (organization_id, position);
CREATE INDEX webhook_feeds_of_connection ON webhook_feeds (connection_id);

-- One event on its way to one endpoint.
CREATE TABLE webhook_deliveries (
    id BLOB PRIMARY KEY,
    endpoint_id BLOB NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    organization_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    -- All that were made, and those that failed since the schedule began.
    attempts INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
) STRICT;
-- An event is delivered to an endpoint once, however often it is found.
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, organization_id, sequence);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

CREATE TABLE webhook_attempts (
    delivery_id BLOB NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    -- What proved who was calling.
    signature TEXT NOT NULL,
    -- Null where there was no answer; then `error` says why.
    status INTEGER,
    error TEXT,
    -- The beginning of the answer.
    response TEXT,
    PRIMARY KEY (delivery_id, number)
) STRICT;
