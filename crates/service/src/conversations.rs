//! What was said: messages and the history of a number (`docs/contract.md#messages-and-history`).

use crate::Deps;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use persistence::rows::{Conversation, Message};
use persistence::{Db, Result};

/// Which part of a history is wanted.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// The number that it was said with.
    pub phone_number: String,
    /// The organization's number that the caller is confined to, if it is.
    pub account: Option<AccountId>,
    /// Whether the oldest message comes first.
    pub oldest_first: bool,
    /// Maximum number of messages.
    pub limit: i64,
    /// How many are left out before them.
    pub offset: i64,
}

/// A part of a history.
#[derive(Clone, Debug)]
pub struct History {
    /// The messages.
    pub messages: Vec<Message>,
    /// How many there are in all.
    pub total: i64,
    /// The conversation, if there is exactly one.
    pub conversation: Option<Conversation>,
}

/// A message of the organization, or of the number that the caller is confined to.
pub async fn message(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<Message>> {
    deps.db.organization(organization).message(account, id).await
}

/// What was said with a number.
pub async fn history(
    deps: &Deps,
    organization: OrganizationId,
    wanted: HistoryRequest,
) -> Result<History> {
    let HistoryRequest { phone_number, account, oldest_first, limit, offset } = wanted;
    let theirs = deps.db.organization(organization);
    let mut met = theirs.conversations_with(phone_number, account).await?;
    let total = met.iter().map(|conversation| conversation.message_count).sum();
    let within: Vec<ConversationId> = met.iter().map(|conversation| *conversation.id).collect();
    let messages = match within.as_slice() {
        _ if offset >= total => Vec::new(),
        [only] => {
            let places = positions(total, oldest_first, (limit, offset));
            theirs.part(*only, places, oldest_first).await?
        }
        _ => {
            let read = move |db: Db| async move {
                let theirs = db.organization(organization);
                theirs.page_of_several(within, oldest_first, limit, offset).await
            };
            deps.reads.run(organization, &deps.db, read).await?
        }
    };
    let conversation = if met.len() == 1 { met.pop() } else { None };
    Ok(History { messages, total, conversation })
}

/// The first and the last position of a page: a conversation of so many messages numbers them from 1, without
/// gaps, in the order in which they were accepted.
const fn positions(total: i64, oldest_first: bool, (limit, offset): (i64, i64)) -> (i64, i64) {
    if oldest_first {
        (offset + 1, offset + limit)
    } else {
        (total - offset - limit + 1, total - offset)
    }
}
