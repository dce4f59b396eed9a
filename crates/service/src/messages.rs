//! Use cases for messages that exist (`docs/contract.md#messages`).

use crate::sending::{self, Author, SendError, SendOutcome, Sender};
use crate::usage;

use domain::id::{AccountId, MemberId, MessageId, OrganizationId};
use domain::message::{Direction, Draft, MessageStatus, Recipient};
use domain::number::saturating;
use domain::plan::BillingRefusal;
use domain::time::Timestamp;
use persistence::content::{Unreadable, decode};
use persistence::records::{Contact, Message, MessageFilter, MessageScan};
use persistence::{Db, Reader, Result};
use platform::Deps;
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum number of messages that are scanned for a page of a filtered list.
pub const MAX_SCANNED_MESSAGES: i64 = 5_000;
/// Maximum number of failed messages that are counted.
pub const MAX_COUNTED_FAILURES: i64 = 100;
/// Maximum time from the time of a message to its record, for lists with `since` or `until`. Copies
/// of messages that were sent from the business's phone can be late.
const RECORDED_WITHIN: Duration = Duration::from_hours(1);

/// A page of messages, newest first.
#[derive(Clone, Debug)]
pub struct MessagePage {
    pub found: Vec<(Message, Contact)>,
    /// The id to continue before, if there may be more messages. A page of a filtered list may be
    /// short or empty although older messages match.
    pub next_before: Option<MessageId>,
}

/// The reason why a member's message is not sent.
#[derive(Debug, thiserror::Error)]
pub enum MemberSendError {
    #[error("the message does not exist")]
    NotFound,
    /// Only a failed message can be sent again.
    #[error("the message did not fail")]
    NotFailed,
    /// A member has sent the failed message again, and that message has not failed.
    #[error("the message was sent again before: {0}")]
    SentAgain(MessageId),
    /// All calls of the organization are refused, and so are messages of its members.
    #[error("billing refuses the organization's messages: {0:?}")]
    Billing(BillingRefusal),
    /// The stored content cannot be read.
    #[error("the message cannot be read: {0}")]
    Unreadable(#[from] Unreadable),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Counts the messages that were accepted since a time and failed. Only the newest
/// [`MAX_COUNTED_FAILURES`] failed messages are looked at.
pub async fn count_failed_since(deps: &Deps, reader: Reader, since: Timestamp) -> Result<usize> {
    let newest = deps.db.reads(reader).newest_failed_messages(MAX_COUNTED_FAILURES).await?;
    Ok(newest.into_iter().filter(|id| id.made_at() >= since).count())
}

/// Sends a message that a member writes in the dashboard. It is checked and counted like a message
/// of the API. `author` states the condition under which it is sent.
pub async fn send_as_member(
    deps: &Deps,
    organization: OrganizationId,
    member: MemberId,
    account: AccountId,
    draft: Draft,
    author: Author,
) -> Result<MessageId, MemberSendError> {
    let found = deps.db.organization(organization).find_with_plan().await?;
    let (row, plan) = found.ok_or(MemberSendError::NotFound)?;
    if let Some(why) = usage::refusal(row.subscription_status, plan.as_ref()) {
        return Err(MemberSendError::Billing(why));
    }
    let sender = Sender {
        organization,
        account,
        bound_to: Some(account),
        allowance: usage::messages_limit(plan.as_ref()),
        author,
        member: Some(member),
        key: None,
        connection_key: None,
        cap: None,
        pauses_agent: false,
    };
    match sending::send(deps, &sender, draft, None).await? {
        SendOutcome::Accepted(accepted) => Ok(accepted.id),
        SendOutcome::Answered(_) => {
            let why = "a stored answer was found for a message of a member";
            Err(persistence::Error::Internal(why.to_owned()).into())
        }
    }
}

/// Sends a failed message again, as a new message to the same contact. If several members do so at
/// the same time, only one of them sends it.
pub async fn resend(
    deps: &Deps,
    reader: Reader,
    member: MemberId,
    id: MessageId,
) -> Result<MessageId, MemberSendError> {
    let found = deps.db.reads(reader).message_with_contact(None, id).await?;
    let (message, contact) = found.ok_or(MemberSendError::NotFound)?;
    if message.direction != Direction::Outbound || message.status != MessageStatus::Failed {
        return Err(MemberSendError::NotFailed);
    }
    let draft = Draft {
        recipient: Recipient::Contact(contact.id),
        content: decode(message.content_format, message.kind, &message.content.0)?,
        reply_to: message.reply_to,
        client_ref: message.client_ref,
        metadata: BTreeMap::new(),
        fallback: None,
    };
    let (organization, account, author) =
        (reader.organization, message.account_id, Author::Again(id));
    match send_as_member(deps, organization, member, account, draft, author).await {
        Err(MemberSendError::Send(SendError::AnsweredMeanwhile(other))) => {
            Err(MemberSendError::SentAgain(other.message))
        }
        outcome => outcome,
    }
}

/// Lists the newest matching messages before `before`.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    filter: MessageFilter,
    before: Option<MessageId>,
    limit: i64,
) -> Result<MessagePage> {
    let since = filter.since;
    let before = start(filter.until, before);
    let one_more = limit.saturating_add(1);
    let read = move |db: Db| async move {
        db.reads(reader).list_messages(filter, before, one_more, MAX_SCANNED_MESSAGES).await
    };
    let MessageScan { mut found, oldest_scanned } =
        deps.read_limiter.run(reader.organization, &deps.db, read).await?;
    let shown = saturating(limit, usize::MAX);
    let next_before = if found.len() > shown {
        found.truncate(shown);
        found.last().map(|(message, _)| message.id)
    } else {
        oldest_scanned.filter(|it| !is_past(it, since))
    };
    Ok(MessagePage { found, next_before })
}

/// Returns the id before which a list with this `until` begins. An id begins with the time of the
/// record, which may be later than the time of the message.
fn start(until: Option<Timestamp>, before: Option<MessageId>) -> Option<MessageId> {
    let recorded = until.map(|until| MessageId::new(until.plus(RECORDED_WITHIN), [0; 10]));
    before.into_iter().chain(recorded).min()
}

/// Whether all messages before this one are older than `since`.
fn is_past(id: &MessageId, since: Option<Timestamp>) -> bool {
    since.is_some_and(|since| id.made_at() < since)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        Timestamp::from_seconds(1_800_000_000)
    }

    #[test]
    fn a_list_until_a_time_begins_an_hour_later() {
        let after = MessageId::new(noon().plus(Duration::from_hours(2)), [0; 10]);
        let within = MessageId::new(noon().plus(Duration::from_mins(30)), [0; 10]);
        assert_eq!(start(None, None), None);
        assert_eq!(start(None, Some(after)), Some(after));
        assert_eq!(start(Some(noon()), Some(within)), Some(within));
        let begins = start(Some(noon()), Some(after)).unwrap();
        assert_eq!(begins.made_at(), noon().plus(RECORDED_WITHIN));
    }

    #[test]
    fn a_list_since_a_time_ends_there() {
        let id = MessageId::new(noon(), [0; 10]);
        assert!(!is_past(&id, None));
        assert!(!is_past(&id, Some(noon())));
        assert!(is_past(&id, Some(noon().plus(Duration::from_secs(1)))));
    }
}
