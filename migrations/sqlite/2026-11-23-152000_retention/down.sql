DROP INDEX webhook_feeds_ended;
DROP INDEX applications_by_deletion;
DROP INDEX connections_of_application;
DROP INDEX connections_by_end;
DROP INDEX verdicts_by_age;
