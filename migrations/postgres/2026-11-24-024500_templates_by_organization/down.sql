DROP TRIGGER verdicts_inserted ON verdicts;
DROP FUNCTION fill_verdict_organization();
ALTER TABLE verdicts
    DROP CONSTRAINT verdicts_template_id_organization_id_fkey,
    DROP CONSTRAINT verdicts_pkey,
    ADD PRIMARY KEY (id),
    DROP COLUMN organization_id;
ALTER TABLE templates DROP CONSTRAINT templates_pkey, ADD PRIMARY KEY (id);
ALTER TABLE verdicts ADD FOREIGN KEY (template_id) REFERENCES templates;
