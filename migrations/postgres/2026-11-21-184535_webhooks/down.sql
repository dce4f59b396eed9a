DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhook_feeds;
DROP TABLE webhook_endpoints;
