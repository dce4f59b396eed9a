CREATE TABLE answers_of_keys (
    key_id BLOB NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest BLOB NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, path, idempotency_key)
) STRICT;
INSERT INTO answers_of_keys
    SELECT key_id, path, idempotency_key, body_digest, status, answer, created_at FROM idempotency;
DROP TABLE idempotency;
ALTER TABLE answers_of_keys RENAME TO idempotency;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
