-- In the order in which a review locks them.
LOCK TABLE templates IN ACCESS EXCLUSIVE MODE;
LOCK TABLE verdicts IN ACCESS EXCLUSIVE MODE;
ALTER TABLE verdicts ADD COLUMN organization_id uuid, DROP CONSTRAINT verdicts_template_id_fkey;
UPDATE verdicts SET organization_id = templates.organization_id FROM templates WHERE templates.id = verdicts.template_id;
ALTER TABLE templates DROP CONSTRAINT templates_pkey, ADD PRIMARY KEY (id, organization_id);
ALTER TABLE verdicts
    DROP CONSTRAINT verdicts_pkey,
    ADD PRIMARY KEY (id, organization_id),
    ADD FOREIGN KEY (template_id, organization_id) REFERENCES templates;

-- Servers of the version before do not write it. This goes with the migration after this version.
CREATE FUNCTION fill_verdict_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT organization_id INTO NEW.organization_id FROM templates WHERE id = NEW.template_id;
    RETURN NEW;
END $$;
CREATE TRIGGER verdicts_inserted BEFORE INSERT ON verdicts
    FOR EACH ROW WHEN (NEW.organization_id IS NULL) EXECUTE FUNCTION fill_verdict_organization();
