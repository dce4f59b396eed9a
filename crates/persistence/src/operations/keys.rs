//! Operations on keys, and on the stored answers of their requests.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{Idempotent, Key, ListFilter, Organization};
use domain::id::{self, KeyId, OrganizationId};
use domain::key::{KeyState, RateLimit};
use domain::time::Timestamp;
use std::collections::BTreeMap;

operations! {
    Db;
    write keys::insert_key(key: Key) -> ();
    /// Stores an answer. A duplicate error means that another answer is already stored.
    write idempotency::store_answer(request: Idempotent, answer: String, at: Timestamp) -> ();
}

operations! {
    OrganizationDb<organization>;
    /// Enables or disables one of the organization's keys. Returns `false` if it has no key with
    /// this client id.
    write keys::set_key_state(client_id: String, state: KeyState) -> bool;
    /// Deletes one of the organization's keys. Returns `false` if it has no key with this client
    /// id.
    write keys::delete_key(client_id: String, at: Timestamp) -> bool;
    /// Returns the organization's keys after one of them, the newest first.
    read keys::list_own_keys(after: Option<KeyId>, limit: i64) -> Vec<Key>;
    /// Returns when some of the organization's keys were last used. Keys that were never used are
    /// left out.
    read key_uses::last_uses(of: Vec<KeyId>) -> BTreeMap<KeyId, Timestamp>;
    read keys::own_key(id: KeyId) -> Option<Key>;
    read keys::key_of_client_id(client_id: String) -> Option<Key>;
    /// Changes a key's name and rate limit.
    write keys::change_key(id: KeyId, name: String, rate_limit: RateLimit) -> bool;
    /// Returns the organization's keys with this name, the oldest first.
    read keys::keys_named(name: String) -> Vec<Key>;
}

operations! {
    OperatorDb;
    /// Returns the organization whose key has this client id.
    read keys::organization_of_key(client_id: String) -> Option<OrganizationId>;
    /// Deletes some of the stored answers from before `cutoff`, and returns how many.
    write_after retention::delete_expired_answers(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns a page of the keys, with their organizations.
    read listing::list_keys(list_filter: ListFilter<id::Key>) -> Vec<(Key, Organization)>;
}
