-- A page of templates is found in the order of an index, whichever filter chooses: what is skipped is not read.
CREATE INDEX templates_by_status ON templates (organization_id, status, created_at, id, category, language);
CREATE INDEX templates_by_category ON templates (organization_id, category, created_at, id, status, language);
CREATE INDEX templates_by_language ON templates (organization_id, language, created_at, id, status, category);

-- How many there are of each kind: written with each template by whichever version of the program writes it, so that a
-- list need not count them.
CREATE TABLE template_counts (
    organization_id uuid NOT NULL,
    status text NOT NULL,
    category text NOT NULL,
    language text NOT NULL,
    templates bigint NOT NULL,
    PRIMARY KEY (organization_id, status, category, language)
);
INSERT INTO template_counts
    SELECT organization_id, status, category, language, count(*) FROM templates
    GROUP BY organization_id, status, category, language;
-- Rows are held in the order in which a review goes through them, lest two changes wait for each other.
CREATE FUNCTION count_template() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    review text[] := ARRAY['draft', 'pending', 'rejected', 'approved', 'paused', 'disabled'];
BEGIN
    INSERT INTO template_counts AS counted
        SELECT organization_id, status, category, language, difference FROM (
            SELECT OLD.organization_id, OLD.status, OLD.category, OLD.language, -1 WHERE TG_OP <> 'INSERT'
            UNION ALL
            SELECT NEW.organization_id, NEW.status, NEW.category, NEW.language, 1 WHERE TG_OP <> 'DELETE'
        ) AS differences (organization_id, status, category, language, difference)
        ORDER BY array_position(review, status), category
        ON CONFLICT (organization_id, status, category, language)
        DO UPDATE SET templates = counted.templates + excluded.templates;
    RETURN NULL;
END
$$;
CREATE TRIGGER template_counted AFTER INSERT OR DELETE ON templates
    FOR EACH ROW EXECUTE FUNCTION count_template();
CREATE TRIGGER template_changed AFTER UPDATE OF status, category ON templates FOR EACH ROW
    WHEN ((OLD.status, OLD.category) IS DISTINCT FROM (NEW.status, NEW.category)) EXECUTE FUNCTION count_template();
