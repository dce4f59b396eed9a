ALTER TABLE connections DROP COLUMN closed_periods;
