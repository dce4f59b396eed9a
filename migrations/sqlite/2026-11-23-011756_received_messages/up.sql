-- What a message comes from, or with which it came: an ad, a product, a forward.
ALTER TABLE messages ADD COLUMN context TEXT;
-- When whoever wrote a message changed or deleted it, and each of its versions.
ALTER TABLE messages ADD COLUMN changes TEXT;
