//! Operations on consents, codes and connections.
use super::{
    ApplicationDb, DbFuture, OperatorDb, OrganizationDb, all_tenants_query, tenant_query,
    unscoped_query,
};
use crate::Db;
use crate::records::{Application, Connection, Consent, IssuedCode, ListedConnection};
use domain::connection::EndReason;
use domain::id::{ConsentId, KeyId};
use domain::time::Timestamp;

impl Db {
    /// Stores a consent: the request of an application that a member has to allow or deny.
    pub fn insert_consent(&self, new: Consent) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, connect::insert_consent(new))
    }

    /// Returns an open consent of a session.
    pub fn consent(
        &self,
        id: ConsentId,
        session_digest: Vec<u8>,
        cutoff: Timestamp,
    ) -> DbFuture<'_, Option<Consent>> {
        unscoped_query!(self, read, connect::consent(id, session_digest, cutoff))
    }

    /// Stores the answer to a consent. Only the first answer counts.
    pub fn answer_consent(
        &self,
        id: ConsentId,
        session_digest: Vec<u8>,
        at: Timestamp,
        code: Option<IssuedCode>,
    ) -> DbFuture<'_, bool> {
        unscoped_query!(self, write, connect::answer_consent(id, session_digest, at, code))
    }

    /// Consumes the authorization codes of a faulty exchange request, so that they cannot be used
    /// again.
    pub fn consume_codes(&self, digests: Vec<Vec<u8>>, at: Timestamp) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, connect::consume_codes(digests, at))
    }

    /// Returns codes, whether or not they have been used.
    pub fn list_codes(&self, digests: Vec<Vec<u8>>) -> DbFuture<'_, Vec<IssuedCode>> {
        unscoped_query!(self, read, connect::list_codes(digests))
    }
}

impl<'a> OrganizationDb<'a> {
    /// Ends the connection of one of the organization's keys and deletes the key.
    pub fn disconnect(
        self,
        key: KeyId,
        ending: EndReason,
        at: Timestamp,
    ) -> DbFuture<'a, Option<Connection>> {
        tenant_query!(self.organization, write, connect::disconnect(key, ending, at))
    }

    /// Returns the connection of one of the organization's keys, with its application.
    pub fn connection_of_key(self, key: KeyId) -> DbFuture<'a, Option<(Connection, Application)>> {
        tenant_query!(self.organization, read, connect::connection_of_key(key))
    }

    /// Returns the organization's connections, the active ones first.
    pub fn list_connections(self, limit: i64) -> DbFuture<'a, Vec<ListedConnection>> {
        tenant_query!(self.organization, read, connect::list_connections(limit))
    }
}

impl<'a> ApplicationDb<'a> {
    /// Returns the number of an application's active connections, counted up to `most`.
    pub fn live_connections(self, most: Option<i64>) -> DbFuture<'a, i64> {
        tenant_query!(self.application, read, connect::live_connections(most))
    }

    /// Returns up to `limit` active connections of an application, with the names of the
    /// organizations.
    pub fn application_connections(self, limit: i64) -> DbFuture<'a, Vec<(Connection, String)>> {
        tenant_query!(self.application, read, connect::application_connections(limit))
    }

    /// Ends up to `limit` connections of an application.
    pub fn revoke_connections(
        self,
        reason: Option<String>,
        at: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, usize> {
        tenant_query!(self.application, write, connect::revoke_connections(reason, at, limit))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes up to `portion` of the consents from before `cutoff`, and returns how many.
    pub fn delete_expired_consents(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_consents(cutoff, portion))
    }

    /// Deletes up to `portion` of the codes that were issued before `cutoff`, and returns how many.
    pub fn delete_expired_codes(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_codes(cutoff, portion))
    }

    /// Deletes up to `portion` of the log entries of code exchanges from before `cutoff`, and
    /// returns how many.
    pub fn delete_expired_handshakes(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_handshakes(cutoff, portion))
    }

    /// Deletes up to `portion` of the connections that ended before `cutoff`, and returns how many.
    pub fn delete_expired_connections(
        self,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_connections(cutoff, portion)
        )
    }

    /// Deletes up to `portion` of the applications that were marked as deleted before `cutoff`, and
    /// returns how many.
    pub fn delete_expired_applications(
        self,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_applications(cutoff, portion)
        )
    }
}
