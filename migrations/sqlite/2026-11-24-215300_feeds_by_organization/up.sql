-- One file is never distributed: the key stays as it is.
SELECT 1;
