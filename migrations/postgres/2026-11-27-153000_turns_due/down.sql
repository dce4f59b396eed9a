DROP INDEX turns_due;
CREATE INDEX turns_due ON turns (due_at) WHERE due_at IS NOT NULL;
