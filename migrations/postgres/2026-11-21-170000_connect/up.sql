CREATE TABLE applications (
    id uuid PRIMARY KEY,
    client_id text NOT NULL UNIQUE,
    secret_digest bytea NOT NULL,
    name text NOT NULL,
    description text,
    start_url text,
    -- A JSON list of addresses, each letter for letter.
    redirect_uris json NOT NULL,
    scopes text NOT NULL,
    -- The publisher; null of a platform application.
    organization_id uuid REFERENCES organizations,
    published boolean NOT NULL,
    verified boolean NOT NULL,
    created_at timestamptz NOT NULL,
    -- A deleted application keeps its row, for its connections live on.
    deleted_at timestamptz
);
CREATE INDEX applications_of_organization ON applications (organization_id);

CREATE TABLE connections (
    id uuid PRIMARY KEY,
    application_id uuid NOT NULL REFERENCES applications,
    organization_id uuid NOT NULL REFERENCES organizations,
    account_id uuid REFERENCES accounts,
    -- Its key, which is removed when the connection ends.
    key_id uuid NOT NULL,
    scopes text NOT NULL,
    state text NOT NULL,
    ending text,
    ending_reason text,
    connected_at timestamptz NOT NULL,
    ended_at timestamptz
);
-- One live connection a business and application, whatever races for it.
CREATE UNIQUE INDEX connections_alive ON connections (application_id, organization_id) WHERE state = 'connected';
CREATE INDEX connections_of_organization ON connections (organization_id, connected_at);
CREATE UNIQUE INDEX connections_by_key ON connections (key_id);

CREATE TABLE sessions (
    digest bytea PRIMARY KEY,
    -- Null until somebody has signed in.
    member_id uuid REFERENCES members,
    organization_id uuid REFERENCES organizations,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_age ON sessions (seen_at);

-- What an application asks a member for, kept here so that no form can change it.
CREATE TABLE consents (
    id uuid PRIMARY KEY,
    session_digest bytea NOT NULL,
    application_id uuid NOT NULL REFERENCES applications,
    redirect_uri text NOT NULL,
    -- Null where the request is wrong in a way that is told to the redirect address.
    scopes text,
    state bytea NOT NULL,
    challenge text,
    wrong text,
    popup boolean NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX consents_by_age ON consents (created_at);

CREATE TABLE codes (
    digest bytea PRIMARY KEY,
    application_id uuid NOT NULL REFERENCES applications,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations,
    account_id uuid REFERENCES accounts,
    scopes text NOT NULL,
    issued_at timestamptz NOT NULL,
    consumed_at timestamptz
);
CREATE INDEX codes_by_age ON codes (issued_at);

-- What became of each exchange, for the owner of the application.
CREATE TABLE handshakes (
    id uuid PRIMARY KEY,
    application_id uuid NOT NULL REFERENCES applications,
    organization_id uuid REFERENCES organizations,
    -- Null when it went well.
    failure text,
    at timestamptz NOT NULL
);
CREATE INDEX handshakes_of_application ON handshakes (application_id, at);
CREATE INDEX handshakes_by_age ON handshakes (at);
