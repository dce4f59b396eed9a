-- How often a message that a callback is about was looked up and not found.
ALTER TABLE callbacks ADD COLUMN lookups integer NOT NULL DEFAULT 0;
-- As it came: the type json refuses what is nested too deep.
ALTER TABLE callbacks ALTER COLUMN payload TYPE text;

-- Parts of callbacks that cannot be worked on, each as a callback of its own, until the operator replays or
-- deletes it. Whose they are is not known, or else they would not be here.
CREATE TABLE dead_callbacks (
    id uuid PRIMARY KEY,
    -- SHA-256 of channel and payload: what comes twice is kept once.
    digest bytea NOT NULL UNIQUE,
    channel text NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    payload text NOT NULL,
    -- How often the callback that it came in had been tried.
    attempts integer NOT NULL,
    received_at timestamptz NOT NULL,
    kept_at timestamptz NOT NULL
);
CREATE INDEX dead_callbacks_by_kind ON dead_callbacks (kind, id);
CREATE INDEX dead_callbacks_by_age ON dead_callbacks (kept_at);
