-- How long the channel may try to deliver a message of the template; null for its own choice.
ALTER TABLE templates ADD COLUMN message_send_ttl_seconds INTEGER;
-- What people make of the template, by the channel's measure; null until it says so.
ALTER TABLE templates ADD COLUMN quality TEXT;
