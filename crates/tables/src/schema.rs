//! The tables, declared once for both databases. `Uid`, `Utc`, `Doc` and `Label` are SQL types of
//! this crate (see [`crate::types`]).

mod ai_agents;
mod connect;
pub mod forms;
mod inbox;
mod membership;
mod received;
pub mod webhooks;

pub use ai_agents::{agent_accounts, agent_cost_limits, agent_costs, agent_entries, agents, turns};
pub use connect::{
    applications, codes, connections, consents, handshakes, password_resets, sessions,
};
pub use inbox::{
    conversation_words, former_assignees, inbox_entries, inbox_member_settings,
    inbox_member_states, inbox_positions, notes, saved_replies, word_positions,
};
pub use membership::{audit_entries, first_setup, invitations};
pub use received::{callbacks, dead_callbacks};

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    plans (id) {
        id -> Uid,
        name -> Text,
        api_access -> Bool,
        api_calls_per_day -> Nullable<Count>,
        messages_per_month -> Nullable<Count>,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    organizations (id) {
        id -> Uid,
        name -> Text,
        subscription_status -> Label,
        plan_id -> Nullable<Uid>,
        default_account_id -> Nullable<Uid>,
        created_at -> Utc,
        keys_restricted -> Bool,
        support_limited -> Bool,
        opt_out_words -> Nullable<Text>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    members (id) {
        id -> Uid,
        email -> Text,
        name -> Text,
        password_hash -> Text,
        created_at -> Utc,
        last_active_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    memberships (member_id, organization_id) {
        member_id -> Uid,
        organization_id -> Uid,
        created_at -> Utc,
        role -> Label,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    accounts (id) {
        id -> Uid,
        organization_id -> Uid,
        phone_number -> Text,
        display_name -> Text,
        channel -> Label,
        connected_at -> Utc,
        phone_number_id -> Nullable<Text>,
        waba_id -> Nullable<Text>,
        access_token -> Nullable<Binary>,
        health -> Label,
        health_reason -> Nullable<Label>,
        health_message -> Nullable<Text>,
        health_since -> Nullable<Utc>,
        quality -> Nullable<Label>,
        messaging_limit -> Nullable<Text>,
        probe_due_at -> Nullable<Utc>,
        probe_conversation -> Nullable<Uid>,
        restriction -> Nullable<Label>,
        restriction_message -> Nullable<Text>,
        restricted_at -> Nullable<Utc>,
        restricted_until -> Nullable<Utc>,
        held_by_status -> Bool,
        pace -> Nullable<Count>,
        paced_at -> Nullable<Utc>,
        last_callback_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    keys (id) {
        id -> Uid,
        organization_id -> Uid,
        client_id -> Text,
        secret_digest -> Binary,
        name -> Text,
        kind -> Label,
        state -> Label,
        account_id -> Nullable<Uid>,
        scopes -> Text,
        rate_limit -> Count,
        created_at -> Utc,
        messages_per_month -> Nullable<Count>,
        expires_at -> Nullable<Utc>,
        expiry_reported -> Bool,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    key_uses (organization_id, key_id) {
        organization_id -> Uid,
        key_id -> Uid,
        last_used_at -> Utc,
        period -> Integer,
        messages -> Integer,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    templates (organization_id, id) {
        id -> Uid,
        organization_id -> Uid,
        account_id -> Uid,
        name -> Text,
        language -> Text,
        category -> Label,
        status -> Label,
        rejection_reason -> Nullable<Label>,
        rejection_detail -> Nullable<Text>,
        parameter_format -> Label,
        components -> Doc,
        external_id -> Nullable<Text>,
        submitted_at -> Nullable<Utc>,
        reviewed_at -> Nullable<Utc>,
        created_at -> Utc,
        updated_at -> Utc,
        submission_due_at -> Nullable<Utc>,
        submission_attempts -> Integer,
        submission_claimed_by -> Nullable<Uid>,
        message_send_ttl_seconds -> Nullable<Integer>,
        quality -> Nullable<Label>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    template_counts (organization_id, status, category, language) {
        organization_id -> Uid,
        status -> Label,
        category -> Label,
        language -> Text,
        templates -> BigInt,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    verdicts (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        template_id -> Uid,
        verdict -> Label,
        reason -> Nullable<Label>,
        detail -> Nullable<Text>,
        took_effect -> Bool,
        received_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    media (organization_id, id) {
        id -> Uid,
        organization_id -> Uid,
        state -> Label,
        file_name -> Text,
        content_type -> Text,
        size -> Size,
        sha256 -> Binary,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::Uid;
    /// The organization of a file, found by the file's id alone.
    media_owners (media_id) {
        media_id -> Uid,
        organization_id -> Uid,
    }
}

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    fetches (organization_id, message_id) {
        organization_id -> Uid,
        message_id -> Uid,
        account_id -> Uid,
        file_id -> Text,
        attempts -> Integer,
        due_at -> Utc,
        received_at -> Utc,
        claimed_by -> Nullable<Uid>,
        step -> Label,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    contacts (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        account_id -> Uid,
        phone_number -> Nullable<Text>,
        channel_user_id -> Nullable<Text>,
        channel_parent_user_id -> Nullable<Text>,
        username -> Nullable<Text>,
        name -> Nullable<Text>,
        identified_at -> Nullable<Utc>,
        created_at -> Utc,
        opted_out_at -> Nullable<Utc>,
        preference_at -> Nullable<Utc>,
        deleted_at -> Nullable<Utc>,
        name_edited_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Uid, Utc};
    /// Contacts whose personal data a worker is erasing.
    contact_deletions (organization_id, contact_id) {
        organization_id -> Uid,
        contact_id -> Uid,
        conversation_id -> Uid,
        account_id -> Uid,
        identifiers -> Doc,
        files -> Doc,
        stage -> Label,
        round -> Count,
        deleted_at -> Utc,
        due_at -> Utc,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::Text;
    /// The numbers by which the channel has named a contact.
    contact_numbers (organization_id, phone_number, account_id) {
        organization_id -> Uid,
        account_id -> Uid,
        phone_number -> Text,
        contact_id -> Uid,
    }
}
diesel::table! {
    use crate::types::{Count, Uid};
    use diesel::sql_types::Nullable;
    /// The number of days for which organizations keep texts of messages, and files that contacts
    /// sent.
    retention_rules (organization_id) {
        organization_id -> Uid,
        text_days -> Nullable<Count>,
        file_days -> Nullable<Count>,
        last_text -> Nullable<Uid>,
        last_file -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    conversations (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        account_id -> Uid,
        contact_id -> Uid,
        #[sql_name = "phone_number"]
        address -> Nullable<Text>,
        agent_paused -> Bool,
        message_count -> BigInt,
        last_message_at -> Utc,
        last_inbound_at -> Nullable<Utc>,
        created_at -> Utc,
        agent_paused_by -> Nullable<Uid>,
        merged_into -> Nullable<Uid>,
        has_merged -> Bool,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    messages (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        account_id -> Uid,
        conversation_id -> Uid,
        contact_id -> Uid,
        position -> BigInt,
        direction -> Label,
        source -> Label,
        #[sql_name = "type"]
        kind -> Label,
        content -> Doc,
        content_format -> Integer,
        status -> Label,
        failure -> Nullable<Label>,
        failure_message -> Nullable<Text>,
        failure_code -> Nullable<BigInt>,
        client_ref -> Nullable<Text>,
        metadata -> Nullable<Doc>,
        reply_to -> Nullable<Uid>,
        channel_message_id -> Nullable<Text>,
        created_at -> Utc,
        sent_at -> Nullable<Utc>,
        delivered_at -> Nullable<Utc>,
        read_at -> Nullable<Utc>,
        context -> Nullable<Doc>,
        changes -> Nullable<Doc>,
        key_id -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Doc, Label, Uid, Utc};
    use diesel::sql_types::{Bool, Integer, Nullable, Text};
    scheduled_messages (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        account_id -> Uid,
        bound_to -> Nullable<Uid>,
        recipient -> Text,
        kind -> Label,
        content -> Doc,
        content_format -> Integer,
        fallback -> Nullable<Doc>,
        source -> Label,
        pauses_agent -> Bool,
        client_ref -> Nullable<Text>,
        metadata -> Nullable<Doc>,
        reply_to -> Nullable<Uid>,
        state -> Label,
        send_at -> Utc,
        created_at -> Utc,
        canceled_at -> Nullable<Utc>,
        connection_key_id -> Nullable<Uid>,
        key_id -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    outbox (organization_id, conversation_id, position) {
        organization_id -> Uid,
        conversation_id -> Uid,
        position -> BigInt,
        message_id -> Uid,
        attempts -> Integer,
        accepted_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Uid, Utc};
    use diesel::sql_types::Bool;
    outbox_conversations (organization_id, conversation_id) {
        organization_id -> Uid,
        conversation_id -> Uid,
        account_id -> Uid,
        due_at -> Utc,
        held -> Bool,
    }
}
diesel::table! {
    use crate::types::{Label, Uid, Utc};
    use diesel::sql_types::{BigInt, Nullable};
    organization_work (organization_id, kind) {
        organization_id -> Uid,
        kind -> Label,
        due_at -> Nullable<Utc>,
        claimed_by -> Nullable<Uid>,
        claim -> Nullable<BigInt>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    usage (organization_id, meter, period) {
        organization_id -> Uid,
        meter -> Label,
        period -> Integer,
        used -> Integer,
        #[sql_name = "told"]
        is_reported -> Bool,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    idempotency (owner_id, key_id, path, idempotency_key) {
        owner_id -> Uid,
        key_id -> Uid,
        path -> Text,
        idempotency_key -> Text,
        body_digest -> Binary,
        status -> Integer,
        answer -> Text,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    server_keys (name) {
        name -> Text,
        key -> Binary,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    events (organization_id, sequence) {
        organization_id -> Uid,
        sequence -> BigInt,
        id -> Uid,
        kind -> Label,
        account_id -> Nullable<Uid>,
        subject -> Nullable<Uid>,
        connection_id -> Nullable<Uid>,
        endpoint_id -> Nullable<Uid>,
        data -> Nullable<Doc>,
        at -> Utc,
        contact -> Nullable<Doc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    event_counters (organization_id) {
        organization_id -> Uid,
        last -> BigInt,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::BigInt;
    event_resends (organization_id, number) {
        organization_id -> Uid,
        number -> BigInt,
        first_sequence -> BigInt,
        last_sequence -> BigInt,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    write_checks (id) {
        id -> Integer,
        at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    instances (id) {
        id -> Uid,
        beat -> BigInt,
    }
}
diesel::joinable!(organizations -> plans (plan_id));
diesel::joinable!(connections -> applications (application_id));
diesel::joinable!(connections -> accounts (account_id));
diesel::joinable!(connections -> keys (key_id));
diesel::joinable!(connections -> organizations (organization_id));
diesel::joinable!(memberships -> organizations (organization_id));
diesel::joinable!(handshakes -> organizations (organization_id));
diesel::joinable!(applications -> organizations (organization_id));
diesel::joinable!(keys -> organizations (organization_id));
diesel::joinable!(accounts -> organizations (organization_id));
diesel::joinable!(memberships -> members (member_id));
diesel::joinable!(invitations -> organizations (organization_id));
diesel::joinable!(audit_entries -> members (member_id));
diesel::joinable!(password_resets -> members (member_id));
diesel::joinable!(conversations -> accounts (account_id));
diesel::joinable!(templates -> accounts (account_id));
diesel::joinable!(fetches -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(
    agent_accounts,
    agent_cost_limits,
    agent_costs,
    agent_entries,
    agents,
    turns,
    plans,
    organizations,
    members,
    memberships,
    accounts,
    keys,
    templates,
    contacts,
    contact_numbers,
    contact_deletions,
    conversations,
    messages,
    scheduled_messages,
    outbox,
    outbox_conversations,
    organization_work,
    callbacks,
    usage,
    idempotency,
    verdicts,
    media,
    media_owners,
    fetches,
    applications,
    connections,
    sessions,
    consents,
    codes,
    handshakes,
    events,
    event_counters,
    event_resends,
    password_resets,
    invitations,
    audit_entries,
    instances,
    former_assignees,
    inbox_entries,
    inbox_member_settings,
    inbox_member_states,
    inbox_positions,
    notes,
    saved_replies,
    conversation_words,
    word_positions,
);
