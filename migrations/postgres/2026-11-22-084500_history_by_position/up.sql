-- A conversation is read in the order in which its messages were accepted, which their times need not follow.
CREATE INDEX messages_by_position ON messages (conversation_id, position);
DROP INDEX messages_of_conversation;
