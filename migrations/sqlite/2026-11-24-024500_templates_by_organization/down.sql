CREATE TABLE verdicts_of_templates (
    id BLOB PRIMARY KEY,
    template_id BLOB NOT NULL REFERENCES templates,
    verdict TEXT NOT NULL,
    reason TEXT,
    detail TEXT,
    took_effect INTEGER NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;
INSERT INTO verdicts_of_templates
    SELECT id, template_id, verdict, reason, detail, took_effect, received_at FROM verdicts;
DROP TABLE verdicts;
ALTER TABLE verdicts_of_templates RENAME TO verdicts;
CREATE INDEX verdicts_of_template ON verdicts (template_id, received_at);
CREATE INDEX verdicts_by_age ON verdicts (received_at);
