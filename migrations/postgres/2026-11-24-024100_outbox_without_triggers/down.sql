CREATE FUNCTION note_outbox_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    account uuid;
BEGIN
    SELECT organization_id, account_id INTO NEW.organization_id, account
        FROM conversations WHERE id = NEW.conversation_id;
    INSERT INTO outbox_conversations (organization_id, conversation_id, account_id, due_at, held)
        VALUES (NEW.organization_id, NEW.conversation_id, account, NEW.accepted_at, false)
        ON CONFLICT (organization_id, conversation_id) DO UPDATE SET account_id = excluded.account_id;
    INSERT INTO organization_work (organization_id, kind, due_at)
        VALUES (NEW.organization_id, 'messages', NEW.accepted_at)
        ON CONFLICT (organization_id, kind) DO UPDATE SET due_at = excluded.due_at
            WHERE organization_work.due_at IS NULL OR organization_work.due_at > excluded.due_at;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_inserted BEFORE INSERT ON outbox
    FOR EACH ROW WHEN (NEW.organization_id IS NULL) EXECUTE FUNCTION note_outbox_conversation();
CREATE TRIGGER outbox_moved BEFORE UPDATE OF conversation_id ON outbox
    FOR EACH ROW EXECUTE FUNCTION note_outbox_conversation();
