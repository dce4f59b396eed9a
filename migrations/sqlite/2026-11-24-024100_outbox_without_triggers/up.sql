-- There were none here.
SELECT 1;
