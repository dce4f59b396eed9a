DROP TRIGGER IF EXISTS webhook_endpoints_noted ON webhook_endpoints;
DROP FUNCTION note_endpoint_work();
UPDATE webhook_endpoints SET failing_since = work.failing_since, due_at = work.due_at,
    claimed_until = work.claimed_until, claimed_by = work.claimed_by
    FROM endpoint_work AS work WHERE work.endpoint_id = webhook_endpoints.id;
DROP TABLE endpoint_work;
