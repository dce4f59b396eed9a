-- The times for which a connection is closed, because the end of its key had passed: FROM..UNTIL in microseconds since 1970,
-- divided by spaces. Without UNTIL, the connection ended before another end was set.
ALTER TABLE connections ADD COLUMN closed_periods TEXT;
