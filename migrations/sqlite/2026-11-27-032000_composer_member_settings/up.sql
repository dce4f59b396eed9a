-- How the inbox works for a member in an organization. Without a row it works as by default.
CREATE TABLE inbox_member_settings (
    organization_id BLOB NOT NULL,
    member_id BLOB NOT NULL,
    -- Whether a conversation is read when the member opens it, and not only when somebody answers.
    reads_when_opened INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, member_id)
) STRICT, WITHOUT ROWID;
