//! API keys of an organization (`docs/contract.md#api-keys`). Members manage them in the dashboard,
//! operators on the command line.

use auth::secret::{Holder, Secret, client_id};
use domain::id::{AccountId, Id, KeyId, OrganizationId};
use domain::key::{KeyFilter, KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::number::saturating;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use persistence::Reader;
use persistence::records::{Key, UnreadableRow};
use platform::BaseDeps;
use serde::Serialize;

const PAGE_SIZE: u8 = 25;

/// Maximum number of keys that are scanned for a page of a filtered list.
const MAX_SCANNED_KEYS: i64 = 2_000;

/// A key as lists show it.
pub struct ListedKey {
    pub key: Key,
    /// The time of the last use, to the second.
    pub last_used_at: Option<Timestamp>,
}

pub struct KeyPage {
    /// The keys, newest first.
    pub keys: Vec<ListedKey>,
    /// The id to continue after, if there may be more keys. A page of a filtered list may be short
    /// or empty although older keys match.
    pub next_after: Option<KeyId>,
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
    /// The key to replace cannot be read by this version.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Loads a page of the keys that a filter includes, newest first, after the key `after`.
pub async fn page(
    deps: &BaseDeps,
    reader: Reader,
    filter: &KeyFilter,
    after: Option<KeyId>,
) -> persistence::Result<KeyPage> {
    let most = usize::from(PAGE_SIZE);
    let scanned = if filter.is_empty() { i64::from(PAGE_SIZE) + 1 } else { MAX_SCANNED_KEYS };
    let organization_db = deps.db.reads(reader);
    let mut keys = organization_db.list_own_keys(after, scanned).await?;
    let is_full = saturating(keys.len(), i64::MAX) >= scanned;
    let oldest = keys.last().map(|key| key.id).filter(|_| is_full);
    keys.retain(|it| filter.includes(&it.name, &it.client_id, it.state, it.kind));
    let next_after = if keys.len() > most {
        keys.truncate(most);
        keys.last().map(|key| key.id)
    } else {
        oldest
    };
    let uses = organization_db.last_uses(keys.iter().map(|key| key.id).collect()).await?;
    let listed = |key: Key| ListedKey { last_used_at: uses.get(&key.id).copied(), key };
    Ok(KeyPage { keys: keys.into_iter().map(listed).collect(), next_after })
}

/// Returns up to `limit` keys, newest first.
pub async fn newest(deps: &BaseDeps, reader: Reader, limit: i64) -> persistence::Result<Vec<Key>> {
    deps.db.reads(reader).list_own_keys(None, limit).await
}

/// Returns the time of the last use of a key, to the second.
pub async fn last_used(
    deps: &BaseDeps,
    reader: Reader,
    id: KeyId,
) -> persistence::Result<Option<Timestamp>> {
    let theirs = deps.db.reads(reader);
    Ok(theirs.last_uses(vec![id]).await?.get(&id).copied())
}

pub async fn find(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: KeyId,
) -> persistence::Result<Option<Key>> {
    deps.db.organization(organization).own_key(id).await
}

/// Finds a key by its client id.
pub async fn find_by_client_id(
    deps: &BaseDeps,
    organization: OrganizationId,
    client_id: &str,
) -> persistence::Result<Option<Key>> {
    let organization_db = deps.db.organization(organization);
    organization_db.key_of_client_id(client_id.to_owned()).await
}

pub async fn create(
    deps: &BaseDeps,
    organization: OrganizationId,
    new: NewKey,
) -> Result<CreatedKey, KeyError> {
    if let Some(account) = new.account {
        let found = deps.db.organization(organization).account(account).await?;
        found.ok_or(KeyError::NoNumber(account))?;
    }
    let now = deps.clock.now();
    let (id, secret): (KeyId, _) =
        (Id::new(now, deps.entropy.id_bytes()), Secret::new(deps.entropy.bytes()));
    let client_id = client_id(Holder::Key, deps.entropy.bytes());
    let scopes: Vec<&'static str> = new.scopes.iter().map(Scope::as_str).collect();
    let row = Key {
        id,
        organization_id: organization,
        client_id: client_id.clone(),
        secret_digest: secret.digest().as_bytes().to_vec(),
        name: new.name.to_string(),
        kind: KeyKind::Manual,
        state: KeyState::Active,
        account_id: new.account,
        scopes: scopes.join(" "),
        rate_limit: new.rate_limit,
        created_at: now,
        messages_per_month: None,
        expires_at: None,
    };
    deps.db.insert_key(row).await?;
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

/// Creates a key with the name, scopes, account and rate limit of another one, which keeps
/// working until it is disabled. Returns `None` for the key of a connection, because its secret
/// belongs to the application.
pub async fn rotate(
    deps: &BaseDeps,
    organization: OrganizationId,
    key: &Key,
) -> Result<Option<CreatedKey>, KeyError> {
    if key.kind == KeyKind::Connection {
        return Ok(None);
    }
    let name = Name::parse(&key.name).map_err(|why| UnreadableRow::new("name", &key.id, why))?;
    let scopes = key.granted_scopes()?;
    let new = NewKey { name, scopes, account: key.account_id, rate_limit: key.rate_limit };
    create(deps, organization, new).await.map(Some)
}

/// Changes the name and the rate limit of a key. Returns `false` if it does not exist.
pub async fn change(
    deps: &BaseDeps,
    organization: OrganizationId,
    id: KeyId,
    name: &Name,
    rate_limit: RateLimit,
) -> Result<bool, KeyError> {
    let organization_db = deps.db.organization(organization);
    Ok(organization_db.change_key(id, name.to_string(), rate_limit).await?)
}

/// Enables or disables a key. Returns `false` if it does not exist.
pub async fn set_state(
    deps: &BaseDeps,
    organization: OrganizationId,
    client_id: &str,
    state: KeyState,
) -> persistence::Result<bool> {
    deps.db.organization(organization).set_key_state(client_id.to_owned(), state).await
}

/// Deletes a key permanently, and ends its connection if it has one. Returns `false` if it does
/// not exist.
pub async fn delete(
    deps: &BaseDeps,
    organization: OrganizationId,
    client_id: &str,
) -> persistence::Result<bool> {
    let (client_id, at) = (client_id.to_owned(), deps.clock.now());
    deps.db.organization(organization).delete_key(client_id, at).await
}
