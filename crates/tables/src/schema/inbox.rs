//! Tables of the inbox.

diesel::table! {
    use crate::types::{Doc, Label, Uid, Utc};
    use diesel::sql_types::{BigInt, Nullable, Text};
    inbox_entries (organization_id, conversation_id) {
        organization_id -> Uid,
        conversation_id -> Uid,
        account_id -> Uid,
        last_message_at -> Utc,
        status -> Label,
        status_set_at -> Nullable<Utc>,
        snoozed_until -> Nullable<Utc>,
        assignee_id -> Nullable<Uid>,
        labels -> Doc,
        needs_person_since -> Nullable<Utc>,
        inbound_count -> BigInt,
        answered_count -> BigInt,
        agent_pause_cause -> Nullable<Label>,
        agent_pause_reason -> Nullable<Text>,
        agent_paused_by -> Nullable<Uid>,
        agent_paused_at -> Nullable<Utc>,
        agent_paused_until -> Nullable<Utc>,
        window_closing_at -> Nullable<Utc>,
        channel_agent_at -> Nullable<Utc>,
        channel_control_at -> Nullable<Utc>,
        agent_context_from -> Nullable<BigInt>,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::Text;
    /// The words of a conversation's messages.
    conversation_words (organization_id, word, conversation_id) {
        organization_id -> Uid,
        word -> Text,
        conversation_id -> Uid,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::{BigInt, Bool, Nullable};
    word_positions (organization_id) {
        organization_id -> Uid,
        sequence -> BigInt,
        last_message -> Nullable<Uid>,
        has_all -> Bool,
        last_contact -> Nullable<Uid>,
        has_contacts -> Bool,
        named_sequence -> BigInt,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::BigInt;
    inbox_positions (organization_id) {
        organization_id -> Uid,
        sequence -> BigInt,
    }
}
diesel::table! {
    use crate::types::Uid;
    /// Members who may no longer use the inbox, and whose conversations a worker unassigns.
    former_assignees (organization_id, member_id) {
        organization_id -> Uid,
        member_id -> Uid,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::Bool;
    inbox_member_settings (organization_id, member_id) {
        organization_id -> Uid,
        member_id -> Uid,
        reads_when_opened -> Bool,
    }
}
diesel::table! {
    use crate::types::{Uid, Utc};
    use diesel::sql_types::Text;
    saved_replies (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        name -> Text,
        text -> Text,
        created_at -> Utc,
        updated_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Uid, Utc};
    use diesel::sql_types::{Nullable, Text};
    notes (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        conversation_id -> Uid,
        text -> Text,
        member_id -> Nullable<Uid>,
        client_id -> Nullable<Text>,
        author_name -> Text,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Uid, Utc};
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    inbox_member_states (organization_id, conversation_id, member_id) {
        organization_id -> Uid,
        conversation_id -> Uid,
        member_id -> Uid,
        read_count -> BigInt,
        marked_unread -> Bool,
        draft -> Nullable<Text>,
        viewed_at -> Nullable<Utc>,
        typed_at -> Nullable<Utc>,
    }
}
