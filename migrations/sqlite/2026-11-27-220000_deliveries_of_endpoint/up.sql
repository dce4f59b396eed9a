-- The deliveries of an endpoint, the newest first. The index begins with the owner because every query names
-- it: otherwise PostgreSQL expects few rows, and sorts all deliveries of an endpoint for a page. An operator
-- may have built the index before, beside writes.
CREATE INDEX IF NOT EXISTS webhook_deliveries_of_endpoint ON webhook_deliveries (owner_id, endpoint_id, created_at, id);
DROP INDEX webhook_deliveries_newest;
