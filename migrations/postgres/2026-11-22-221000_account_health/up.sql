-- Whether the number can send; why it cannot, in our word and in the channel's sentence; since when.
ALTER TABLE accounts ADD COLUMN health text NOT NULL DEFAULT 'ok';
ALTER TABLE accounts ADD COLUMN health_reason text;
ALTER TABLE accounts ADD COLUMN health_message text;
ALTER TABLE accounts ADD COLUMN health_since timestamptz;
-- What people make of it, and what it may do, by the channel's measure; null until it says so.
ALTER TABLE accounts ADD COLUMN quality text;
ALTER TABLE accounts ADD COLUMN messaging_limit text;
-- While it is held: when a message is tried next, and the conversation that has one waiting for that.
ALTER TABLE accounts ADD COLUMN probe_due_at timestamptz;
ALTER TABLE accounts ADD COLUMN probe_conversation uuid;
