ALTER TABLE webhook_endpoints DROP COLUMN begun_to;
