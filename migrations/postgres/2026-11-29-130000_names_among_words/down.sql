ALTER TABLE word_positions DROP COLUMN named_sequence;
ALTER TABLE word_positions DROP COLUMN has_contacts;
ALTER TABLE word_positions DROP COLUMN last_contact;
DELETE FROM conversation_words WHERE word >= '@' AND word < 'A';
