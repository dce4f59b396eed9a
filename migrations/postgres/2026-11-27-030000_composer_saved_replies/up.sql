-- Texts that the members of an organization often send.
CREATE TABLE saved_replies (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
