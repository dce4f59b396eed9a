ALTER TABLE contacts DROP COLUMN preference_at;
ALTER TABLE contacts DROP COLUMN opted_out_at;
-- Nothing stays put off: who is held is found out again.
UPDATE conversations SET outbox_due_at = COALESCE(
    (SELECT accepted_at FROM outbox WHERE conversation_id = conversations.id ORDER BY position LIMIT 1), outbox_due_at)
    WHERE outbox_held AND outbox_claimed_by IS NULL;
DROP INDEX conversations_held;
ALTER TABLE conversations DROP COLUMN outbox_held;
UPDATE accounts SET health = 'restricted', health_reason = restriction, health_message = restriction_message,
    health_since = restricted_at WHERE health = 'ok' AND restriction IS NOT NULL;
ALTER TABLE accounts DROP COLUMN paced_at;
ALTER TABLE accounts DROP COLUMN pace;
ALTER TABLE accounts DROP COLUMN held_by_status;
ALTER TABLE accounts DROP COLUMN restricted_until;
ALTER TABLE accounts DROP COLUMN restricted_at;
ALTER TABLE accounts DROP COLUMN restriction_message;
ALTER TABLE accounts DROP COLUMN restriction;
