-- Feeds are where the events are that they are about. Their numbers come from a sequence: an engine that distributes tenants
-- takes no identity column.
LOCK TABLE webhook_feeds IN ACCESS EXCLUSIVE MODE;
ALTER TABLE webhook_feeds DROP CONSTRAINT webhook_feeds_pkey, ADD PRIMARY KEY (id, organization_id);
ALTER TABLE webhook_feeds ALTER COLUMN id DROP IDENTITY;
CREATE SEQUENCE webhook_feeds_id_seq OWNED BY webhook_feeds.id;
SELECT setval('webhook_feeds_id_seq', coalesce(max(id), 0) + 1, false) FROM webhook_feeds;
ALTER TABLE webhook_feeds ALTER COLUMN id SET DEFAULT nextval('webhook_feeds_id_seq');
