-- The servers that run. Each counts its beat up once a second; one whose beat stands still is dead, and the
-- others release what it had claimed.
CREATE TABLE instances (
    id uuid PRIMARY KEY,
    beat bigint NOT NULL
);

-- The server that hands over a conversation's messages, and the number of the claim, counted by that server;
-- null while nobody does. A claim holds as long as its server lives, so `outbox_claimed_until` is no longer
-- read; it stays for servers of the version before, which write it.
ALTER TABLE conversations ADD COLUMN outbox_claimed_by uuid;
ALTER TABLE conversations ADD COLUMN outbox_claim bigint;

-- The server that claimed an endpoint: should it die, the claim ends before its time.
ALTER TABLE webhook_endpoints ADD COLUMN claimed_by uuid;
