ALTER TABLE turns DROP COLUMN trace;
ALTER TABLE turns DROP COLUMN unpriced_requests;
ALTER TABLE turns DROP COLUMN cost;
ALTER TABLE turns DROP COLUMN output_tokens;
ALTER TABLE turns DROP COLUMN input_tokens;
DROP TABLE agent_costs;
DROP TABLE agent_entries;
