//! Applications, their connections, and the handshakes that create them.
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
use domain::key::RateLimit;
use domain::time::Timestamp;

record! {
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

/// The columns of an application that can be changed.
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

/// A connection, its application, and its key if it still has one.
pub type ListedConnection = (Connection, Application, Option<Key>);

record! {
    /// A browser session, of a member or of a visitor who has not signed in.
    pub struct Session of sessions {
        pub digest: Vec<u8>,
        pub member_id: Option<MemberId>,
        pub organization_id: Option<OrganizationId>,
        pub created_at: Timestamp,
        pub seen_at: Timestamp,
        /// The digest of the session cookie from before the member signed in. Values that were
        /// sealed for that cookie can still be opened in this browser.
        pub anonymous_digest: Option<Vec<u8>>,
        /// The browser's `User-Agent`.
        pub user_agent: Option<String>,
        /// The client's IP address at sign-in.
        pub address: Option<String>,
    }
}

record! {
    /// A one-time link with which a member sets a new password.
    pub struct PasswordReset of password_resets {
        pub member_id: MemberId,
        pub digest: Vec<u8>,
        pub created_at: Timestamp,
    }
}

record! {
    /// The request of an application that a member is asked to confirm.
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
        /// The caps that the member set. Without a rate limit, the default of all keys applies.
        pub rate_limit: Option<RateLimit>,
        pub messages_per_month: Option<u32>,
        pub expires_at: Option<Timestamp>,
    }
}

record! {
    /// The result of a code exchange, or the fault of an authorize request.
    pub struct Handshake of handshakes {
        pub id: HandshakeId,
        pub application_id: ApplicationId,
        pub organization_id: Option<OrganizationId>,
        pub failure: Option<HandshakeFault>,
        pub at: Timestamp,
    }
}

/// The exchange of an authorization code.
#[derive(Clone, Debug)]
pub struct CodeConsumption {
    /// The digest of the code.
    pub digest: Vec<u8>,
    /// The client id of the application that presents the code, if it is well-formed.
    pub client_id: Option<String>,
    /// The current time.
    pub at: Timestamp,
}

/// The rows that decide whether a code is exchanged for a connection.
#[derive(Clone, Debug)]
pub struct ShownCode {
    /// The code, if it was unused.
    pub code: Option<IssuedCode>,
    /// The application that presents the code, if it exists.
    pub application: Option<Application>,
    /// The organization that the code is about, its plan, and the account of the code, if there is
    /// a code.
    pub business: Option<CodeBusiness>,
}

/// The organization, plan and account of a code.
#[derive(Clone, Debug)]
pub struct CodeBusiness {
    /// The organization that granted the connection.
    pub organization: Organization,
    pub plan: Option<Plan>,
    /// The account that the member chose.
    pub account: Option<Account>,
}

/// A new connection and its key, which replace the previous ones.
#[derive(Clone, Debug)]
pub struct NewConnectedKey {
    pub key: Key,
    pub connection: Connection,
    /// The log entry of the exchange.
    pub exchange: Handshake,
}
