-- Members who may no longer use the inbox and are still assignees of conversations. A worker unassigns these
-- conversations, some at a time. A row is deleted when its work is done.
CREATE TABLE former_assignees (
    organization_id uuid NOT NULL,
    member_id uuid NOT NULL,
    PRIMARY KEY (organization_id, member_id)
);

-- Members kept their conversations when they were removed, or got a role without the inbox.
INSERT INTO former_assignees (organization_id, member_id)
SELECT DISTINCT organization_id, assignee_id
FROM inbox_entries
WHERE assignee_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM memberships
    WHERE memberships.organization_id = inbox_entries.organization_id
        AND memberships.member_id = inbox_entries.assignee_id
        AND memberships.role IN ('owner', 'support')
);
