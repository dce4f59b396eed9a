//! Operations on keys, and on the stored answers of their requests.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, tenant_query, unscoped_query,
};
use crate::Db;
use crate::records::{Idempotent, Key, ListFilter, Organization};
use domain::connection::ConnectionCaps;
use domain::id::{self, KeyId, OrganizationId};
use domain::key::{KeyState, RateLimit};
use domain::time::Timestamp;
use std::collections::BTreeMap;

impl Db {
    pub fn insert_key(&self, key: Key) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, keys::insert_key(key))
    }

    /// Stores an answer. A duplicate error means that another answer is already stored.
    pub fn store_answer(
        &self,
        request: Idempotent,
        answer: String,
        at: Timestamp,
    ) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, idempotency::store_answer(request, answer, at))
    }
}

impl<'a> OrganizationDb<'a> {
    /// Enables or disables one of the organization's keys. Returns `false` if it has no key with
    /// this client id.
    pub fn set_key_state(self, client_id: String, state: KeyState) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, keys::set_key_state(client_id, state))
    }

    /// Deletes one of the organization's keys. Returns `false` if it has no key with this client
    /// id.
    pub fn delete_key(self, client_id: String, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, keys::delete_key(client_id, at))
    }

    /// Returns the organization's keys that follow the key `after`, the newest first.
    pub fn list_own_keys(self, after: Option<KeyId>, limit: i64) -> DbFuture<'a, Vec<Key>> {
        tenant_query!(self.organization, read, keys::list_own_keys(after, limit))
    }

    /// Returns the times at which these keys of the organization were last used. Keys that were
    /// never used are left out.
    pub fn last_uses(self, of: Vec<KeyId>) -> DbFuture<'a, BTreeMap<KeyId, Timestamp>> {
        tenant_query!(self.organization, read, key_uses::last_uses(of))
    }

    pub fn own_key(self, id: KeyId) -> DbFuture<'a, Option<Key>> {
        tenant_query!(self.organization, read, keys::own_key(id))
    }

    pub fn key_of_client_id(self, client_id: String) -> DbFuture<'a, Option<Key>> {
        tenant_query!(self.organization, read, keys::key_of_client_id(client_id))
    }

    /// Changes a key's name and rate limit.
    pub fn change_key(self, id: KeyId, name: String, rate_limit: RateLimit) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, keys::change_key(id, name, rate_limit))
    }

    /// Sets the caps of a connection's key. Returns `false` if there is no such key.
    pub fn cap_key(self, id: KeyId, caps: ConnectionCaps, now: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, keys::cap_key(id, caps, now))
    }

    /// Returns how many messages a capped key has sent in a month.
    pub fn capped_messages(self, id: KeyId, period: i32) -> DbFuture<'a, u32> {
        tenant_query!(self.organization, read, key_uses::capped_messages(id, period))
    }

    /// Returns the organization's keys with this name, the oldest first.
    pub fn keys_named(self, name: String) -> DbFuture<'a, Vec<Key>> {
        tenant_query!(self.organization, read, keys::keys_named(name))
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns the organization whose key has this client id.
    pub fn organization_of_key(self, client_id: String) -> DbFuture<'a, Option<OrganizationId>> {
        all_tenants_query!(self, read, keys::organization_of_key(client_id))
    }

    /// Deletes up to `portion` stored answers of idempotent requests from before `cutoff`, and returns
    /// how many.
    pub fn delete_expired_answers(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_answers(cutoff, portion))
    }

    /// Records the event that a connection's key ends soon, once for each key that ends before
    /// `until`. Returns the organizations of these keys.
    pub fn report_expiring_keys(
        self,
        now: Timestamp,
        until: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, Vec<OrganizationId>> {
        all_tenants_query!(self, write_after, keys::report_expiring_keys(now, until, portion))
    }

    /// Returns a page of the keys, with their organizations.
    pub fn list_keys(
        self,
        list_filter: ListFilter<id::Key>,
    ) -> DbFuture<'a, Vec<(Key, Organization)>> {
        all_tenants_query!(self, read, listing::list_keys(list_filter))
    }
}
