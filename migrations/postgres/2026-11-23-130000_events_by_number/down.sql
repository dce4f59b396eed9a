ALTER TABLE events ADD UNIQUE (id);
CREATE INDEX events_by_age ON events (at);
