ALTER TABLE inbox_entries DROP COLUMN agent_context_from;
ALTER TABLE inbox_entries DROP COLUMN channel_control_at;
ALTER TABLE inbox_entries DROP COLUMN channel_agent_at;
