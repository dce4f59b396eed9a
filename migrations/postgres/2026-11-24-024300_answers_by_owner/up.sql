-- The organization whose key a request was made with, or the application that made it. The key begins with the name: an index
-- that begins with the API key is read from end to end where PostgreSQL has no statistics yet.
LOCK TABLE idempotency IN ACCESS EXCLUSIVE MODE;
ALTER TABLE idempotency ADD COLUMN owner_id uuid;
UPDATE idempotency SET owner_id = coalesce((SELECT organization_id FROM keys WHERE keys.id = key_id), key_id);
ALTER TABLE idempotency
    DROP CONSTRAINT idempotency_pkey,
    ADD PRIMARY KEY (idempotency_key, key_id, path, owner_id);

-- Servers of the version before do not write it. This goes with the migration after this version.
CREATE FUNCTION fill_idempotency_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.owner_id := coalesce((SELECT organization_id FROM keys WHERE keys.id = NEW.key_id), NEW.key_id);
    RETURN NEW;
END $$;
CREATE TRIGGER idempotency_inserted BEFORE INSERT ON idempotency
    FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION fill_idempotency_owner();
