-- While the log of an application is being created: the last organization for whose connection it has a feed. Null once it
-- has a feed for every connection.
ALTER TABLE webhook_endpoints ADD COLUMN begun_to BLOB;
