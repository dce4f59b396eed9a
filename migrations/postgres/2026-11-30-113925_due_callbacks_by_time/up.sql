-- Without the id, the index of due times cannot be used to find a callback by its id. While PostgreSQL believes that the
-- queue is empty, it estimates the same cost for both indexes, and may keep a plan that reads the whole index of due times.
DROP INDEX callbacks_due;
CREATE INDEX callbacks_due ON callbacks (due_at);
