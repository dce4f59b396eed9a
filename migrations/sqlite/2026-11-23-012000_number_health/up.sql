-- What the channel limits, and until when, apart from whether it refuses the number: `health` is 'ok' or 'held' from now on.
ALTER TABLE accounts ADD COLUMN restriction TEXT;
ALTER TABLE accounts ADD COLUMN restriction_message TEXT;
ALTER TABLE accounts ADD COLUMN restricted_at INTEGER;
ALTER TABLE accounts ADD COLUMN restricted_until INTEGER;
-- Whether it is held because a message failed that the channel had taken: then that the channel takes one proves nothing.
ALTER TABLE accounts ADD COLUMN held_by_status INTEGER NOT NULL DEFAULT 0;
-- How fast it sent when the channel last slowed it down, in thousandths of a message per second, and when that was.
ALTER TABLE accounts ADD COLUMN pace INTEGER;
ALTER TABLE accounts ADD COLUMN paced_at INTEGER;
UPDATE accounts SET restriction = health_reason, restriction_message = health_message, restricted_at = health_since,
    health = 'ok', health_reason = NULL, health_message = NULL WHERE health = 'restricted';
-- Whether its messages wait because the number is held. Nothing else puts messages off for more than an hour.
ALTER TABLE conversations ADD COLUMN outbox_held INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET outbox_held = 1 WHERE outbox_due_at IS NOT NULL AND merged_into IS NULL AND (
    outbox_due_at > (unixepoch() + 3600) * 1000000 OR account_id IN (SELECT id FROM accounts WHERE health = 'held'));
CREATE INDEX conversations_held ON conversations (account_id, outbox_due_at) WHERE outbox_held;
-- Since when the person wants no marketing, and when the channel last reported what they want.
ALTER TABLE contacts ADD COLUMN opted_out_at INTEGER;
ALTER TABLE contacts ADD COLUMN preference_at INTEGER;
