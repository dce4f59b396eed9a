ALTER TABLE webhook_endpoints ADD COLUMN failing_since INTEGER;
ALTER TABLE webhook_endpoints ADD COLUMN due_at INTEGER;
ALTER TABLE webhook_endpoints ADD COLUMN claimed_until INTEGER;
ALTER TABLE webhook_endpoints ADD COLUMN claimed_by BLOB;
UPDATE webhook_endpoints SET (failing_since, due_at, claimed_until, claimed_by) =
    (SELECT work.failing_since, work.due_at, work.claimed_until, work.claimed_by
    FROM endpoint_work AS work WHERE work.endpoint_id = webhook_endpoints.id);
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE state = 'enabled';
DROP TABLE endpoint_work;
