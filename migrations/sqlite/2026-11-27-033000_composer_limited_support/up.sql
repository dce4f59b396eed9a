-- Whether members with the role support see only conversations that are their own or unassigned.
ALTER TABLE organizations ADD COLUMN support_limited INTEGER NOT NULL DEFAULT 0;
