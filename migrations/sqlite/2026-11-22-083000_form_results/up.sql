-- What submitted forms of the dashboard led to: a form that is submitted twice does its work once.
CREATE TABLE form_results (
    organization_id BLOB NOT NULL REFERENCES organizations,
    session_digest BLOB NOT NULL,
    -- Follows from the form's token and from where it was submitted.
    id TEXT NOT NULL,
    -- Where the browser is sent; null while the form is being worked on.
    location TEXT,
    -- What the page there shows, once: sealed with a key that follows from the session's token, which is
    -- not kept here. Null once it has been shown.
    notice BLOB,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, session_digest, id)
) STRICT;
CREATE INDEX form_results_by_age ON form_results (created_at);
