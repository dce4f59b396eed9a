-- Deletes what is known of a person. The contact stays, so that messages and events still lead to it.
ALTER TABLE contacts ADD COLUMN deleted_at timestamptz;

-- Contacts whose personal data a worker is erasing. A row is deleted when its work is done.
CREATE TABLE contact_deletions (
    organization_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    account_id uuid NOT NULL,
    -- The numbers and user ids of the contact, by which its dead letters are found.
    identifiers json NOT NULL,
    -- The ids of the files of its messages, collected while the messages are erased.
    files json NOT NULL DEFAULT '[]',
    stage text NOT NULL,
    round integer NOT NULL DEFAULT 0,
    deleted_at timestamptz NOT NULL,
    -- When the next stage begins. A worker that takes the work sets it to the time at which its claim ends.
    due_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, contact_id)
);
CREATE INDEX contact_deletions_due ON contact_deletions (due_at);
