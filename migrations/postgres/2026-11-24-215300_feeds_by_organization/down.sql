ALTER TABLE webhook_feeds ALTER COLUMN id DROP DEFAULT;
DROP SEQUENCE webhook_feeds_id_seq;
ALTER TABLE webhook_feeds ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('webhook_feeds', 'id'), coalesce(max(id), 0) + 1, false) FROM webhook_feeds;
ALTER TABLE webhook_feeds DROP CONSTRAINT webhook_feeds_pkey, ADD PRIMARY KEY (id);
