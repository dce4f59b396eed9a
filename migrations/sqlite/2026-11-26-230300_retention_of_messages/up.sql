-- How many days an organization keeps what messages say, and the files that contacts sent. Null is for ever.
CREATE TABLE retention_rules (
    organization_id BLOB NOT NULL PRIMARY KEY,
    text_days INTEGER,
    file_days INTEGER,
    -- The last message whose text, and whose file, was erased.
    last_text BLOB,
    last_file BLOB
) STRICT, WITHOUT ROWID;
