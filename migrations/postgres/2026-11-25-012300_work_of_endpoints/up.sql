-- What changes with each delivery is out of `webhook_endpoints`, which is on every node of a distributed database: when there
-- is next something to do for an endpoint, who is at work on it, and since when it has been failing.
-- Servers that run hold endpoints before deliveries.
LOCK TABLE webhook_endpoints IN EXCLUSIVE MODE;

-- As long as its endpoint, exactly one row.
CREATE TABLE endpoint_work (
    owner_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    -- As in `webhook_endpoints`, for whoever holds this row.
    state text NOT NULL,
    -- The first of the failed attempts since which none has succeeded.
    failing_since timestamptz,
    -- When there is next something to do for it; null while it is disabled.
    due_at timestamptz,
    claimed_until timestamptz,
    claimed_by uuid,
    PRIMARY KEY (endpoint_id, owner_id)
) WITH (fillfactor = 50);
-- What a server of the version before is delivering just now stays claimed by it.
INSERT INTO endpoint_work (owner_id, endpoint_id, state, failing_since, due_at, claimed_until, claimed_by)
    SELECT owner_id, id, state, failing_since, CASE WHEN state = 'enabled' THEN due_at END, claimed_until, claimed_by
    FROM webhook_endpoints;
CREATE INDEX endpoint_work_due ON endpoint_work (due_at) WHERE due_at IS NOT NULL;

-- Servers of the version before know nothing of this table. What they put on its way is noted here, and they find nothing that
-- is due: it is delivered by servers of this version only. What they record of deliveries that were under way is noted too. The
-- old columns, their index and these triggers go with the migration after this version.
UPDATE webhook_endpoints SET due_at = NULL WHERE due_at IS NOT NULL;
CREATE FUNCTION note_endpoint_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM endpoint_work WHERE owner_id = OLD.owner_id AND endpoint_id = OLD.id;
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO endpoint_work (owner_id, endpoint_id, state) VALUES (NEW.owner_id, NEW.id, NEW.state)
            ON CONFLICT DO NOTHING;
        RETURN NEW;
    END IF;
    UPDATE endpoint_work SET
        state = NEW.state,
        -- What they have not changed is as it was before the migration.
        failing_since = CASE WHEN NEW.failing_since IS DISTINCT FROM OLD.failing_since OR NEW.state <> OLD.state
            THEN NEW.failing_since ELSE failing_since END,
        due_at = CASE WHEN NEW.state = 'enabled' THEN least(due_at, NEW.due_at) END,
        claimed_until = CASE WHEN NEW.claimed_until IS NULL AND claimed_until = OLD.claimed_until
            THEN NULL ELSE claimed_until END
        WHERE owner_id = NEW.owner_id AND endpoint_id = NEW.id;
    NEW.due_at := NULL;
    RETURN NEW;
END $$;
-- On a distributed database triggers would run on every node: there, servers of the version before are stopped first.
DO $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'webhook_endpoints'::regclass) THEN
            RETURN;
        END IF;
    END IF;
    CREATE TRIGGER webhook_endpoints_noted BEFORE INSERT OR DELETE OR UPDATE OF due_at, claimed_until, organization_id
        ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION note_endpoint_work();
END $$;
