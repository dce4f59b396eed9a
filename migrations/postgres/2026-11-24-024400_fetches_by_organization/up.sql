LOCK TABLE fetches IN ACCESS EXCLUSIVE MODE;
ALTER TABLE fetches ADD COLUMN organization_id uuid;
UPDATE fetches SET organization_id = accounts.organization_id FROM accounts WHERE accounts.id = fetches.account_id;
DELETE FROM fetches WHERE organization_id IS NULL;
ALTER TABLE fetches DROP CONSTRAINT fetches_pkey, ADD PRIMARY KEY (message_id, organization_id);

-- Servers of the version before do not write it. This goes with the migration after this version.
CREATE FUNCTION fill_fetch_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT organization_id INTO NEW.organization_id FROM accounts WHERE id = NEW.account_id;
    RETURN NEW;
END $$;
CREATE TRIGGER fetches_inserted BEFORE INSERT ON fetches
    FOR EACH ROW WHEN (NEW.organization_id IS NULL) EXECUTE FUNCTION fill_fetch_organization();
