-- For the page of a message, which shows its deliveries. Deliveries from before have no subject.
ALTER TABLE webhook_deliveries ADD COLUMN subject BLOB;
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (owner_id, subject, sequence) WHERE subject IS NOT NULL;
