CREATE INDEX webhook_deliveries_unsuccessful ON webhook_deliveries (endpoint_id, created_at) WHERE failures > 0;
DROP INDEX webhook_deliveries_failing;
