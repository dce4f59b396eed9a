DROP TABLE word_positions;
DROP TABLE conversation_words;
