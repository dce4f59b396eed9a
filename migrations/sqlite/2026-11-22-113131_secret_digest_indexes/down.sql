DROP INDEX applications_by_secret;
DROP INDEX keys_by_secret;
