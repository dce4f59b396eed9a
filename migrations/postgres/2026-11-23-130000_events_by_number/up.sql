-- An event is found by its organization and its number, and its age follows from that: two indexes fewer to write with
-- each event.
ALTER TABLE events DROP CONSTRAINT events_id_key;
DROP INDEX events_by_age;
