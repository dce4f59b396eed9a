-- Members have roles. Whoever is a member now becomes an owner.
ALTER TABLE memberships ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE members ADD COLUMN last_active_at INTEGER;
-- Whether only owners and developers may manage keys.
ALTER TABLE organizations ADD COLUMN keys_restricted INTEGER NOT NULL DEFAULT 0;

-- The browser of a session, as its member sees it in the list of sessions.
ALTER TABLE sessions ADD COLUMN user_agent TEXT;
ALTER TABLE sessions ADD COLUMN address TEXT;
CREATE INDEX sessions_by_member ON sessions (member_id);

-- A one-time link with which somebody becomes a member: one for each address, of which the digest is kept.
CREATE TABLE invitations (
    organization_id BLOB NOT NULL REFERENCES organizations,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    created_by BLOB NOT NULL REFERENCES members,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, email)
) STRICT;

-- The one row that the setup of the first member writes, so that of several at once only one succeeds.
CREATE TABLE first_setup (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    member_id BLOB NOT NULL REFERENCES members,
    finished_at INTEGER NOT NULL
) STRICT;

-- What members did.
CREATE TABLE audit_entries (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    member_id BLOB NOT NULL,
    action TEXT NOT NULL,
    -- The id of what the action was about, as it is shown, and its name at that time.
    object_id TEXT,
    object_name TEXT NOT NULL,
    -- The client's IP address.
    address TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_entries_by_age ON audit_entries (at);
