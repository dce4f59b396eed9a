-- What submitted forms of the dashboard led to: a form that is submitted twice does its work once.
CREATE TABLE form_results (
    organization_id uuid NOT NULL REFERENCES organizations,
    session_digest bytea NOT NULL,
    -- Follows from the form's token and from where it was submitted.
    id text NOT NULL,
    -- Where the browser is sent; null while the form is being worked on.
    location text,
    -- What the page there shows, once: sealed with a key that follows from the session's token, which is
    -- not kept here. Null once it has been shown.
    notice bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, session_digest, id)
);
CREATE INDEX form_results_by_age ON form_results (created_at);
