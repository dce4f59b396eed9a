CREATE TABLE applications (
    id BLOB PRIMARY KEY,
    client_id TEXT NOT NULL UNIQUE,
    secret_digest BLOB NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    start_url TEXT,
    -- A JSON list of addresses, each letter for letter.
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- The publisher; null of a platform application.
    organization_id BLOB REFERENCES organizations,
    published INTEGER NOT NULL,
    verified INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- A deleted application keeps its row, for its connections live on.
    deleted_at INTEGER
) STRICT;
CREATE INDEX applications_of_organization ON applications (organization_id);

CREATE TABLE connections (
    id BLOB PRIMARY KEY,
    application_id BLOB NOT NULL REFERENCES applications,
    organization_id BLOB NOT NULL REFERENCES organizations,
    account_id BLOB REFERENCES accounts,
    -- Its key, which is removed when the connection ends.
    key_id BLOB NOT NULL,
    scopes TEXT NOT NULL,
    state TEXT NOT NULL,
    ending TEXT,
    ending_reason TEXT,
    connected_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
-- One live connection a business and application, whatever races for it.
CREATE UNIQUE INDEX connections_alive ON connections (application_id, organization_id) WHERE state = 'connected';
CREATE INDEX connections_of_organization ON connections (organization_id, connected_at);
CREATE UNIQUE INDEX connections_by_key ON connections (key_id);

CREATE TABLE sessions (
    digest BLOB PRIMARY KEY,
    -- Null until somebody has signed in.
    member_id BLOB REFERENCES members,
    organization_id BLOB REFERENCES organizations,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_age ON sessions (seen_at);

-- What an application asks a member for, kept here so that no form can change it.
CREATE TABLE consents (
    id BLOB PRIMARY KEY,
    session_digest BLOB NOT NULL,
    application_id BLOB NOT NULL REFERENCES applications,
    redirect_uri TEXT NOT NULL,
    -- Null where the request is wrong in a way that is told to the redirect address.
    scopes TEXT,
    state BLOB NOT NULL,
    challenge TEXT,
    wrong TEXT,
    popup INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;
CREATE INDEX consents_by_age ON consents (created_at);

CREATE TABLE codes (
    digest BLOB PRIMARY KEY,
    application_id BLOB NOT NULL REFERENCES applications,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    organization_id BLOB NOT NULL REFERENCES organizations,
    account_id BLOB REFERENCES accounts,
    scopes TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    consumed_at INTEGER
) STRICT;
CREATE INDEX codes_by_age ON codes (issued_at);

-- What became of each exchange, for the owner of the application.
CREATE TABLE handshakes (
    id BLOB PRIMARY KEY,
    application_id BLOB NOT NULL REFERENCES applications,
    organization_id BLOB REFERENCES organizations,
    -- Null when it went well.
    failure TEXT,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX handshakes_of_application ON handshakes (application_id, at);
CREATE INDEX handshakes_by_age ON handshakes (at);
