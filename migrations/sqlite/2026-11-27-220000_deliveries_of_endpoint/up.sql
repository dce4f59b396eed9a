-- SQLite finds the newest deliveries of an endpoint by webhook_deliveries_newest, and keeps it. It would take
-- an index that begins with the owner for queries by the id of a delivery, too.
SELECT 1;
