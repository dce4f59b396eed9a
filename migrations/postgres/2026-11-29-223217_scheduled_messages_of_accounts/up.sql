-- A list of the scheduled messages of one number reads only these.
CREATE INDEX scheduled_messages_of_account ON scheduled_messages (organization_id, account_id, send_at, id) WHERE state = 'scheduled';
