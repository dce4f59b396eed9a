-- The numbers by which the channel has named a contact, where it is also known by another: the channel writes some numbers in
-- another form than people do. A row with the contact's own number says that this is the form that the channel uses.
CREATE TABLE contact_numbers (
    organization_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    phone_number TEXT NOT NULL,
    contact_id BLOB NOT NULL,
    PRIMARY KEY (organization_id, phone_number, account_id)
) STRICT;
CREATE INDEX contact_numbers_of_contact ON contact_numbers (organization_id, contact_id);

-- The user id that linked businesses share leads to a contact too.
CREATE INDEX contacts_by_parent_user_id ON contacts (organization_id, channel_parent_user_id, account_id)
    WHERE channel_parent_user_id IS NOT NULL;
-- For lists of the contacts of one number, and of those who want no marketing.
CREATE INDEX contacts_of_account ON contacts (organization_id, account_id, id);
CREATE INDEX contacts_opted_out ON contacts (organization_id, id) WHERE opted_out_at IS NOT NULL;

-- The person that a message or a conversation is with, as they were known when it happened.
ALTER TABLE events ADD COLUMN contact TEXT;
