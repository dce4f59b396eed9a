ALTER TABLE webhook_endpoints DROP COLUMN claimed_by;
ALTER TABLE conversations DROP COLUMN outbox_claim;
ALTER TABLE conversations DROP COLUMN outbox_claimed_by;
DROP TABLE instances;
