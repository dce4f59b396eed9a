CREATE TABLE fetches_of_organizations (
    organization_id BLOB NOT NULL,
    message_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    file_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    claimed_by BLOB,
    PRIMARY KEY (message_id, organization_id)
) STRICT;
INSERT INTO fetches_of_organizations
    SELECT accounts.organization_id, message_id, account_id, file_id, attempts, due_at, received_at, claimed_by
    FROM fetches JOIN accounts ON accounts.id = fetches.account_id;
DROP TABLE fetches;
ALTER TABLE fetches_of_organizations RENAME TO fetches;
CREATE INDEX fetches_due ON fetches (due_at);
