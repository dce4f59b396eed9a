DROP INDEX messages_failed;
DROP INDEX messages_by_client_ref;
