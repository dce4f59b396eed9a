ALTER TABLE messages RESET (fillfactor);
ALTER TABLE conversations RESET (fillfactor);
