DROP TRIGGER media_inserted ON media;
DROP FUNCTION note_media_owner();
DROP TABLE media_owners;
ALTER TABLE media DROP CONSTRAINT media_pkey, ADD PRIMARY KEY (id);
