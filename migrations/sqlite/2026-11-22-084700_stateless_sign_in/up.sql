-- Keys that all servers of this database share.
CREATE TABLE server_keys (
    name TEXT PRIMARY KEY,
    key BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Of the cookie that the browser had before the member signed in.
ALTER TABLE sessions ADD COLUMN anonymous_digest BLOB;

-- Who has not signed in has no session any more, and what is faulty is not kept: `wrong` is always null.
DELETE FROM sessions WHERE member_id IS NULL;
DELETE FROM consents WHERE wrong IS NOT NULL;
