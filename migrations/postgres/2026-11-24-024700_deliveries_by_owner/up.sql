-- What an endpoint is sent belongs to its owner, an organization or an application, also where the events are another
-- organization's.
-- In the order in which deliveries are settled.
LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE;
LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE;
LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE;

-- An endpoint that was deleted has no owner any more; what it was sent is removed by and by.
ALTER TABLE webhook_endpoints ADD COLUMN owner_id uuid;
UPDATE webhook_endpoints SET owner_id = coalesce(organization_id, application_id, id);
ALTER TABLE webhook_endpoints ALTER COLUMN owner_id SET NOT NULL;

ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_delivery_id_fkey, ADD COLUMN owner_id uuid;
ALTER TABLE webhook_deliveries ADD COLUMN owner_id uuid;
UPDATE webhook_deliveries SET owner_id = webhook_endpoints.owner_id
    FROM webhook_endpoints WHERE webhook_endpoints.id = webhook_deliveries.endpoint_id;
UPDATE webhook_attempts SET owner_id = webhook_deliveries.owner_id
    FROM webhook_deliveries WHERE webhook_deliveries.id = webhook_attempts.delivery_id;
DROP INDEX webhook_deliveries_once;
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_pkey, ADD PRIMARY KEY (id, owner_id);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (endpoint_id, organization_id, sequence, owner_id);
ALTER TABLE webhook_attempts
    DROP CONSTRAINT webhook_attempts_pkey,
    ADD PRIMARY KEY (delivery_id, number, owner_id),
    ADD FOREIGN KEY (delivery_id, owner_id) REFERENCES webhook_deliveries ON DELETE CASCADE;

-- Servers of the version before do not write it. This goes with the migration after this version.
CREATE FUNCTION fill_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE TG_TABLE_NAME
        WHEN 'webhook_endpoints' THEN NEW.owner_id := coalesce(NEW.organization_id, NEW.application_id);
        WHEN 'webhook_deliveries' THEN
            SELECT owner_id INTO NEW.owner_id FROM webhook_endpoints WHERE id = NEW.endpoint_id;
        ELSE SELECT owner_id INTO NEW.owner_id FROM webhook_deliveries WHERE id = NEW.delivery_id LIMIT 1;
    END CASE;
    RETURN NEW;
END $$;
CREATE TRIGGER webhook_endpoints_inserted BEFORE INSERT ON webhook_endpoints
    FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION fill_owner();
CREATE TRIGGER webhook_deliveries_inserted BEFORE INSERT ON webhook_deliveries
    FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION fill_owner();
CREATE TRIGGER webhook_attempts_inserted BEFORE INSERT ON webhook_attempts
    FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION fill_owner();
