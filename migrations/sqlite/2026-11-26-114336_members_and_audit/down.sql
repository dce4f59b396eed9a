DROP TABLE audit_entries;
DROP TABLE first_setup;
DROP TABLE invitations;
DROP INDEX sessions_by_member;
ALTER TABLE sessions DROP COLUMN address;
ALTER TABLE sessions DROP COLUMN user_agent;
ALTER TABLE organizations DROP COLUMN keys_restricted;
ALTER TABLE members DROP COLUMN last_active_at;
ALTER TABLE memberships DROP COLUMN role;
