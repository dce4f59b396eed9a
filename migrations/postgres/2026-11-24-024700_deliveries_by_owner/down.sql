DROP TRIGGER webhook_attempts_inserted ON webhook_attempts;
DROP TRIGGER webhook_deliveries_inserted ON webhook_deliveries;
DROP TRIGGER webhook_endpoints_inserted ON webhook_endpoints;
DROP FUNCTION fill_owner();
ALTER TABLE webhook_attempts
    DROP CONSTRAINT webhook_attempts_delivery_id_owner_id_fkey,
    DROP CONSTRAINT webhook_attempts_pkey,
    ADD PRIMARY KEY (delivery_id, number),
    DROP COLUMN owner_id;
DROP INDEX webhook_deliveries_once;
ALTER TABLE webhook_deliveries
    DROP CONSTRAINT webhook_deliveries_pkey,
    ADD PRIMARY KEY (id),
    DROP COLUMN owner_id;
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, organization_id, sequence);
ALTER TABLE webhook_attempts ADD FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE;
ALTER TABLE webhook_endpoints DROP COLUMN owner_id;
