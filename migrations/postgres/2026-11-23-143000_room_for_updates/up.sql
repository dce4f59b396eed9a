-- A message changes three times in its first seconds, a conversation with each message. With room left in the page the
-- new version stands beside the old one, and no index is written; the space of the old one is used again.
ALTER TABLE messages SET (fillfactor = 70);
ALTER TABLE conversations SET (fillfactor = 70);
