-- For PostgreSQL only: SQLite writes a changed row where it stands.
SELECT 1;
