ALTER TABLE messages DROP COLUMN changes;
ALTER TABLE messages DROP COLUMN context;
