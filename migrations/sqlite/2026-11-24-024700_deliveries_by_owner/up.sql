-- What an endpoint is sent belongs to its owner, an organization or an application, also where the events are another
-- organization's. Keys stay as they are here: one file is never distributed.
-- An endpoint that was deleted has no owner any more; what it was sent is removed by and by.
ALTER TABLE webhook_endpoints ADD COLUMN owner_id BLOB NOT NULL DEFAULT x'';
UPDATE webhook_endpoints SET owner_id = coalesce(organization_id, application_id, id);
ALTER TABLE webhook_deliveries ADD COLUMN owner_id BLOB NOT NULL DEFAULT x'';
UPDATE webhook_deliveries SET owner_id =
    (SELECT owner_id FROM webhook_endpoints WHERE webhook_endpoints.id = webhook_deliveries.endpoint_id);
ALTER TABLE webhook_attempts ADD COLUMN owner_id BLOB NOT NULL DEFAULT x'';
UPDATE webhook_attempts SET owner_id =
    (SELECT owner_id FROM webhook_deliveries WHERE webhook_deliveries.id = webhook_attempts.delivery_id);
