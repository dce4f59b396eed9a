-- Merged contacts stay merged; who has no number gets one that nobody can have.
UPDATE contacts SET phone_number = '+999' || lpad(trunc(random() * 1e12)::text, 12, '0') WHERE phone_number IS NULL;
UPDATE conversations SET phone_number = contacts.phone_number FROM contacts
    WHERE contacts.id = conversations.contact_id
    AND (conversations.phone_number IS NULL OR conversations.phone_number NOT LIKE '+%');
DROP INDEX conversations_merged;
DROP INDEX conversations_by_id;
ALTER TABLE conversations
    DROP CONSTRAINT conversations_organization_id_contact_id_key,
    DROP CONSTRAINT conversations_pkey,
    DROP COLUMN has_merged,
    DROP COLUMN merged_into,
    ALTER COLUMN phone_number SET NOT NULL,
    ADD PRIMARY KEY (id),
    ADD UNIQUE (contact_id);
DROP INDEX contacts_by_user_id;
DROP INDEX contacts_by_phone_number;
ALTER TABLE contacts
    DROP CONSTRAINT contacts_pkey,
    DROP COLUMN identified_at,
    DROP COLUMN name,
    DROP COLUMN username,
    DROP COLUMN channel_parent_user_id,
    DROP COLUMN channel_user_id,
    ALTER COLUMN phone_number SET NOT NULL,
    ADD PRIMARY KEY (id);
