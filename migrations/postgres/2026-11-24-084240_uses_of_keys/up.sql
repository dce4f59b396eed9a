-- When a key was last used changes with its use; the key itself is read with each call, and is on every node of a distributed
-- database. Servers of the version before go on writing `keys.last_used_at`, which is dropped after this version.
CREATE TABLE key_uses (
    organization_id uuid NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, organization_id)
);
INSERT INTO key_uses (organization_id, key_id, last_used_at)
    SELECT organization_id, id, last_used_at FROM keys WHERE last_used_at IS NOT NULL;
