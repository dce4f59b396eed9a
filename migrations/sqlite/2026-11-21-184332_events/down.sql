ALTER TABLE usage DROP COLUMN told;
ALTER TABLE conversations DROP COLUMN agent_paused_by;
DROP TABLE event_counters;
DROP TABLE events;
