-- Servers of the version before read what is due from `organization_work` and `outbox_conversations` and write nothing of it
-- into `conversations`: what was kept for those before them goes.
DROP TRIGGER conversations_due ON conversations;
DROP FUNCTION leave_to_outbox_conversations();
DROP INDEX conversations_due, conversations_held, conversations_by_id;
ALTER TABLE conversations
    DROP COLUMN outbox_due_at,
    DROP COLUMN outbox_held,
    DROP COLUMN outbox_claim,
    DROP COLUMN outbox_claimed_by,
    DROP COLUMN IF EXISTS outbox_claimed_until;
