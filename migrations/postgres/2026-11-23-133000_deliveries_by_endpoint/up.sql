-- Few deliveries fail: these are counted and listed by an index that has no others.
CREATE INDEX webhook_deliveries_unsuccessful ON webhook_deliveries (endpoint_id, created_at) WHERE failures > 0;
-- The oldest are found endpoint by endpoint.
DROP INDEX webhook_deliveries_by_age;
