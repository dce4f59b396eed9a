//! Operations on consents, codes and connections.
use super::operations;
use crate::Db;
use crate::operations::{ApplicationDb, OperatorDb, OrganizationDb};
use crate::records::{Application, Connection, Consent, IssuedCode, ListedConnection};
use domain::connection::EndReason;
use domain::id::{ConsentId, KeyId};
use domain::time::Timestamp;

operations! {
    Db;
    /// Stores what an application asks a member for.
    write grants::insert_consent(new: Consent) -> ();
    /// Returns an open consent of a session.
    read grants::consent(id: ConsentId, session_digest: Vec<u8>, cutoff: Timestamp) -> Option<Consent>;
    /// Answers a consent, once.
    write grants::answer_consent(id: ConsentId, session_digest: Vec<u8>, at: Timestamp, code: Option<IssuedCode>) -> bool;
    /// Consumes the codes of a request that cannot be processed.
    write grants::consume_codes(digests: Vec<Vec<u8>>, at: Timestamp) -> ();
    /// Returns a code, whether or not it has been used.
    read grants::code(digest: Vec<u8>) -> Option<IssuedCode>;
}

operations! {
    OrganizationDb<organization>;
    /// Ends the connection of one of the organization's keys and deletes the key.
    write grants::disconnect(key: KeyId, ending: EndReason, at: Timestamp) -> Option<Connection>;
    /// Returns the connection of one of the organization's keys, with its application.
    read grants::connection_of_key(key: KeyId) -> Option<(Connection, Application)>;
    /// Returns the organization's connections, the active ones first.
    read grants::list_connections(limit: i64) -> Vec<ListedConnection>;
}

operations! {
    ApplicationDb<application>;
    /// Returns the number of an application's active connections, counted up to `most`.
    read grants::live_connections(most: Option<i64>) -> i64;
    /// Returns up to `limit` active connections of an application, with the names of the
    /// organizations.
    read grants::application_connections(limit: i64) -> Vec<(Connection, String)>;
    /// Ends up to `limit` connections of an application.
    write grants::revoke_connections(reason: Option<String>, at: Timestamp, limit: i64) -> usize;
}

operations! {
    OperatorDb;
    /// Deletes some of the consents from before `cutoff`, and returns how many.
    write_after retention::delete_expired_consents(cutoff: Timestamp, portion: i64) -> usize;
    /// Deletes some of the codes that were issued before `cutoff`, and returns how many.
    write_after retention::delete_expired_codes(cutoff: Timestamp, portion: i64) -> usize;
    /// Deletes some of the log entries of code exchanges from before `cutoff`, and returns how
    /// many.
    write_after retention::delete_expired_handshakes(cutoff: Timestamp, portion: i64) -> usize;
    /// Deletes some of the connections that ended before `cutoff`, and returns how many.
    write_after retention::delete_expired_connections(cutoff: Timestamp, portion: i64) -> usize;
    /// Deletes some of the applications that were marked as deleted before `cutoff`, and returns
    /// how many.
    write_after retention::delete_expired_applications(cutoff: Timestamp, portion: i64) -> usize;
}
