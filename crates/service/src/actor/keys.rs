//! API keys, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::connections;
use crate::keys::{self, CreatedKey, KeyError, NewKey};
use domain::connection::ConnectionCaps;
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::name::Name;
use domain::role::MemberAction;
use persistence::records::Key;

pub struct MemberKeys<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn keys(self) -> MemberKeys<'a> {
        MemberKeys(self)
    }
}

impl MemberKeys<'_> {
    /// Creates a key. Its secret is shown only here.
    pub async fn create(&self, new: NewKey) -> Result<CreatedKey, ActionError<KeyError>> {
        let created = |it: &CreatedKey| Some(AuditObject::new(&it.id, &it.name));
        let work = keys::create(self.0.deps, self.0.organization, new);
        self.0.perform(MemberAction::KeyCreated, work, created).await
    }

    /// Changes the name and the rate limit of a key. Returns `false` if it does not exist.
    pub async fn change(
        &self,
        key: &Key,
        name: &Name,
        rate_limit: RateLimit,
    ) -> Result<bool, ActionError<KeyError>> {
        let work = keys::change(self.0.deps, self.0.organization, key.id, name, rate_limit);
        let changed = |done: &bool| done.then(|| AuditObject::new(key.id, name.as_str()));
        self.0.perform(MemberAction::KeyUpdated, work, changed).await
    }

    /// Enables or disables a key. Returns `false` if it does not exist.
    pub async fn set_state(
        &self,
        key: &Key,
        state: KeyState,
    ) -> Result<bool, ActionError<persistence::Error>> {
        let action = match state {
            KeyState::Active => MemberAction::KeyEnabled,
            KeyState::Inactive => MemberAction::KeyDisabled,
        };
        let work = keys::set_state(self.0.deps, self.0.organization, &key.client_id, state);
        self.0.perform(action, work, |done| object(key, *done)).await
    }

    /// Creates a key with the settings of another one, which keeps working. Returns `None` for the
    /// key of a connection.
    pub async fn rotate(&self, key: &Key) -> Result<Option<CreatedKey>, ActionError<KeyError>> {
        let created =
            |it: &Option<CreatedKey>| it.as_ref().map(|it| AuditObject::new(&it.id, &it.name));
        let work = keys::rotate(self.0.deps, self.0.organization, key);
        self.0.perform(MemberAction::KeyCreated, work, created).await
    }

    /// Deletes a key permanently. Deleting the key of a connection disconnects the application.
    /// Returns `false` if it does not exist.
    pub async fn delete(&self, key: &Key) -> Result<bool, ActionError<persistence::Error>> {
        let action = match key.kind {
            KeyKind::Connection => MemberAction::ConnectionEnded,
            KeyKind::Manual => MemberAction::KeyDeleted,
        };
        let work = keys::delete(self.0.deps, self.0.organization, &key.client_id);
        self.0.perform(action, work, |done| object(key, *done)).await
    }

    /// Sets the caps of a connection's key. Returns `false` if it does not exist.
    pub async fn cap(
        &self,
        key: &Key,
        caps: ConnectionCaps,
    ) -> Result<bool, ActionError<persistence::Error>> {
        let work = connections::cap(self.0.deps, self.0.organization, key.id, caps);
        self.0.perform(MemberAction::ConnectionCapped, work, |done| object(key, *done)).await
    }
}

fn object(key: &Key, done: bool) -> Option<AuditObject> {
    done.then(|| AuditObject::new(key.id, &key.name))
}
