CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at, position);
DROP INDEX messages_by_position;
