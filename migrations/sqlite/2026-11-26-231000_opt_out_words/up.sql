-- The organization's words for opting out, as a JSON list; NULL for the default ones.
ALTER TABLE organizations ADD COLUMN opt_out_words TEXT;
