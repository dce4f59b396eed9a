DROP TABLE dead_callbacks;
ALTER TABLE callbacks DROP COLUMN lookups;
