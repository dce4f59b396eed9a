-- One row, which is written to find out whether the database takes writes.
CREATE TABLE write_checks (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;
