-- When to report that the customer service window is about to close, if the contact wrote last.
ALTER TABLE inbox_entries ADD COLUMN window_closing_at INTEGER;
CREATE INDEX inbox_entries_window_closing ON inbox_entries (window_closing_at) WHERE window_closing_at IS NOT NULL;
