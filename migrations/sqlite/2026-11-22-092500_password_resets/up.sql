-- A one-time link with which a member chooses another password: one a member, of which the digest is kept.
CREATE TABLE password_resets (
    member_id BLOB PRIMARY KEY REFERENCES members,
    digest BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
