ALTER TABLE fetches DROP COLUMN claimed_by;
ALTER TABLE templates DROP COLUMN submission_claimed_by;
ALTER TABLE callbacks DROP COLUMN claimed_by;
