CREATE TABLE verdicts_of_organizations (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    template_id BLOB NOT NULL REFERENCES templates,
    verdict TEXT NOT NULL,
    reason TEXT,
    detail TEXT,
    took_effect INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (id, organization_id)
) STRICT;
INSERT INTO verdicts_of_organizations
    SELECT templates.organization_id, verdicts.id, template_id, verdict, reason, detail, took_effect, received_at
    FROM verdicts JOIN templates ON templates.id = verdicts.template_id;
DROP TABLE verdicts;
ALTER TABLE verdicts_of_organizations RENAME TO verdicts;
CREATE INDEX verdicts_of_template ON verdicts (template_id, received_at);
CREATE INDEX verdicts_by_age ON verdicts (received_at);
