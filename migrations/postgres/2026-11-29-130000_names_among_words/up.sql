-- The names and numbers of contacts are among the words of their conversations. This is how far the contacts that exist
-- have been added: the last one, and whether all are.
ALTER TABLE word_positions ADD COLUMN last_contact uuid;
ALTER TABLE word_positions ADD COLUMN has_contacts boolean NOT NULL DEFAULT false;
