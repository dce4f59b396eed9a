//! API keys of an organization (`docs/contract.md#api-keys`). Members manage them in the dashboard,
//! operators on the command line.

use auth::secret::{Holder, Secret, client_id};
use domain::id::{AccountId, Id, KeyId, OrganizationId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use persistence::records::Key;
use persistence::{Db, Reader, Seen};
use platform::Deps;
use platform::clock::Clock;
use platform::entropy::Entropy;
use serde::Serialize;

pub struct Keys<'a> {
    pub(crate) db: &'a Db,
    pub(crate) clock: &'a Clock,
    pub(crate) entropy: &'a Entropy,
    pub(crate) organization: OrganizationId,
}

const PAGE_SIZE: u8 = 25;

/// A key as lists show it.
pub struct ListedKey {
    pub key: Key,
    /// The time of the last use, to the second.
    pub last_used_at: Option<Timestamp>,
}

pub struct KeyPage {
    /// The keys, newest first.
    pub keys: Vec<ListedKey>,
    /// Whether there are older keys.
    pub more: bool,
}

/// A key to create.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub name: Name,
    pub scopes: ScopeSet,
    /// The account that the key is bound to.
    pub account: Option<AccountId>,
    /// The maximum number of calls per minute.
    pub rate_limit: RateLimit,
}

/// A new key with its secret, which is shown only here.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct CreatedKey {
    pub id: String,
    pub name: String,
    pub client_id: String,
    pub client_secret: String,
    pub scopes: Vec<&'static str>,
    pub rate_limit: u32,
    pub account_id: Option<String>,
}

/// The reason why a key is not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The account to bind the key to does not belong to the organization.
    #[error("the organization has no number {0}")]
    NoNumber(AccountId),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl<'a> Keys<'a> {
    /// Returns the use cases for an organization's keys.
    #[must_use]
    pub const fn new(deps: &'a Deps, organization: OrganizationId) -> Self {
        Self { db: &deps.db, clock: &deps.clock, entropy: &deps.entropy, organization }
    }
}

impl Keys<'_> {
    /// Loads a page of keys, newest first, after the key `after`.
    pub async fn page(&self, seen: Seen, after: Option<KeyId>) -> persistence::Result<KeyPage> {
        let one_more = i64::from(PAGE_SIZE) + 1;
        let organization_db = self.db.reads(Reader { organization: self.organization, seen });
        let mut keys = organization_db.list_own_keys(after, one_more).await?;
        let more = keys.len() > usize::from(PAGE_SIZE);
        keys.truncate(usize::from(PAGE_SIZE));
        let uses = organization_db.last_uses(keys.iter().map(|key| key.id).collect()).await?;
        let listed = |key: Key| ListedKey { last_used_at: uses.get(&key.id).copied(), key };
        Ok(KeyPage { keys: keys.into_iter().map(listed).collect(), more })
    }

    /// Returns the time of the last use of a key, to the second.
    pub async fn last_used(&self, seen: Seen, id: KeyId) -> persistence::Result<Option<Timestamp>> {
        let theirs = self.db.reads(Reader { organization: self.organization, seen });
        Ok(theirs.last_uses(vec![id]).await?.get(&id).copied())
    }

    pub async fn find(&self, id: KeyId) -> persistence::Result<Option<Key>> {
        self.db.organization(self.organization).own_key(id).await
    }

    pub async fn create(&self, new: NewKey) -> Result<CreatedKey, KeyError> {
        if let Some(account) = new.account {
            let found = self.db.organization(self.organization).account(account).await?;
            found.ok_or(KeyError::NoNumber(account))?;
        }
        let now = self.clock.now();
        let (id, secret): (KeyId, _) =
            (Id::new(now, self.entropy.id_bytes()), Secret::new(self.entropy.bytes()));
        let client_id = client_id(Holder::Key, self.entropy.bytes());
        let scopes: Vec<&'static str> = new.scopes.iter().map(Scope::as_str).collect();
        let row = Key {
            id,
            organization_id: self.organization,
            client_id: client_id.clone(),
            secret_digest: secret.digest().as_bytes().to_vec(),
            name: new.name.to_string(),
            kind: KeyKind::Manual,
            state: KeyState::Active,
            account_id: new.account,
            scopes: scopes.join(" "),
            rate_limit: new.rate_limit,
            created_at: now,
        };
        self.db.insert_key(row).await?;
        Ok(CreatedKey {
            id: id.to_string(),
            name: new.name.to_string(),
            client_id,
            client_secret: secret.reveal().to_owned(),
            scopes,
            rate_limit: new.rate_limit.number(),
            account_id: new.account.map(|id| id.to_string()),
        })
    }

    /// Changes the name and the rate limit of a key. Returns `false` if it does not exist.
    pub async fn change(
        &self,
        id: KeyId,
        name: &Name,
        rate_limit: RateLimit,
    ) -> Result<bool, KeyError> {
        let organization_db = self.db.organization(self.organization);
        Ok(organization_db.change_key(id, name.to_string(), rate_limit).await?)
    }

    /// Enables or disables a key. Returns `false` if it does not exist.
    pub async fn set_state(&self, client_id: &str, state: KeyState) -> persistence::Result<bool> {
        self.db.organization(self.organization).set_key_state(client_id.to_owned(), state).await
    }

    /// Deletes a key permanently, and ends its connection if it has one. Returns `false` if it does
    /// not exist.
    pub async fn delete(&self, client_id: &str) -> persistence::Result<bool> {
        let (client_id, at) = (client_id.to_owned(), self.clock.now());
        self.db.organization(self.organization).delete_key(client_id, at).await
    }
}
