DROP TRIGGER fetches_inserted ON fetches;
DROP FUNCTION fill_fetch_organization();
ALTER TABLE fetches
    DROP CONSTRAINT fetches_pkey,
    ADD PRIMARY KEY (message_id),
    DROP COLUMN organization_id;
