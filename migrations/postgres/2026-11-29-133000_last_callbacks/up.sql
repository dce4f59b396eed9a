-- When the channel last reported something about an account. It is written at most once in ten minutes.
ALTER TABLE accounts ADD COLUMN last_callback_at timestamptz;
