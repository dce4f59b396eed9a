-- How many days an organization keeps what messages say, and the files that contacts sent. Null is for ever.
CREATE TABLE retention_rules (
    organization_id uuid NOT NULL PRIMARY KEY,
    text_days integer,
    file_days integer,
    -- The last message whose text, and whose file, was erased.
    last_text uuid,
    last_file uuid
);
