-- A person is known by a phone number, by the channel's user id, or by both; each leads to one contact of a number of
-- the business. Keys begin with the organization, as the engine wants it that spreads tenants over nodes.
ALTER TABLE contacts
    ALTER COLUMN phone_number DROP NOT NULL,
    ADD COLUMN channel_user_id text,
    ADD COLUMN channel_parent_user_id text,
    ADD COLUMN username text,
    ADD COLUMN name text,
    -- When the number and the user id were last found to be these; null where that is when the contact was created.
    ADD COLUMN identified_at timestamptz,
    DROP CONSTRAINT contacts_pkey,
    ADD PRIMARY KEY (organization_id, id);
CREATE UNIQUE INDEX contacts_by_phone_number ON contacts (organization_id, phone_number, account_id)
    WHERE phone_number IS NOT NULL;
CREATE UNIQUE INDEX contacts_by_user_id ON contacts (organization_id, channel_user_id, account_id)
    WHERE channel_user_id IS NOT NULL;

-- `phone_number` is where the messages of a conversation go: the contact's number if it has one, else its user id. It
-- keeps its name for servers of the version before, which write it. Null where the contact has neither any more, or is
-- merged into another: then `merged_into` is the conversation that answers for this one.
ALTER TABLE conversations
    ALTER COLUMN phone_number DROP NOT NULL,
    ADD COLUMN merged_into uuid,
    -- Whether others were merged into it: only then its claims have to look at theirs.
    ADD COLUMN has_merged boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT conversations_contact_id_key,
    DROP CONSTRAINT conversations_pkey,
    ADD PRIMARY KEY (organization_id, id),
    ADD UNIQUE (organization_id, contact_id);
-- For the workers, which claim conversations of every organization.
CREATE INDEX conversations_by_id ON conversations (id);
CREATE INDEX conversations_merged ON conversations (organization_id, merged_into) WHERE merged_into IS NOT NULL;
