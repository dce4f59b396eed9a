-- The words of a conversation's messages, by which the inbox finds it. A worker adds them after a message was accepted.
CREATE TABLE conversation_words (
    organization_id BLOB NOT NULL,
    word TEXT NOT NULL,
    conversation_id BLOB NOT NULL,
    PRIMARY KEY (organization_id, word, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_words_by_conversation ON conversation_words (organization_id, conversation_id);

-- How far the words of an organization's messages are known: the last event that was followed, and of the messages from
-- before, the last one.
CREATE TABLE word_positions (
    organization_id BLOB NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL,
    last_message BLOB,
    has_all INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
