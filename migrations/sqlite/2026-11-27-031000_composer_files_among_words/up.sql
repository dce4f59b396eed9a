-- The words of conversations contain the ids of the files that messages name. The messages are read again.
UPDATE word_positions SET has_all = FALSE, last_message = NULL;
