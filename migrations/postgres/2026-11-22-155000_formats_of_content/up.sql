-- The format in which a message's content was written: all that there are were written in the first one.
ALTER TABLE messages ADD COLUMN content_format INTEGER NOT NULL DEFAULT 1;
