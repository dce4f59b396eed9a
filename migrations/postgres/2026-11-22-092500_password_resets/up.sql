-- A one-time link with which a member chooses another password: one a member, of which the digest is kept.
CREATE TABLE password_resets (
    member_id uuid PRIMARY KEY REFERENCES members,
    digest bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL
);
