//! Keys, and the answers that their requests were given.
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
    /// Makes a key.
    write keys::insert_key(key: Key) -> ();
    /// Keeps an answer; a duplicate error says that another one is kept already.
    write idempotency::store_answer(request: Idempotent, answer: String, at: Timestamp) -> ();
}

operations! {
    OrganizationDb<organization>;
    /// Switches one of the organization's keys on or off; `false` if it has none of that client id.
    write keys::set_key_state(client_id: String, state: KeyState) -> bool;
    /// Removes one of the organization's keys permanently; `false` if it has none of that client id.
    write keys::delete_key(client_id: String, at: Timestamp) -> bool;
    /// The organization's keys after one of them, the newest first.
    read keys::keys_of(after: Option<KeyId>, limit: i64) -> Vec<Key>;
    /// When some of the organization's keys were last used; those that never were are left out.
    read key_uses::last_uses(of: Vec<KeyId>) -> BTreeMap<KeyId, Timestamp>;
    /// One of the organization's keys.
    read keys::own_key(id: KeyId) -> Option<Key>;
    /// Gives a key another name and limit.
    write keys::change_key(id: KeyId, name: String, rate_limit: RateLimit) -> bool;
    /// The organization's keys with that name, oldest first.
    read keys::keys_named(name: String) -> Vec<Key>;
}

operations! {
    OperatorDb;
    /// The organization whose key has this client id.
    read keys::organization_of_key(client_id: String) -> Option<OrganizationId>;
    /// Forgets a portion of the answers from before `cutoff`; returns how many.
    write_after retention::forget_answers(cutoff: Timestamp, portion: i64) -> usize;
    /// A page of the keys, with their organizations.
    read listing::list_keys(list_filter: ListFilter<id::Key>) -> Vec<(Key, Organization)>;
}
