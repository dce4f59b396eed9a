DROP TABLE turns;
DROP TABLE agent_accounts;
DROP TABLE agents;
