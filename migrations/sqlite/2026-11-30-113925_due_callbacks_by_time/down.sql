-- SQLite has no statistics, and finds a callback by its primary key.
SELECT 1;
