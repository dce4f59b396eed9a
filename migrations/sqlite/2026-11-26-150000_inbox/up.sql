-- The inbox: one row for each conversation, with what members and programs decide about it. A worker keeps it up to date
-- from the events, so that accepting a message does not write here. Lists of conversations are read from these indexes.
CREATE TABLE inbox_entries (
    organization_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    account_id BLOB NOT NULL,
    last_message_at INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'open',
    -- When somebody last set the status. A message that the contact writes later opens the conversation.
    status_set_at INTEGER,
    snoozed_until INTEGER,
    assignee_id BLOB,
    labels TEXT NOT NULL DEFAULT '[]',
    needs_person_since INTEGER,
    -- Number of messages from the contact, and how many of them there were when somebody last answered.
    inbound_count INTEGER NOT NULL DEFAULT 0,
    answered_count INTEGER NOT NULL DEFAULT 0,
    -- Why, by whom and until when the agent is paused, if it was not paused by a message.
    agent_pause_cause TEXT,
    agent_pause_reason TEXT,
    agent_paused_by BLOB,
    agent_paused_at INTEGER,
    agent_paused_until INTEGER,
    PRIMARY KEY (organization_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_entries_by_activity ON inbox_entries (organization_id, last_message_at, conversation_id);
CREATE INDEX inbox_entries_by_status ON inbox_entries (organization_id, status, last_message_at, conversation_id);
CREATE INDEX inbox_entries_by_assignee ON inbox_entries (organization_id, assignee_id, last_message_at, conversation_id)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX inbox_entries_needing_person ON inbox_entries (organization_id, last_message_at, conversation_id)
    WHERE needs_person_since IS NOT NULL;
CREATE INDEX inbox_entries_snoozed ON inbox_entries (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX inbox_entries_paused_until ON inbox_entries (agent_paused_until) WHERE agent_paused_until IS NOT NULL;

-- The sequence of the last event that the inbox of an organization reflects.
CREATE TABLE inbox_positions (
    organization_id BLOB NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO inbox_positions (organization_id, sequence) SELECT organization_id, last FROM event_counters;
INSERT INTO inbox_entries (organization_id, conversation_id, account_id, last_message_at)
    SELECT organization_id, id, account_id, last_message_at FROM conversations WHERE merged_into IS NULL;

-- What members and programs write to each other about a conversation. Notes are never sent.
CREATE TABLE notes (
    organization_id BLOB NOT NULL,
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    text TEXT NOT NULL,
    -- The author: a member, or a key, of which the client id and the name are kept.
    member_id BLOB,
    client_id TEXT,
    author_name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_of_conversation ON notes (organization_id, conversation_id, id);

-- What a conversation is to one member: what they read, what they are writing, whether they look at it now.
CREATE TABLE inbox_member_states (
    organization_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    member_id BLOB NOT NULL,
    -- Number of messages from the contact that the member has read.
    read_count INTEGER NOT NULL DEFAULT 0,
    marked_unread INTEGER NOT NULL DEFAULT 0,
    draft TEXT,
    -- When the member last looked at the conversation, and last typed into the composer.
    viewed_at INTEGER,
    typed_at INTEGER,
    PRIMARY KEY (organization_id, conversation_id, member_id)
) STRICT, WITHOUT ROWID;
