DELETE FROM fetches WHERE step <> 'file';
ALTER TABLE fetches DROP COLUMN step;
