-- What is due is found in two steps: first the organizations that have something due, each claimed by one server as a
-- whole, then the conversations of one of them. Every key begins with the organization. Claims and due times are out of
-- `conversations`, whose updates touch no index any more.
-- Servers that run lock conversations before the outbox: in this order nobody waits for each other.
LOCK TABLE conversations IN EXCLUSIVE MODE;
LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;

CREATE TABLE organization_work (
    organization_id uuid NOT NULL,
    -- Of which kind: 'messages'.
    kind text NOT NULL,
    -- When the first of it is due; null while nothing waits. Whoever has claimed it knows better.
    due_at timestamptz,
    -- The server that works on it, and the number of the claim, counted by that server; null while nobody does.
    claimed_by uuid,
    claim bigint,
    PRIMARY KEY (organization_id, kind)
) WITH (fillfactor = 50);
CREATE INDEX organization_work_due ON organization_work (kind, due_at) WHERE claimed_by IS NULL;
CREATE INDEX organization_work_claimed ON organization_work (claimed_by) WHERE claimed_by IS NOT NULL;

-- The conversations in which messages wait for the channel: one row exactly as long as there are any in `outbox`.
CREATE TABLE outbox_conversations (
    organization_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    account_id uuid NOT NULL,
    -- When the first of them is to go out.
    due_at timestamptz NOT NULL,
    -- Whether they wait because the number is held.
    held boolean NOT NULL,
    PRIMARY KEY (organization_id, conversation_id)
) WITH (fillfactor = 70);
CREATE INDEX outbox_conversations_due ON outbox_conversations (organization_id, due_at);
CREATE INDEX outbox_conversations_held ON outbox_conversations (organization_id, account_id, due_at) WHERE held;

ALTER TABLE outbox ADD COLUMN organization_id uuid;
UPDATE outbox SET organization_id = conversations.organization_id FROM conversations
    WHERE conversations.id = outbox.conversation_id;
ALTER TABLE outbox DROP CONSTRAINT outbox_pkey;
ALTER TABLE outbox ADD PRIMARY KEY (organization_id, conversation_id, position);

-- What a server of the version before is handing over just now is left to it for a while.
INSERT INTO outbox_conversations (organization_id, conversation_id, account_id, due_at, held)
    SELECT organization_id, id, account_id,
        CASE WHEN outbox_claimed_by IS NULL THEN coalesce(outbox_due_at, now())
            ELSE greatest(outbox_due_at, now() + interval '15 seconds') END,
        outbox_held
    FROM conversations
    WHERE EXISTS (SELECT FROM outbox WHERE outbox.organization_id = conversations.organization_id
        AND outbox.conversation_id = conversations.id);
INSERT INTO organization_work (organization_id, kind, due_at)
    SELECT organization_id, 'messages', min(due_at) FROM outbox_conversations GROUP BY organization_id;

-- Servers of the version before go on accepting messages until they are replaced, and know nothing of these tables: what
-- they accept is handed over by servers of this version only. The columns and indexes of `conversations` that they read,
-- and these triggers, go with the migration after this version.
UPDATE conversations SET outbox_due_at = NULL, outbox_held = false WHERE outbox_due_at IS NOT NULL;
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
CREATE FUNCTION leave_to_outbox_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.outbox_due_at := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER conversations_due BEFORE INSERT OR UPDATE OF outbox_due_at ON conversations
    FOR EACH ROW WHEN (NEW.outbox_due_at IS NOT NULL) EXECUTE FUNCTION leave_to_outbox_conversations();
