DROP INDEX applications_published;
DROP INDEX connections_living;
CREATE INDEX keys_of_organization ON keys (organization_id);
DROP INDEX keys_by_id;
