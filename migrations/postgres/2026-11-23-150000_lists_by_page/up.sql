-- Keys are listed in the order of their ids, which is that of their creation.
CREATE INDEX keys_by_id ON keys (organization_id, id);
DROP INDEX keys_of_organization;
-- The connections that live are listed first, however many have ended.
CREATE INDEX connections_living ON connections (organization_id, connected_at, id) WHERE state = 'connected';
-- The directory is in the order of names.
CREATE INDEX applications_published ON applications (name, id) WHERE published AND deleted_at IS NULL;
