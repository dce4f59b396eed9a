-- The organization whose key a request was made with, or the application that made it.
CREATE TABLE answers_of_owners (
    owner_id BLOB NOT NULL,
    key_id BLOB NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest BLOB NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, path, idempotency_key, owner_id)
) STRICT;
INSERT INTO answers_of_owners
    SELECT coalesce(keys.organization_id, key_id), key_id, path, idempotency_key, body_digest, status, answer, idempotency.created_at
    FROM idempotency LEFT JOIN keys ON keys.id = idempotency.key_id;
DROP TABLE idempotency;
ALTER TABLE answers_of_owners RENAME TO idempotency;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
