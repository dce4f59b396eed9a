ALTER TABLE organizations DROP COLUMN support_limited;
