//! Texts that the members of an organization often send (`docs/contract.md#saved-replies`).

use domain::id::{OrganizationId, SavedReplyId};
use domain::saved_reply::{MAX_SAVED_REPLIES, SavedReplyContent};
use persistence::records::SavedReply;
use persistence::{Reader, Result};
use platform::Deps;

/// The reason why a saved reply is not stored.
#[derive(Debug, thiserror::Error)]
pub enum SavedReplyError {
    #[error("there are {MAX_SAVED_REPLIES} saved replies already; delete one first")]
    TooMany,
    #[error("the saved reply does not exist")]
    NotFound,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Returns the saved replies of the organization in the order of their names.
pub async fn list(deps: &Deps, reader: Reader) -> Result<Vec<SavedReply>> {
    deps.db.reads(reader).list_saved_replies(most()).await
}

/// Finds a saved reply of the organization.
pub async fn find(deps: &Deps, reader: Reader, id: SavedReplyId) -> Result<Option<SavedReply>> {
    deps.db.reads(reader).find_saved_reply(id).await
}

/// Creates a saved reply.
pub async fn create(
    deps: &Deps,
    organization: OrganizationId,
    content: SavedReplyContent,
) -> Result<SavedReply, SavedReplyError> {
    let now = deps.clock.now();
    let SavedReplyContent { name, text } = content;
    let id = deps.id(now);
    let new = SavedReply {
        organization_id: organization,
        id,
        name,
        text,
        created_at: now,
        updated_at: now,
    };
    let organization_db = deps.db.organization(organization);
    if organization_db.insert_saved_reply(new.clone(), most()).await? {
        Ok(new)
    } else {
        Err(SavedReplyError::TooMany)
    }
}

/// Changes the name and the text of a saved reply.
pub async fn update(
    deps: &Deps,
    organization: OrganizationId,
    id: SavedReplyId,
    content: SavedReplyContent,
) -> Result<(), SavedReplyError> {
    let now = deps.clock.now();
    let organization_db = deps.db.organization(organization);
    let is_found = organization_db.update_saved_reply(id, content, now).await?;
    if is_found { Ok(()) } else { Err(SavedReplyError::NotFound) }
}

/// Deletes a saved reply. Returns `false` if it does not exist.
pub async fn delete(deps: &Deps, organization: OrganizationId, id: SavedReplyId) -> Result<bool> {
    deps.db.organization(organization).delete_saved_reply(id).await
}

fn most() -> i64 {
    domain::number::saturating(MAX_SAVED_REPLIES, i64::MAX)
}
