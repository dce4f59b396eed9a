-- The events that somebody asked to get again, by resending a delivery or replaying a period. A running
-- `switchboard listen` follows them.
CREATE TABLE event_resends (
    organization_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    PRIMARY KEY (organization_id, number)
) STRICT, WITHOUT ROWID;
