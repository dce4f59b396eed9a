CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (endpoint_id, created_at, id);
DROP INDEX webhook_deliveries_of_endpoint;
