-- The index covers the search for due turns: those of an agent that is busy or down are passed over
-- without reading their rows.
DROP INDEX turns_due;
CREATE INDEX turns_due ON turns (due_at, agent_id, organization_id, id) WHERE due_at IS NOT NULL;
