-- Anyone who knows the id of a file may have it, and the id does not say whose it is.
CREATE TABLE media_owners (
    media_id BLOB NOT NULL PRIMARY KEY,
    organization_id BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO media_owners SELECT id, organization_id FROM media;
