//! Submitted forms of the dashboard.

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Nullable, Text};
    form_results (organization_id, session_digest, id) {
        organization_id -> Uid,
        session_digest -> Binary,
        id -> Text,
        location -> Nullable<Text>,
        notice -> Nullable<Binary>,
        created_at -> Utc,
    }
}
