//! Tables of webhooks.
use super::{connections, event_counters, keys};

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    webhook_endpoints (id) {
        id -> Uid,
        owner_id -> Uid,
        organization_id -> Nullable<Uid>,
        application_id -> Nullable<Uid>,
        url -> Text,
        description -> Nullable<Text>,
        events -> Text,
        state -> Label,
        disabled_reason -> Nullable<Label>,
        disabled_at -> Nullable<Utc>,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_until -> Nullable<Utc>,
        created_at -> Utc,
        is_log -> Bool,
        begun_to -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Nullable};
    endpoint_work (endpoint_id, owner_id) {
        owner_id -> Uid,
        endpoint_id -> Uid,
        state -> Label,
        failing_since -> Nullable<Utc>,
        due_at -> Nullable<Utc>,
        claimed_until -> Nullable<Utc>,
        claimed_by -> Nullable<Uid>,
        reported -> Nullable<Label>,
        last_sequence -> BigInt,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::BigInt;
    /// The events of an application's connections.
    application_events (owner_id, sequence) {
        owner_id -> Uid,
        sequence -> BigInt,
        organization_id -> Uid,
        event_sequence -> BigInt,
        connection_id -> Uid,
        kind -> Label,
        at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Bool, Nullable};
    webhook_feeds (id) {
        id -> BigInt,
        endpoint_id -> Uid,
        organization_id -> Uid,
        connection_id -> Nullable<Uid>,
        starts_after -> BigInt,
        ends_with -> Nullable<BigInt>,
        position -> BigInt,
        replay -> Bool,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Integer, Nullable};
    webhook_deliveries (owner_id, id) {
        owner_id -> Uid,
        id -> Uid,
        endpoint_id -> Uid,
        organization_id -> Uid,
        sequence -> BigInt,
        event_id -> Uid,
        kind -> Label,
        state -> Label,
        attempts -> Integer,
        failures -> Integer,
        due_at -> Nullable<Utc>,
        created_at -> Utc,
        completed_at -> Nullable<Utc>,
        subject -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Integer, Nullable, Text};
    webhook_attempts (owner_id, delivery_id, number) {
        owner_id -> Uid,
        delivery_id -> Uid,
        number -> Integer,
        at -> Utc,
        took_ms -> Integer,
        signature -> Text,
        status -> Nullable<Integer>,
        error -> Nullable<Text>,
        response -> Nullable<Text>,
    }
}
diesel::joinable!(webhook_feeds -> webhook_endpoints (endpoint_id));
diesel::joinable!(webhook_feeds -> connections (connection_id));
diesel::joinable!(webhook_deliveries -> webhook_endpoints (endpoint_id));
diesel::allow_tables_to_appear_in_same_query!(
    endpoint_work,
    webhook_endpoints,
    webhook_feeds,
    webhook_deliveries,
    webhook_attempts,
);
diesel::allow_tables_to_appear_in_same_query!(webhook_feeds, connections);
diesel::allow_tables_to_appear_in_same_query!(webhook_feeds, event_counters);
diesel::allow_tables_to_appear_in_same_query!(webhook_feeds, keys);
diesel::allow_tables_to_appear_in_same_query!(webhook_endpoints, connections);
diesel::allow_tables_to_appear_in_same_query!(webhook_endpoints, event_counters);
diesel::allow_tables_to_appear_in_same_query!(webhook_endpoints, keys);
