-- For lists of failed messages, and of the messages of one reference. Other messages have no row in
-- these indexes, so their sends and reports cost the same.
CREATE INDEX messages_failed ON messages (organization_id, id) WHERE failure IS NOT NULL;
CREATE INDEX messages_by_client_ref ON messages (organization_id, client_ref, id) WHERE client_ref IS NOT NULL;
