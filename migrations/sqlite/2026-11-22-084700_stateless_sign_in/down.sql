ALTER TABLE sessions DROP COLUMN anonymous_digest;
DROP TABLE server_keys;
