-- How often a message that a callback is about was looked up and not found.
ALTER TABLE callbacks ADD COLUMN lookups INTEGER NOT NULL DEFAULT 0;

-- Parts of callbacks that cannot be worked on, each as a callback of its own, until the operator replays or
-- deletes it. Whose they are is not known, or else they would not be here.
CREATE TABLE dead_callbacks (
    id BLOB PRIMARY KEY,
    -- SHA-256 of channel and payload: what comes twice is kept once.
    digest BLOB NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    payload TEXT NOT NULL,
    -- How often the callback that it came in had been tried.
    attempts INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    kept_at INTEGER NOT NULL
) STRICT;
CREATE INDEX dead_callbacks_by_kind ON dead_callbacks (kind, id);
CREATE INDEX dead_callbacks_by_age ON dead_callbacks (kept_at);
