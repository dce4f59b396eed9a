//! Tables of members: invitations, the first setup, and the audit log.

diesel::table! {
    use crate::types::{Label, Uid, Utc};
    use diesel::sql_types::{Binary, Text};
    invitations (organization_id, email) {
        organization_id -> Uid,
        email -> Text,
        role -> Label,
        digest -> Binary,
        created_by -> Uid,
        created_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Uid, Utc};
    use diesel::sql_types::Integer;
    first_setup (id) {
        id -> Integer,
        member_id -> Uid,
        finished_at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Label, Uid, Utc};
    use diesel::sql_types::{Nullable, Text};
    audit_entries (organization_id, id) {
        organization_id -> Uid,
        id -> Uid,
        member_id -> Uid,
        action -> Label,
        object_id -> Nullable<Text>,
        object_name -> Text,
        address -> Nullable<Text>,
        at -> Utc,
    }
}
