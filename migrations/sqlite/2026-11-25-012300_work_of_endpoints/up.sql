-- What changes with each delivery is out of `webhook_endpoints`: when there is next something to do for an endpoint, who is at
-- work on it, and since when it has been failing. As long as its endpoint, exactly one row.
CREATE TABLE endpoint_work (
    owner_id BLOB NOT NULL,
    endpoint_id BLOB NOT NULL,
    -- As in `webhook_endpoints`, for whoever holds this row.
    state TEXT NOT NULL,
    -- The first of the failed attempts since which none has succeeded.
    failing_since INTEGER,
    -- When there is next something to do for it; null while it is disabled.
    due_at INTEGER,
    claimed_until INTEGER,
    claimed_by BLOB,
    PRIMARY KEY (endpoint_id, owner_id)
) STRICT, WITHOUT ROWID;
INSERT INTO endpoint_work (owner_id, endpoint_id, state, failing_since, due_at, claimed_until, claimed_by)
    SELECT owner_id, id, state, failing_since, CASE WHEN state = 'enabled' THEN due_at END, claimed_until, claimed_by
    FROM webhook_endpoints;
CREATE INDEX endpoint_work_due ON endpoint_work (due_at) WHERE due_at IS NOT NULL;

DROP INDEX webhook_endpoints_due;
ALTER TABLE webhook_endpoints DROP COLUMN failing_since;
ALTER TABLE webhook_endpoints DROP COLUMN due_at;
ALTER TABLE webhook_endpoints DROP COLUMN claimed_until;
ALTER TABLE webhook_endpoints DROP COLUMN claimed_by;
