-- For pages that say who did something to an object.
CREATE INDEX audit_entries_by_object ON audit_entries (organization_id, object_id, at) WHERE object_id IS NOT NULL;
