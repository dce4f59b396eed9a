DELETE FROM conversation_words WHERE word LIKE 'med~_%' ESCAPE '~';
