ALTER TABLE organizations DROP COLUMN opt_out_words;
