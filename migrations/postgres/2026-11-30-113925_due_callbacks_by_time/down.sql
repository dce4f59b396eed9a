DROP INDEX callbacks_due;
CREATE INDEX callbacks_due ON callbacks (due_at, id);
