-- The messages of an organization in the order of their ids. The condition is true for every message:
-- only a query that states it takes the index.
CREATE INDEX messages_of_organization ON messages (organization_id, id) WHERE position > 0;
