ALTER TABLE templates DROP COLUMN quality;
ALTER TABLE templates DROP COLUMN message_send_ttl_seconds;
