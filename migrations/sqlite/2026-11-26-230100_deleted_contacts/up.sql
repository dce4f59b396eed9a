-- Deletes what is known of a person. The contact stays, so that messages and events still lead to it.
ALTER TABLE contacts ADD COLUMN deleted_at INTEGER;

-- Contacts whose personal data a worker is erasing. A row is deleted when its work is done.
CREATE TABLE contact_deletions (
    organization_id BLOB NOT NULL,
    contact_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    -- The numbers and user ids of the contact, by which its dead letters are found.
    identifiers TEXT NOT NULL,
    -- The ids of the files of its messages, collected while the messages are erased.
    files TEXT NOT NULL DEFAULT '[]',
    stage TEXT NOT NULL,
    round INTEGER NOT NULL DEFAULT 0,
    deleted_at INTEGER NOT NULL,
    -- When the next stage begins. A worker that takes the work sets it to the time at which its claim ends.
    due_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_deletions_due ON contact_deletions (due_at);
