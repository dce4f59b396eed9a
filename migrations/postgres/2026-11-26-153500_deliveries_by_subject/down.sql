DROP INDEX webhook_deliveries_by_subject;
ALTER TABLE webhook_deliveries DROP COLUMN subject;
