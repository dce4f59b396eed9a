-- What is old enough to be forgotten is found by its time, and what is over without the rest.
CREATE INDEX verdicts_by_age ON verdicts (received_at);
CREATE INDEX connections_by_end ON connections (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX connections_of_application ON connections (application_id);
CREATE INDEX applications_by_deletion ON applications (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_feeds_ended ON webhook_feeds (organization_id, ends_with) WHERE ends_with IS NOT NULL;
