CREATE TABLE fetches_of_messages (
    message_id BLOB PRIMARY KEY,
    account_id BLOB NOT NULL,
    file_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    claimed_by BLOB
) STRICT;
INSERT INTO fetches_of_messages
    SELECT message_id, account_id, file_id, attempts, due_at, received_at, claimed_by FROM fetches;
DROP TABLE fetches;
ALTER TABLE fetches_of_messages RENAME TO fetches;
CREATE INDEX fetches_due ON fetches (due_at);
