-- The servers that run. Each counts its beat up once a second; one whose beat stands still is dead, and the
-- others release what it had claimed.
CREATE TABLE instances (
    id BLOB PRIMARY KEY,
    beat INTEGER NOT NULL
) STRICT;

-- The server that hands over a conversation's messages, and the number of the claim, counted by that server;
-- null while nobody does. A claim holds as long as its server lives, so `outbox_claimed_until` is no longer
-- read.
ALTER TABLE conversations ADD COLUMN outbox_claimed_by BLOB;
ALTER TABLE conversations ADD COLUMN outbox_claim INTEGER;

-- The server that claimed an endpoint: should it die, the claim ends before its time.
ALTER TABLE webhook_endpoints ADD COLUMN claimed_by BLOB;
