-- The most that the agents of an organization together may cost in a calendar month.
CREATE TABLE agent_cost_limits (
    organization_id uuid NOT NULL PRIMARY KEY,
    -- In millionths of a US dollar.
    cost_per_month bigint NOT NULL
);

-- Each agent had a limit of its own, although the cost of all of them was counted. No agent that may
-- answer stops earlier than before: the highest limit is kept, and none where an agent had none.
INSERT INTO agent_cost_limits (organization_id, cost_per_month)
SELECT organization_id, max((settings ->> 'cost_per_month')::bigint)
FROM agents
WHERE kind = 'model' AND mode <> 'off'
GROUP BY organization_id
HAVING count(*) = count(settings ->> 'cost_per_month');
