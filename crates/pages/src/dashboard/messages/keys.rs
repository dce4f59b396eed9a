//! The API keys with which messages were sent: the filter by key, and the key of one message.

use crate::browser::PageError;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::keys::shortened;
use domain::id::KeyId;
use http_layer::deps::ServerDeps;
use persistence::records::Key;
use service::keys;

/// Maximum number of keys in the filter, without the chosen one.
const MAX_LISTED: i64 = 100;

/// The key with which a message was sent.
pub struct SendingKey {
    pub id: String,
    /// The name, or `None` if the key was deleted.
    pub name: Option<String>,
}

impl SendingKey {
    /// Finds the key of a message. Returns `None` if the message was not sent with a key.
    pub async fn of(
        deps: &ServerDeps,
        member_context: &MemberContext,
        id: Option<KeyId>,
    ) -> Result<Option<Self>, PageError> {
        let Some(id) = id else { return Ok(None) };
        let found = keys::find(deps, member_context.id(), id).await?;
        Ok(Some(Self { id: id.to_string(), name: found.map(|key| key.name) }))
    }
}

/// Returns the options of the filter by key: the newest keys and the chosen one, by their names. The
/// chosen key may have been deleted.
pub async fn options(
    deps: &ServerDeps,
    member_context: &MemberContext,
    chosen: Option<KeyId>,
) -> Result<Vec<(String, String)>, PageError> {
    let mut listed = keys::newest(deps, member_context.reader(), MAX_LISTED).await?;
    let mut unknown = None;
    if let Some(id) = chosen.filter(|id| listed.iter().all(|key| key.id != *id)) {
        match keys::find(deps, member_context.id(), id).await? {
            Some(key) => listed.push(key),
            None => unknown = Some((id.to_string(), "Deleted or unknown key".to_owned())),
        }
    }
    listed.sort_by_cached_key(|key| (key.name.to_lowercase(), key.id));
    let all = std::iter::once((String::new(), "Any".to_owned()));
    let known = listed.iter().map(|key| (key.id.to_string(), label(key, &listed)));
    Ok(all.chain(known).chain(unknown).collect())
}

/// Returns the name of a key, with its client id if another key has the same name.
fn label(key: &Key, listed: &[Key]) -> String {
    let is_shared = listed.iter().any(|other| other.id != key.id && other.name == key.name);
    if is_shared {
        format!("{} ({})", key.name, shortened(&key.client_id))
    } else {
        key.name.clone()
    }
}
