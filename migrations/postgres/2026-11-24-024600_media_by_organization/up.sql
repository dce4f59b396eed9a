LOCK TABLE media IN ACCESS EXCLUSIVE MODE;
-- Anyone who knows the id of a file may have it, and the id does not say whose it is.
CREATE TABLE media_owners (
    media_id uuid PRIMARY KEY,
    organization_id uuid NOT NULL
);
INSERT INTO media_owners SELECT id, organization_id FROM media;
ALTER TABLE media DROP CONSTRAINT media_pkey, ADD PRIMARY KEY (id, organization_id);

-- Servers of the version before do not write it. This goes with the migration after this version.
CREATE FUNCTION note_media_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO media_owners VALUES (NEW.id, NEW.organization_id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER media_inserted AFTER INSERT ON media FOR EACH ROW EXECUTE FUNCTION note_media_owner();
