ALTER TABLE accounts DROP COLUMN last_callback_at;
