-- The names and numbers of contacts are among the words of their conversations. This is how far the contacts that exist
-- have been added: the last one, and whether all are; and the last event whose contact was added. An older server follows
-- the events without adding names, so that this is another event than that of the messages.
ALTER TABLE word_positions ADD COLUMN last_contact uuid;
ALTER TABLE word_positions ADD COLUMN has_contacts boolean NOT NULL DEFAULT false;
ALTER TABLE word_positions ADD COLUMN named_sequence bigint NOT NULL DEFAULT 0;
UPDATE word_positions SET named_sequence = sequence;
