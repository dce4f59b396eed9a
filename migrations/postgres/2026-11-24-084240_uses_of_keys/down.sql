DROP TABLE key_uses;
