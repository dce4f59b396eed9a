DROP TABLE agent_cost_limits;
