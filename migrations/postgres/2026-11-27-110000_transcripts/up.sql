-- What is still to be done with a file: `file` is its download, `transcript` the transcription of a
-- voice message that is stored already.
ALTER TABLE fetches ADD COLUMN step text NOT NULL DEFAULT 'file';
