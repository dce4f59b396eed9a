-- Whether the number can send; why it cannot, in our word and in the channel's sentence; since when.
ALTER TABLE accounts ADD COLUMN health TEXT NOT NULL DEFAULT 'ok';
ALTER TABLE accounts ADD COLUMN health_reason TEXT;
ALTER TABLE accounts ADD COLUMN health_message TEXT;
ALTER TABLE accounts ADD COLUMN health_since INTEGER;
-- What people make of it, and what it may do, by the channel's measure; null until it says so.
ALTER TABLE accounts ADD COLUMN quality TEXT;
ALTER TABLE accounts ADD COLUMN messaging_limit TEXT;
-- While it is held: when a message is tried next, and the conversation that has one waiting for that.
ALTER TABLE accounts ADD COLUMN probe_due_at INTEGER;
ALTER TABLE accounts ADD COLUMN probe_conversation BLOB;
