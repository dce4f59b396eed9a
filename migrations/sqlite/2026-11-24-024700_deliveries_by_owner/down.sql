ALTER TABLE webhook_attempts DROP COLUMN owner_id;
ALTER TABLE webhook_deliveries DROP COLUMN owner_id;
ALTER TABLE webhook_endpoints DROP COLUMN owner_id;
