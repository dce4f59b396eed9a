-- The messages of an organization in the order of their ids. The condition is true for every message:
-- only a query that states it takes the index. An operator may have built it before, beside writes.
CREATE INDEX IF NOT EXISTS messages_of_organization ON messages (organization_id, id) WHERE position > 0;
