-- A page of templates is found in the order of an index, whichever filter chooses: what is skipped is not read.
CREATE INDEX templates_by_status ON templates (organization_id, status, created_at, id, category, language);
CREATE INDEX templates_by_category ON templates (organization_id, category, created_at, id, status, language);
CREATE INDEX templates_by_language ON templates (organization_id, language, created_at, id, status, category);

-- How many there are of each kind: written with each template by whichever version of the program writes it, so that a
-- list need not count them.
CREATE TABLE template_counts (
    organization_id BLOB NOT NULL,
    status TEXT NOT NULL,
    category TEXT NOT NULL,
    language TEXT NOT NULL,
    templates INTEGER NOT NULL,
    PRIMARY KEY (organization_id, status, category, language)
) STRICT, WITHOUT ROWID;
INSERT INTO template_counts
    SELECT organization_id, status, category, language, count(*) FROM templates
    GROUP BY organization_id, status, category, language;
CREATE TRIGGER template_made AFTER INSERT ON templates BEGIN
    INSERT INTO template_counts VALUES (new.organization_id, new.status, new.category, new.language, 1)
        ON CONFLICT DO UPDATE SET templates = templates + 1;
END;
CREATE TRIGGER template_changed AFTER UPDATE OF status, category ON templates
WHEN (old.status, old.category) IS NOT (new.status, new.category) BEGIN
    UPDATE template_counts SET templates = templates - 1
        WHERE organization_id = old.organization_id AND status = old.status
        AND category = old.category AND language = old.language;
    INSERT INTO template_counts VALUES (new.organization_id, new.status, new.category, new.language, 1)
        ON CONFLICT DO UPDATE SET templates = templates + 1;
END;
CREATE TRIGGER template_removed AFTER DELETE ON templates BEGIN
    UPDATE template_counts SET templates = templates - 1
        WHERE organization_id = old.organization_id AND status = old.status
        AND category = old.category AND language = old.language;
END;
