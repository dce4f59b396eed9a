DROP INDEX inbox_entries_window_closing;
ALTER TABLE inbox_entries DROP COLUMN window_closing_at;
