-- The most that the agents of an organization together may cost in a calendar month.
CREATE TABLE agent_cost_limits (
    organization_id BLOB NOT NULL PRIMARY KEY,
    -- In millionths of a US dollar.
    cost_per_month INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Each agent had a limit of its own, although the cost of all of them was counted. The lowest one
-- stopped its agent first.
INSERT INTO agent_cost_limits (organization_id, cost_per_month)
SELECT organization_id, min(json_extract(settings, '$.cost_per_month'))
FROM agents
WHERE json_extract(settings, '$.cost_per_month') IS NOT NULL
GROUP BY organization_id;
