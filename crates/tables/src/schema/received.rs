//! Tables of callbacks that wait to be processed, and of dead letters.

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    callbacks (id) {
        id -> Uid,
        channel -> Label,
        payload -> Text,
        attempts -> Integer,
        due_at -> Utc,
        received_at -> Utc,
        lookups -> Integer,
        claimed_by -> Nullable<Uid>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
    dead_callbacks (id) {
        id -> Uid,
        digest -> Binary,
        channel -> Label,
        kind -> Text,
        reason -> Label,
        detail -> Text,
        payload -> Text,
        attempts -> Integer,
        received_at -> Utc,
        kept_at -> Utc,
    }
}
