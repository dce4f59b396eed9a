//! Messages, and the history with a contact (`docs/contract.md#messages-and-history`).

use domain::contact::Address;
use domain::id::{AccountId, ConversationId, MessageId};
use domain::message::Recipient;
use persistence::records::{Contact, ConversationWithContact, Message, PersonKey};
use persistence::{Db, Reader, Result};
use platform::Deps;

/// A selection of a history.
#[derive(Clone, Debug)]
pub struct HistoryRequest {
    /// The contact or the conversation.
    pub person: Recipient,
    /// The account that the caller is bound to, if any.
    pub account: Option<AccountId>,
    /// The account that the caller sends from, if any. A user id is looked up among the contacts of
    /// this account, unless the caller is bound to another.
    pub sends_from: Option<AccountId>,
    /// Whether the oldest message comes first.
    pub oldest_first: bool,
    /// Maximum number of messages.
    pub limit: i64,
    /// Number of messages to skip.
    pub offset: i64,
}

/// A page of a history.
#[derive(Clone, Debug)]
pub struct History {
    pub messages: Vec<Message>,
    /// Number of messages in the whole history.
    pub total: i64,
    /// The conversations that contain the messages.
    pub conversations: Vec<ConversationWithContact>,
}

/// The reason why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The contact or conversation does not exist, or the caller may not see it.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Finds a message with its contact, in the organization or in the account that the caller is
/// confined to.
pub async fn message(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<(Message, Contact)>> {
    deps.db.reads(reader).message_with_contact(account, id).await
}

/// Loads a page of the history with a contact.
pub async fn history(
    deps: &Deps,
    reader: Reader,
    wanted: HistoryRequest,
) -> Result<History, HistoryError> {
    let HistoryRequest { person, account, sends_from, oldest_first, limit, offset } = wanted;
    let found_conversations = conversations_with(deps, reader, account, sends_from, person).await?;
    let organization_db = deps.db.reads(reader);
    let total = found_conversations.iter().map(|it| it.conversation.message_count).sum();
    let ids: Vec<ConversationId> =
        found_conversations.iter().map(|it| it.conversation.id).collect();
    let messages = match ids.as_slice() {
        _ if offset >= total => Vec::new(),
        [only] => {
            let (from, to) = positions(total, oldest_first, limit, offset);
            organization_db.part(*only, from, to, oldest_first).await?
        }
        _ => {
            let read = move |db: Db| async move {
                let organization_db = db.reads(reader);
                organization_db.list_conversation_messages(ids, oldest_first, limit, offset).await
            };
            deps.read_limiter.run(reader.organization, &deps.db, read).await?
        }
    };
    Ok(History { messages, total, conversations: found_conversations })
}

/// Finds the conversations with a contact. If the id of a contact or a conversation is unknown, or
/// belongs to an account that the caller may not read, the result is "not found". A phone number
/// can match one conversation for each account of the organization. A user id matches only a
/// conversation of the account that the caller sends from.
async fn conversations_with(
    deps: &Deps,
    reader: Reader,
    account: Option<AccountId>,
    sends_from: Option<AccountId>,
    person: Recipient,
) -> Result<Vec<ConversationWithContact>, HistoryError> {
    let (named, what) = match person {
        Recipient::Phone(number) => {
            let number = match account {
                Some(account) => PersonKey::Address(Address::Phone(number), account),
                None => PersonKey::Number(number),
            };
            (number, None)
        }
        Recipient::User(id) => {
            let Some(account) = account.or(sends_from) else { return Ok(Vec::new()) };
            (PersonKey::Address(Address::User(id), account), None)
        }
        Recipient::Contact(id) => (PersonKey::Contact(id), Some("contact")),
        Recipient::Conversation(id) => (PersonKey::Conversation(id), Some("conversation")),
    };
    let mut found_conversations = deps.db.reads(reader).list_conversations(named).await?;
    found_conversations
        .retain(|it| account.is_none_or(|bound| bound == it.conversation.account_id));
    match what {
        Some(what) if found_conversations.is_empty() => Err(HistoryError::NotFound(what)),
        _ => Ok(found_conversations),
    }
}

/// Returns the first and the last position of a page. The messages of a conversation are numbered
/// from 1 without gaps, in the order of acceptance.
const fn positions(total: i64, oldest_first: bool, limit: i64, offset: i64) -> (i64, i64) {
    if oldest_first {
        (offset + 1, offset + limit)
    } else {
        (total - offset - limit + 1, total - offset)
    }
}
