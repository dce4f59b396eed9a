-- When a key was last used changes with its use; the key itself is read with each call.
CREATE TABLE key_uses (
    organization_id BLOB NOT NULL,
    key_id BLOB NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, organization_id)
) STRICT, WITHOUT ROWID;
INSERT INTO key_uses (organization_id, key_id, last_used_at)
    SELECT organization_id, id, last_used_at FROM keys WHERE last_used_at IS NOT NULL;
ALTER TABLE keys DROP COLUMN last_used_at;
