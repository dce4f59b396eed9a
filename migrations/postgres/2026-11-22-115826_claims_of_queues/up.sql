-- The server that works on a callback, a template that is handed in, or a file that is fetched; null while it waits.
-- Should that server die, the others need not wait until its claim ends.
ALTER TABLE callbacks ADD COLUMN claimed_by uuid;
ALTER TABLE templates ADD COLUMN submission_claimed_by uuid;
ALTER TABLE fetches ADD COLUMN claimed_by uuid;
