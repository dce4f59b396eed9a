-- Servers of the version before write the organization themselves.
LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER outbox_inserted ON outbox;
DROP TRIGGER outbox_moved ON outbox;
DROP FUNCTION note_outbox_conversation();
