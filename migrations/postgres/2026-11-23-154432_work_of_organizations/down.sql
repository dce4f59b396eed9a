DROP TRIGGER conversations_due ON conversations;
DROP FUNCTION leave_to_outbox_conversations();
DROP TRIGGER outbox_moved ON outbox;
DROP TRIGGER outbox_inserted ON outbox;
DROP FUNCTION note_outbox_conversation();
UPDATE conversations SET outbox_due_at = waiting.due_at, outbox_held = waiting.held,
    outbox_claimed_by = NULL, outbox_claim = NULL
    FROM outbox_conversations AS waiting
    WHERE conversations.organization_id = waiting.organization_id AND conversations.id = waiting.conversation_id;
ALTER TABLE outbox DROP CONSTRAINT outbox_pkey;
ALTER TABLE outbox DROP COLUMN organization_id;
ALTER TABLE outbox ADD PRIMARY KEY (conversation_id, position);
DROP TABLE outbox_conversations;
DROP TABLE organization_work;
