//! Consents, codes and connections.
use super::operations;
use crate::Db;
use crate::operations::{ApplicationDb, OperatorDb, OrganizationDb};
use crate::records::{Application, Connection, Consent, IssuedCode, ListedConnection};
use domain::connection::EndReason;
use domain::id::{ConsentId, KeyId};
use domain::time::Timestamp;

operations! {
    Db;
    /// Keeps what an application asks.
    write grants::insert_consent(new: Consent) -> ();
    /// What was asked of a session and is still open.
    read grants::consent(id: ConsentId, session_digest: Vec<u8>, cutoff: Timestamp) -> Option<Consent>;
    /// Answers what was asked, once.
    write grants::answer_consent(id: ConsentId, session_digest: Vec<u8>, at: Timestamp, code: Option<IssuedCode>) -> bool;
    /// Burns the codes of a request that cannot be acted on.
    write grants::consume_codes(digests: Vec<Vec<u8>>, at: Timestamp) -> ();
    /// A code, used or not.
    read grants::code(digest: Vec<u8>) -> Option<IssuedCode>;
}

operations! {
    OrganizationDb<organization>;
    /// Ends the connection of one of the organization's keys and removes the key.
    write grants::disconnect(key: KeyId, ending: EndReason, at: Timestamp) -> Option<Connection>;
    /// The connection of one of the organization's keys, with its application.
    read grants::connection_of_key(key: KeyId) -> Option<(Connection, Application)>;
    /// The organization's connections, the active ones first.
    read grants::connections_of(limit: i64) -> Vec<ListedConnection>;
}

operations! {
    ApplicationDb<application>;
    /// How many connections of an application live, counted up to `most`.
    read grants::live_connections(most: Option<i64>) -> i64;
    /// Some of an application's active connections, with the names of the organizations.
    read grants::application_connections(limit: i64) -> Vec<(Connection, String)>;
    /// Ends up to `limit` connections of an application.
    write grants::revoke_connections(reason: Option<String>, at: Timestamp, limit: i64) -> usize;
}

operations! {
    OperatorDb;
    /// Forgets a portion of what was asked before `cutoff`; returns how many.
    write_after retention::forget_consents(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the codes that were issued before `cutoff`; returns how many.
    write_after retention::forget_codes(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the log of exchanges from before `cutoff`; returns how many.
    write_after retention::forget_handshakes(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the connections that ended before `cutoff`; returns how many.
    write_after retention::forget_connections(cutoff: Timestamp, portion: i64) -> usize;
    /// Forgets a portion of the applications that were deleted before `cutoff`; returns how many.
    write_after retention::forget_applications(cutoff: Timestamp, portion: i64) -> usize;
}
