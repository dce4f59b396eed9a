//! Tables of Connect: applications, consents, connections, handshakes; and sessions.

diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    applications (id) {
        id -> Uid,
        client_id -> Text,
        secret_digest -> Binary,
        name -> Text,
        description -> Nullable<Text>,
        start_url -> Nullable<Text>,
        redirect_uris -> Doc,
        scopes -> Text,
        organization_id -> Nullable<Uid>,
        published -> Bool,
        verified -> Bool,
        created_at -> Utc,
        deleted_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Nullable, Text};
    connections (id) {
        id -> Uid,
        application_id -> Uid,
        organization_id -> Uid,
        account_id -> Nullable<Uid>,
        key_id -> Uid,
        scopes -> Text,
        state -> Label,
        ending -> Nullable<Label>,
        ending_reason -> Nullable<Text>,
        connected_at -> Utc,
        ended_at -> Nullable<Utc>,
        closed_periods -> Nullable<Text>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Nullable, Text};
    sessions (digest) {
        digest -> Binary,
        member_id -> Nullable<Uid>,
        organization_id -> Nullable<Uid>,
        created_at -> Utc,
        seen_at -> Utc,
        anonymous_digest -> Nullable<Binary>,
        user_agent -> Nullable<Text>,
        address -> Nullable<Text>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    consents (id) {
        id -> Uid,
        session_digest -> Binary,
        application_id -> Uid,
        redirect_uri -> Label,
        scopes -> Nullable<Text>,
        state -> Binary,
        challenge -> Nullable<Text>,
        popup -> Bool,
        created_at -> Utc,
        used_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::{Binary, Nullable, Text};
    codes (digest) {
        digest -> Binary,
        application_id -> Uid,
        redirect_uri -> Label,
        challenge -> Text,
        organization_id -> Uid,
        account_id -> Nullable<Uid>,
        scopes -> Text,
        issued_at -> Utc,
        consumed_at -> Nullable<Utc>,
        rate_limit -> Nullable<Count>,
        messages_per_month -> Nullable<Count>,
        expires_at -> Nullable<Utc>,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::Nullable;
    handshakes (id) {
        id -> Uid,
        application_id -> Uid,
        organization_id -> Nullable<Uid>,
        failure -> Nullable<Label>,
        at -> Utc,
    }
}
diesel::table! {
    use crate::types::{Count, Doc, Label, Size, Uid, Utc};
    use diesel::sql_types::Binary;
    password_resets (member_id) {
        member_id -> Uid,
        digest -> Binary,
        created_at -> Utc,
    }
}
