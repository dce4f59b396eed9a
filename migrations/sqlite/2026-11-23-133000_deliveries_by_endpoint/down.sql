CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
DROP INDEX webhook_deliveries_unsuccessful;
