-- When the channel last reported that its own agent takes part in the conversation.
ALTER TABLE inbox_entries ADD COLUMN channel_agent_at INTEGER;
-- When control of the conversation last changed hands. An older report changes nothing.
ALTER TABLE inbox_entries ADD COLUMN channel_control_at INTEGER;
-- Number of messages when the conversation was last closed. An AI agent is not given them.
ALTER TABLE inbox_entries ADD COLUMN agent_context_from INTEGER;
