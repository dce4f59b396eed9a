ALTER TABLE accounts DROP COLUMN probe_conversation;
ALTER TABLE accounts DROP COLUMN probe_due_at;
ALTER TABLE accounts DROP COLUMN messaging_limit;
ALTER TABLE accounts DROP COLUMN quality;
ALTER TABLE accounts DROP COLUMN health_since;
ALTER TABLE accounts DROP COLUMN health_message;
ALTER TABLE accounts DROP COLUMN health_reason;
ALTER TABLE accounts DROP COLUMN health;
