//! API keys of an organization (`docs/contract.md#api-keys`): members manage them in the dashboard, operators on the
//! command line.

use crate::clock::Clock;
use crate::entropy::Entropy;
use auth::secret::{Holder, Secret, client_id};
use domain::id::{AccountId, Id, KeyId, OrganizationId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use persistence::records::Key;
use persistence::{Db, Reader, Seen};
use serde::Serialize;

/// The keys of one organization.
pub struct Keys<'a> {
    pub(crate) db: &'a Db,
    pub(crate) clock: &'a Clock,
    pub(crate) entropy: &'a Entropy,
    pub(crate) organization: OrganizationId,
}

/// Keys of a page.
const PAGE_SIZE: u8 = 50;

/// A key as lists show it.
pub struct ListedKey {
    /// The key.
    pub key: Key,
    /// When it was last used, to a second.
    pub last_used_at: Option<Timestamp>,
}

/// A page of an organization's keys.
pub struct KeyPage {
    /// The keys, the newest first.
    pub keys: Vec<ListedKey>,
    /// Whether there are older ones.
    pub more: bool,
}

/// A key to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its name.
    pub name: Name,
    /// What it may do.
    pub scopes: ScopeSet,
    /// The number that it is bound to.
    pub account: Option<AccountId>,
    /// Calls a minute.
    pub rate_limit: RateLimit,
}

/// A key that was made, with its secret, which is shown here and never again.
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

/// Why a key is not made or changed.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The number that it would be bound to is not the organization's.
    #[error("the organization has no number {0}")]
    NoNumber(AccountId),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl Keys<'_> {
    /// A page of them, the newest first: those after this one.
    pub async fn page(&self, seen: Seen, after: Option<KeyId>) -> persistence::Result<KeyPage> {
        let one_more = i64::from(PAGE_SIZE) + 1;
        let theirs = self.db.reads(Reader { organization: self.organization, seen });
        let mut keys = theirs.keys_of(after, one_more).await?;
        let more = keys.len() > usize::from(PAGE_SIZE);
        keys.truncate(usize::from(PAGE_SIZE));
        let uses = theirs.last_uses(keys.iter().map(|key| key.id).collect()).await?;
        let listed = |key: Key| ListedKey { last_used_at: uses.get(&key.id).copied(), key };
        Ok(KeyPage { keys: keys.into_iter().map(listed).collect(), more })
    }

    /// The one of that id.
    pub async fn find(&self, id: KeyId) -> persistence::Result<Option<Key>> {
        self.db.organization(self.organization).own_key(id).await
    }

    /// Makes a key.
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

    /// Gives a key another name and another limit; `false` if there is none of that id.
    pub async fn change(
        &self,
        id: KeyId,
        name: &Name,
        rate_limit: RateLimit,
    ) -> Result<bool, KeyError> {
        let theirs = self.db.organization(self.organization);
        Ok(theirs.change_key(id, name.to_string(), rate_limit).await?)
    }

    /// Switches a key on or off; `false` if there is none of that client id.
    pub async fn set_state(&self, client_id: &str, state: KeyState) -> persistence::Result<bool> {
        self.db.organization(self.organization).set_key_state(client_id.to_owned(), state).await
    }

    /// Removes a key permanently, and ends the connection that it belongs to; `false` if there is none of that
    /// client id.
    pub async fn delete(&self, client_id: &str) -> persistence::Result<bool> {
        let (client_id, at) = (client_id.to_owned(), self.clock.now());
        self.db.organization(self.organization).delete_key(client_id, at).await
    }
}
