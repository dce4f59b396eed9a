DROP TRIGGER idempotency_inserted ON idempotency;
DROP FUNCTION fill_idempotency_owner();
ALTER TABLE idempotency
    DROP CONSTRAINT idempotency_pkey,
    ADD PRIMARY KEY (key_id, path, idempotency_key),
    DROP COLUMN owner_id;
