//! Applications, their connections, and the handshake that makes them.
use crate::schema::{
    applications, codes, connections, consents, handshakes, password_resets, sessions,
};
use crate::types::{Col, Document};
use auth::handshake::HandshakeFault;
use diesel::prelude::*;
use domain::application::RedirectUri;
use domain::connection::{ConnectionState, EndReason};
use domain::id::{
    AccountId, ApplicationId, ConnectionId, ConsentId, HandshakeId, KeyId, MemberId, OrganizationId,
};
use domain::time::Timestamp;

/// An application.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = applications, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Application {
    pub id: Col<ApplicationId>,
    pub client_id: String,
    pub secret_digest: Vec<u8>,
    pub name: String,
    pub description: Option<String>,
    pub start_url: Option<String>,
    pub redirect_uris: Document,
    pub scopes: String,
    pub organization_id: Option<Col<OrganizationId>>,
    pub published: bool,
    pub verified: bool,
    pub created_at: Col<Timestamp>,
    pub deleted_at: Option<Col<Timestamp>>,
}

/// What of an application can be changed.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = applications, treat_none_as_null = true)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct ApplicationChange {
    pub name: String,
    pub description: Option<String>,
    pub start_url: Option<String>,
    pub redirect_uris: Document,
    pub scopes: String,
    pub verified: bool,
}

/// A connection.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = connections, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Connection {
    pub id: Col<ConnectionId>,
    pub application_id: Col<ApplicationId>,
    pub organization_id: Col<OrganizationId>,
    pub account_id: Option<Col<AccountId>>,
    pub key_id: Col<KeyId>,
    pub scopes: String,
    pub state: Col<ConnectionState>,
    pub ending: Option<Col<EndReason>>,
    pub ending_reason: Option<String>,
    pub connected_at: Col<Timestamp>,
    pub ended_at: Option<Col<Timestamp>>,
}

/// A session of a member. Who has not signed in has none.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Session {
    pub digest: Vec<u8>,
    pub member_id: Option<Col<MemberId>>,
    pub organization_id: Option<Col<OrganizationId>>,
    pub created_at: Col<Timestamp>,
    pub seen_at: Col<Timestamp>,
    /// Of the cookie that the browser had before the member signed in: what it carries from then is still its own.
    pub anonymous_digest: Option<Vec<u8>>,
}

/// A one-time link with which a member chooses another password.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = password_resets)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct PasswordReset {
    pub member_id: Col<MemberId>,
    pub digest: Vec<u8>,
    pub created_at: Col<Timestamp>,
}

/// What an application asks a member for.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = consents, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Consent {
    pub id: Col<ConsentId>,
    pub session_digest: Vec<u8>,
    pub application_id: Col<ApplicationId>,
    pub redirect_uri: Col<RedirectUri>,
    pub scopes: Option<String>,
    pub state: Vec<u8>,
    pub challenge: Option<String>,
    pub popup: bool,
    pub created_at: Col<Timestamp>,
    pub used_at: Option<Col<Timestamp>>,
}

/// An authorization code.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = codes, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct IssuedCode {
    pub digest: Vec<u8>,
    pub application_id: Col<ApplicationId>,
    pub redirect_uri: Col<RedirectUri>,
    pub challenge: String,
    pub organization_id: Col<OrganizationId>,
    pub account_id: Option<Col<AccountId>>,
    pub scopes: String,
    pub issued_at: Col<Timestamp>,
    pub consumed_at: Option<Col<Timestamp>>,
}

/// The result of one exchange, or what was wrong with an authorize request.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = handshakes, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Handshake {
    pub id: Col<HandshakeId>,
    pub application_id: Col<ApplicationId>,
    pub organization_id: Option<Col<OrganizationId>>,
    pub failure: Option<Col<HandshakeFault>>,
    pub at: Col<Timestamp>,
}
