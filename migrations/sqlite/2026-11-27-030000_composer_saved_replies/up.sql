-- Texts that the members of an organization often send.
CREATE TABLE saved_replies (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
