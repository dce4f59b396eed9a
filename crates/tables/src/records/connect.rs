//! Applications, their connections, and the handshake that makes them.
use crate::records::{Account, Key, Organization, Plan};
use crate::schema::{
    applications, codes, connections, consents, handshakes, password_resets, sessions,
};
use crate::types::Document;
use auth::handshake::HandshakeFault;
use diesel::prelude::*;
use domain::application::RedirectUri;
use domain::connection::{ConnectionState, EndReason};
use domain::id::{
    AccountId, ApplicationId, ConnectionId, ConsentId, HandshakeId, KeyId, MemberId, OrganizationId,
};
use domain::time::Timestamp;

record! {
    /// An application.
    pub struct Application of applications {
        pub id: ApplicationId,
        pub client_id: String,
        pub secret_digest: Vec<u8>,
        pub name: String,
        pub description: Option<String>,
        pub start_url: Option<String>,
        pub redirect_uris: Document,
        pub scopes: String,
        pub organization_id: Option<OrganizationId>,
        pub published: bool,
        pub verified: bool,
        pub created_at: Timestamp,
        pub deleted_at: Option<Timestamp>,
    }
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

record! {
    /// A connection.
    pub struct Connection of connections {
        pub id: ConnectionId,
        pub application_id: ApplicationId,
        pub organization_id: OrganizationId,
        pub account_id: Option<AccountId>,
        pub key_id: KeyId,
        pub scopes: String,
        pub state: ConnectionState,
        pub ending: Option<EndReason>,
        pub ending_reason: Option<String>,
        pub connected_at: Timestamp,
        pub ended_at: Option<Timestamp>,
    }
}

/// A connection with its application, and its key as long as it has one.
pub type ListedConnection = (Connection, Application, Option<Key>);

record! {
    /// A session of a member. Who has not signed in has none.
    pub struct Session of sessions {
        pub digest: Vec<u8>,
        pub member_id: Option<MemberId>,
        pub organization_id: Option<OrganizationId>,
        pub created_at: Timestamp,
        pub seen_at: Timestamp,
        /// Of the cookie that the browser had before the member signed in: what it carries from then is still its own.
        pub anonymous_digest: Option<Vec<u8>>,
    }
}

record! {
    /// A one-time link with which a member chooses another password.
    pub struct PasswordReset of password_resets {
        pub member_id: MemberId,
        pub digest: Vec<u8>,
        pub created_at: Timestamp,
    }
}

record! {
    /// What an application asks a member for.
    pub struct Consent of consents {
        pub id: ConsentId,
        pub session_digest: Vec<u8>,
        pub application_id: ApplicationId,
        pub redirect_uri: RedirectUri,
        pub scopes: Option<String>,
        pub state: Vec<u8>,
        pub challenge: Option<String>,
        pub popup: bool,
        pub created_at: Timestamp,
        pub used_at: Option<Timestamp>,
    }
}

record! {
    /// An authorization code.
    pub struct IssuedCode of codes {
        pub digest: Vec<u8>,
        pub application_id: ApplicationId,
        pub redirect_uri: RedirectUri,
        pub challenge: String,
        pub organization_id: OrganizationId,
        pub account_id: Option<AccountId>,
        pub scopes: String,
        pub issued_at: Timestamp,
        pub consumed_at: Option<Timestamp>,
    }
}

record! {
    /// The result of one exchange, or what was wrong with an authorize request.
    pub struct Handshake of handshakes {
        pub id: HandshakeId,
        pub application_id: ApplicationId,
        pub organization_id: Option<OrganizationId>,
        pub failure: Option<HandshakeFault>,
        pub at: Timestamp,
    }
}

/// A code that is shown.
#[derive(Clone, Debug)]
pub struct CodeConsumption {
    /// Of the code.
    pub digest: Vec<u8>,
    /// Of the application that shows it, if it is written as one.
    pub client_id: Option<String>,
    /// Now.
    pub at: Timestamp,
}

/// What an exchange is decided by.
#[derive(Clone, Debug)]
pub struct ShownCode {
    /// The code, if it was unused until now.
    pub code: Option<IssuedCode>,
    /// The application that shows it, if there is one.
    pub application: Option<Application>,
    /// What the code is for, with it.
    pub business: Option<CodeBusiness>,
}

/// The business that a code is about.
#[derive(Clone, Debug)]
pub struct CodeBusiness {
    /// The organization that granted it.
    pub organization: Organization,
    /// What it pays for.
    pub plan: Option<Plan>,
    /// The number that the member chose.
    pub account: Option<Account>,
}

/// A connection to be made, with its key, in place of the one before.
#[derive(Clone, Debug)]
pub struct NewConnection {
    /// The key.
    pub key: Key,
    /// The connection.
    pub connection: Connection,
    /// The entry of the exchange in the log.
    pub exchange: Handshake,
}
