-- What the channel limits, and until when, apart from whether it refuses the number: `health` is 'ok' or 'held' from now on.
ALTER TABLE accounts ADD COLUMN restriction text;
ALTER TABLE accounts ADD COLUMN restriction_message text;
ALTER TABLE accounts ADD COLUMN restricted_at timestamptz;
ALTER TABLE accounts ADD COLUMN restricted_until timestamptz;
-- Whether it is held because a message failed that the channel had taken: then that the channel takes one proves nothing.
ALTER TABLE accounts ADD COLUMN held_by_status boolean NOT NULL DEFAULT false;
-- How fast it sent when the channel last slowed it down, in thousandths of a message per second, and when that was.
ALTER TABLE accounts ADD COLUMN pace integer;
ALTER TABLE accounts ADD COLUMN paced_at timestamptz;
UPDATE accounts SET restriction = health_reason, restriction_message = health_message, restricted_at = health_since,
    health = 'ok', health_reason = NULL, health_message = NULL WHERE health = 'restricted';
-- Whether its messages wait because the number is held. Nothing else puts messages off for more than an hour.
ALTER TABLE conversations ADD COLUMN outbox_held boolean NOT NULL DEFAULT false;
UPDATE conversations SET outbox_held = true WHERE outbox_due_at IS NOT NULL AND merged_into IS NULL AND (
    outbox_due_at > now() + interval '1 hour' OR account_id IN (SELECT id FROM accounts WHERE health = 'held'));
CREATE INDEX conversations_held ON conversations (account_id, outbox_due_at) WHERE outbox_held;
-- Since when the person wants no marketing, and when the channel last reported what they want.
ALTER TABLE contacts ADD COLUMN opted_out_at timestamptz;
ALTER TABLE contacts ADD COLUMN preference_at timestamptz;
