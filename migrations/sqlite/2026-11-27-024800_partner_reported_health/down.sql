ALTER TABLE endpoint_work DROP COLUMN reported;
