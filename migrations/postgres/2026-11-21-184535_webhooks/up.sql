-- Where events are sent: an organization's, or an application's. One without an owner was deleted, and is
-- removed bit by bit with all that it was sent.
CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    organization_id uuid REFERENCES organizations,
    application_id uuid REFERENCES applications,
    url text NOT NULL,
    description text,
    -- The events that it wants, with spaces between; * for all.
    events text NOT NULL,
    state text NOT NULL,
    disabled_reason text,
    disabled_at timestamptz,
    secret bytea NOT NULL,
    -- After a rotation the secret before signs along until then.
    previous_secret bytea,
    previous_until timestamptz,
    -- The first of the failed attempts since which none has succeeded.
    failing_since timestamptz,
    -- When there is next something to do for it.
    due_at timestamptz,
    claimed_until timestamptz,
    created_at timestamptz NOT NULL,
    CHECK (organization_id IS NULL OR application_id IS NULL),
    CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL AND disabled_at IS NOT NULL))
);
CREATE INDEX webhook_endpoints_of_organization ON webhook_endpoints (organization_id);
CREATE INDEX webhook_endpoints_of_application ON webhook_endpoints (application_id);
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE state = 'enabled';

-- How far the events of an organization have been looked through for an endpoint.
CREATE TABLE webhook_feeds (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    -- Of an application's endpoint: the connection through which it may be told anything.
    connection_id uuid REFERENCES connections,
    -- The events after this one and up to that one are its business.
    starts_after bigint NOT NULL,
    ends_with bigint,
    -- The last one that was looked at.
    position bigint NOT NULL,
    -- Delivers what it finds anew, and is gone when it is through.
    replay boolean NOT NULL
);
CREATE INDEX webhook_feeds_of_endpoint ON webhook_feeds (endpoint_id);
CREATE INDEX webhook_feeds_of_organization ON webhook_feeds (organization_id, position);
CREATE INDEX webhook_feeds_of_connection ON webhook_feeds (connection_id);

-- One event on its way to one endpoint.
CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    sequence bigint NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    -- All that were made, and those that failed since the schedule began.
    attempts integer NOT NULL,
    failures integer NOT NULL,
    due_at timestamptz,
    created_at timestamptz NOT NULL,
    completed_at timestamptz,
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
);
-- An event is delivered to an endpoint once, however often it is found.
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, organization_id, sequence);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

CREATE TABLE webhook_attempts (
    delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    number integer NOT NULL,
    at timestamptz NOT NULL,
    took_ms integer NOT NULL,
    -- What proved who was calling.
    signature text NOT NULL,
    -- Null where there was no answer; then `error` says why.
    status integer,
    error text,
    -- The beginning of the answer.
    response text,
    PRIMARY KEY (delivery_id, number)
);
