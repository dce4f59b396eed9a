ALTER TABLE conversations
    ADD COLUMN outbox_due_at timestamptz,
    ADD COLUMN outbox_held boolean NOT NULL DEFAULT false,
    ADD COLUMN outbox_claim bigint,
    ADD COLUMN outbox_claimed_by uuid;
CREATE INDEX conversations_by_id ON conversations (id);
CREATE INDEX conversations_due ON conversations (outbox_due_at) WHERE outbox_due_at IS NOT NULL;
CREATE INDEX conversations_held ON conversations (account_id, outbox_due_at) WHERE outbox_held;
CREATE FUNCTION leave_to_outbox_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.outbox_due_at := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER conversations_due BEFORE INSERT OR UPDATE OF outbox_due_at ON conversations
    FOR EACH ROW WHEN (NEW.outbox_due_at IS NOT NULL) EXECUTE FUNCTION leave_to_outbox_conversations();
