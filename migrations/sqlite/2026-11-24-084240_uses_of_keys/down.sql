ALTER TABLE keys ADD COLUMN last_used_at INTEGER;
UPDATE keys SET last_used_at = (SELECT key_uses.last_used_at FROM key_uses WHERE key_id = keys.id);
DROP TABLE key_uses;
