//! Tables of AI agents.

diesel::table! {
    use crate::types::{Doc, Label, Uid, Utc};
    use diesel::sql_types::{Binary, Nullable, Text};
    agents (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        name -> Text,
        kind -> Label,
        mode -> Label,
        settings -> Doc,
        secret -> Nullable<Binary>,
        created_at -> Utc,
        updated_at -> Utc,
    }
}
diesel::table! {
    use crate::types::Uid;
    agent_accounts (organization_id, account_id) {
        organization_id -> Uid,
        account_id -> Uid,
        agent_id -> Uid,
    }
}
diesel::table! {
    use crate::types::{Doc, Label, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Integer, Nullable, Text};
    turns (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        conversation_id -> Uid,
        account_id -> Uid,
        agent_id -> Uid,
        state -> Label,
        after_message_id -> Uid,
        first_at -> Utc,
        due_at -> Nullable<Utc>,
        attempts -> Integer,
        ticket -> Nullable<Binary>,
        expires_at -> Nullable<Utc>,
        reason -> Nullable<Text>,
        tokens -> Nullable<BigInt>,
        took_ms -> Nullable<Integer>,
        answer -> Nullable<Doc>,
        created_at -> Utc,
        finished_at -> Nullable<Utc>,
        input_tokens -> Nullable<BigInt>,
        output_tokens -> Nullable<BigInt>,
        cost -> Nullable<BigInt>,
        unpriced_requests -> Integer,
        trace -> Nullable<Doc>,
        sent_message_id -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Doc, Label, Uid, Utc};
    use diesel::sql_types::{Binary, Nullable};
    agent_entries (organization_id, agent_id, kind, id) {
        organization_id -> Uid,
        agent_id -> Uid,
        kind -> Label,
        id -> Uid,
        content -> Doc,
        secret -> Nullable<Binary>,
        updated_at -> Utc,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::BigInt;
    agent_cost_limits (organization_id) {
        organization_id -> Uid,
        cost_per_month -> BigInt,
    }
}
diesel::table! {
    use crate::types::Uid;
    use diesel::sql_types::{BigInt, Integer};
    agent_costs (organization_id, month, agent_id) {
        organization_id -> Uid,
        month -> Integer,
        agent_id -> Uid,
        tokens -> BigInt,
        cost -> BigInt,
        unpriced_requests -> BigInt,
    }
}
