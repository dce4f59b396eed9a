-- What failed is counted and listed by where it stands: few are tried again among many that were given up.
CREATE INDEX webhook_deliveries_failing ON webhook_deliveries (endpoint_id, state, created_at) WHERE failures > 0;
DROP INDEX webhook_deliveries_unsuccessful;
