//! Trigger functions for the shards of a distributed database.

/// The names and new bodies of the trigger functions whose original bodies do not work on a shard.
/// The new bodies also work on a table that is not distributed.
pub(super) const TRIGGERS: [(&str, &str); 3] = [
    ("count_template", COUNT_TEMPLATE),
    ("note_media_owner", NOTHING),
    ("note_endpoint_work", AS_IT_IS),
];

/// The body of an `AFTER` trigger that does nothing. The original trigger is only needed by
/// instances of an earlier version, which cannot use a distributed database.
const NOTHING: &str = "BEGIN RETURN NULL; END";
/// The body of a `BEFORE` trigger that changes nothing: it returns the row as it is.
const AS_IT_IS: &str = "BEGIN IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END";

/// Updates the counts of templates. Finds the shard of `template_counts` that has the same hash
/// range as this shard of `templates`, and so the same organizations.
const COUNT_TEMPLATE: &str = "
DECLARE
    review text[] := ARRAY['draft', 'pending', 'rejected', 'approved', 'paused', 'disabled'];
    shard text := substring(TG_TABLE_NAME FROM '_([0-9]+)$');
    counts text := 'template_counts';
BEGIN
    IF shard IS NOT NULL THEN
        SELECT 'template_counts_' || theirs.shardid INTO STRICT counts
            FROM pg_dist_shard AS own JOIN pg_dist_shard AS theirs USING (shardminvalue)
            WHERE own.shardid = shard::bigint AND theirs.logicalrelid = 'template_counts'::regclass;
    END IF;
    EXECUTE format('
        INSERT INTO %I AS counted (organization_id, status, category, language, templates)
            SELECT organization_id, status, category, language, difference FROM (
                SELECT $2, $3, $4, $5, -1 WHERE $1 <> ''INSERT''
                UNION ALL
                SELECT $6, $7, $8, $9, 1 WHERE $1 <> ''DELETE''
            ) AS differences (organization_id, status, category, language, difference)
            ORDER BY array_position($10, status), category
            ON CONFLICT (organization_id, status, category, language)
            DO UPDATE SET templates = counted.templates + excluded.templates', counts)
        USING TG_OP, OLD.organization_id, OLD.status, OLD.category, OLD.language,
            NEW.organization_id, NEW.status, NEW.category, NEW.language, review;
    RETURN NULL;
END
";
