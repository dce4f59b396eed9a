DROP INDEX audit_entries_by_object;
