DROP TABLE application_events;
ALTER TABLE endpoint_work DROP COLUMN last_sequence;
DROP INDEX webhook_endpoints_log;
ALTER TABLE webhook_endpoints DROP COLUMN is_log;
