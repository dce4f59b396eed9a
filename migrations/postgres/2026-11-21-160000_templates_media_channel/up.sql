-- A number on Meta's Cloud API: its ids there, and the token that speaks for it, sealed.
ALTER TABLE accounts ADD COLUMN phone_number_id text;
ALTER TABLE accounts ADD COLUMN waba_id text;
ALTER TABLE accounts ADD COLUMN access_token bytea;
CREATE UNIQUE INDEX accounts_on_channel ON accounts (phone_number_id) WHERE phone_number_id IS NOT NULL;
CREATE INDEX accounts_of_business ON accounts (waba_id) WHERE waba_id IS NOT NULL;

-- When a template is to be handed to the reviewer; null once it has been.
ALTER TABLE templates ADD COLUMN submission_due_at timestamptz;
ALTER TABLE templates ADD COLUMN submission_attempts integer NOT NULL DEFAULT 0;
CREATE INDEX templates_to_submit ON templates (submission_due_at) WHERE submission_due_at IS NOT NULL;
CREATE INDEX templates_of_organization ON templates (organization_id, created_at, id);
CREATE INDEX templates_with_reviewer ON templates (external_id) WHERE external_id IS NOT NULL;

-- All that the reviewer ever said, also what could not follow from where the template stood.
CREATE TABLE verdicts (
    id uuid PRIMARY KEY,
    template_id uuid NOT NULL REFERENCES templates,
    verdict text NOT NULL,
    reason text,
    detail text,
    took_effect boolean NOT NULL,
    received_at timestamptz NOT NULL
);
CREATE INDEX verdicts_of_template ON verdicts (template_id, received_at);

-- A row is written before its file is and marked kept afterwards: what stays `arriving` is an
-- orphan, and is removed with its file.
CREATE TABLE media (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    state text NOT NULL,
    file_name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX media_arriving ON media (created_at) WHERE state = 'arriving';

-- Files that people sent and that are still to be fetched from the channel.
CREATE TABLE fetches (
    message_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    file_id text NOT NULL,
    attempts integer NOT NULL,
    due_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL
);
CREATE INDEX fetches_due ON fetches (due_at);
