//! The conversations that a member may see (`docs/contract.md#roles`). An organization can limit
//! the role support to conversations that are unassigned or assigned to the member.

use domain::id::ConversationId;
use domain::role::VisibleConversations;
use persistence::records::ConversationWithContact;
use persistence::{Reader, Result};
use platform::Deps;
use std::collections::BTreeSet;

/// Returns those of these conversations that the member may not see.
pub async fn hidden(
    deps: &Deps,
    reader: Reader,
    visible: VisibleConversations,
    of: impl IntoIterator<Item = ConversationId>,
) -> Result<BTreeSet<ConversationId>> {
    let VisibleConversations::OwnAndUnassigned(member) = visible else {
        return Ok(BTreeSet::new());
    };
    let of: Vec<ConversationId> = of.into_iter().collect();
    if of.is_empty() {
        return Ok(BTreeSet::new());
    }
    let hidden = deps.db.reads(reader).conversations_of_others(of, member).await?;
    Ok(hidden.into_iter().collect())
}

pub async fn is_visible(
    deps: &Deps,
    reader: Reader,
    visible: VisibleConversations,
    conversation: ConversationId,
) -> Result<bool> {
    Ok(hidden(deps, reader, visible, [conversation]).await?.is_empty())
}

/// Removes the contacts whose conversations the member may not see.
pub async fn retain_visible(
    deps: &Deps,
    reader: Reader,
    visible: VisibleConversations,
    found: &mut Vec<ConversationWithContact>,
) -> Result<()> {
    let hidden = hidden(deps, reader, visible, found.iter().map(|it| it.conversation.id)).await?;
    found.retain(|it| !hidden.contains(&it.conversation.id));
    Ok(())
}
