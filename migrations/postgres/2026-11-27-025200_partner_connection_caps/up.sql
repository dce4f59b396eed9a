-- Caps that a business sets for the key of a connection.
ALTER TABLE keys ADD COLUMN messages_per_month integer;
ALTER TABLE keys ADD COLUMN expires_at timestamptz;
-- Whether the event that the end is near was recorded.
ALTER TABLE keys ADD COLUMN expiry_reported boolean NOT NULL DEFAULT false;
CREATE INDEX keys_expiring ON keys (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE codes ADD COLUMN rate_limit integer;
ALTER TABLE codes ADD COLUMN messages_per_month integer;
ALTER TABLE codes ADD COLUMN expires_at timestamptz;
-- The messages that a capped key sent in a month.
ALTER TABLE key_uses ADD COLUMN period integer NOT NULL DEFAULT 0;
ALTER TABLE key_uses ADD COLUMN messages integer NOT NULL DEFAULT 0;
-- The capped key that a scheduled message counts for.
ALTER TABLE scheduled_messages ADD COLUMN connection_key_id uuid;
