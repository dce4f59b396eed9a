-- The events that somebody asked to get again, by resending a delivery or replaying a period. A running
-- `switchboard listen` follows them.
CREATE TABLE event_resends (
    organization_id uuid NOT NULL,
    number bigint NOT NULL,
    first_sequence bigint NOT NULL,
    last_sequence bigint NOT NULL,
    PRIMARY KEY (organization_id, number)
);
