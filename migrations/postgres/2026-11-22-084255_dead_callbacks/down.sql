DROP TABLE dead_callbacks;
ALTER TABLE callbacks ALTER COLUMN payload TYPE json USING payload::json;
ALTER TABLE callbacks DROP COLUMN lookups;
