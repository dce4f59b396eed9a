-- Members have roles. Whoever is a member now becomes an owner; servers of the version before create owners, too.
ALTER TABLE memberships ADD COLUMN role text NOT NULL DEFAULT 'owner';
ALTER TABLE members ADD COLUMN last_active_at timestamptz;
-- Whether only owners and developers may manage keys.
ALTER TABLE organizations ADD COLUMN keys_restricted boolean NOT NULL DEFAULT false;

-- The browser of a session, as its member sees it in the list of sessions.
ALTER TABLE sessions ADD COLUMN user_agent text, ADD COLUMN address text;
CREATE INDEX sessions_by_member ON sessions (member_id);

-- A one-time link with which somebody becomes a member: one for each address, of which the digest is kept.
CREATE TABLE invitations (
    organization_id uuid NOT NULL REFERENCES organizations,
    email text NOT NULL,
    role text NOT NULL,
    digest bytea NOT NULL UNIQUE,
    created_by uuid NOT NULL REFERENCES members,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, email)
);

-- The one row that the setup of the first member writes, so that of several at once only one succeeds.
CREATE TABLE first_setup (
    id integer PRIMARY KEY CHECK (id = 1),
    member_id uuid NOT NULL REFERENCES members,
    finished_at timestamptz NOT NULL
);

-- What members did.
CREATE TABLE audit_entries (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    member_id uuid NOT NULL,
    action text NOT NULL,
    -- The id of what the action was about, as it is shown, and its name at that time.
    object_id text,
    object_name text NOT NULL,
    -- The client's IP address.
    address text,
    at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_entries_by_age ON audit_entries (at);
