-- Nothing is left of them here.
SELECT 1;
