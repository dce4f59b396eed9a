//! Lists of an organization's messages.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::{Contact, Message, MessageFilter, MessageScan};
use crate::schema::{contacts, conversations, messages};
use crate::types::{Col, Positive};
use diesel::prelude::*;
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::message::MessageStatus;
use domain::number::saturating;

/// The condition of the index `messages_of_organization`. It is true for every message. A query
/// that reads the messages of an organization in the order of their ids includes this condition.
/// Queries without it cannot use the index by mistake (decision 137).
pub(super) const BY_ORGANIZATION: Positive<messages::position> = Positive(messages::position);

/// Reads the newest `scan` messages before `before`, and returns the messages that match, with
/// their contacts. The cost is thereby limited, also for a filter that few messages match. Failed
/// messages and messages with a `client_ref` have indexes of their own, and are found however old
/// they are. The id of a conversation that was merged into another selects the messages of the
/// other one.
pub async fn list_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: MessageFilter,
    before: Option<MessageId>,
    limit: i64,
    scan: i64,
) -> Result<MessageScan> {
    let conversation = match filter.conversation {
        Some(id) => Some(staying(conn, organization, id).await?),
        None => None,
    };
    let scanned = match conversation {
        Some(conversation) => {
            Scanned::Positions(positions(conn, organization, conversation, before, scan).await?)
        }
        None if filter.is_indexed() => Scanned::Ids(None),
        None => Scanned::Ids(oldest_scanned(conn, organization, before, scan).await?),
    };
    let person = contacts::organization_id
        .eq(messages::organization_id)
        .and(contacts::id.eq(messages::contact_id));
    let mut matching = messages::table
        .inner_join(contacts::table.on(person))
        .filter(messages::organization_id.eq(Col(organization)))
        .limit(limit)
        .select((Message::as_select(), Contact::as_select()))
        .into_boxed();
    matching = match scanned {
        Scanned::Positions((first, last)) => matching
            .filter(messages::position.between(first, last))
            .order(messages::position.desc()),
        Scanned::Ids(_) if filter.has_own_index() => matching.order(messages::id.desc()),
        Scanned::Ids(_) => matching.filter(BY_ORGANIZATION).order(messages::id.desc()),
    };
    if let Some(conversation) = conversation {
        matching = matching.filter(messages::conversation_id.eq(Col(conversation)));
    } else if let Some(before) = before {
        matching = matching.filter(messages::id.lt(Col(before)));
    }
    if let Scanned::Ids(Some(oldest)) = scanned {
        matching = matching.filter(messages::id.ge(Col(oldest)));
    }
    if let Some(account) = filter.account {
        matching = matching.filter(messages::account_id.eq(Col(account)));
    }
    if let Some(direction) = filter.direction {
        matching = matching.filter(messages::direction.eq(Col(direction)));
    }
    if let Some(kind) = filter.kind {
        matching = matching.filter(messages::kind.eq(Col(kind)));
    }
    if let Some(source) = filter.source {
        matching = matching.filter(messages::source.eq(Col(source)));
    }
    if let Some(status) = filter.status {
        matching = matching.filter(messages::status.eq(Col(status)));
    }
    if filter.status == Some(MessageStatus::Failed) {
        // Every failed message has a failure. The condition lets the database use the index
        // `messages_failed`.
        matching = matching.filter(messages::failure.is_not_null());
    }
    if let Some(client_ref) = filter.client_ref {
        matching = matching.filter(messages::client_ref.eq(Some(client_ref)));
    }
    if let Some(key) = filter.key {
        matching = matching.filter(messages::key_id.eq(Some(Col(key))));
    }
    if let Some(since) = filter.since {
        matching = matching.filter(messages::created_at.ge(Col(since)));
    }
    if let Some(until) = filter.until {
        matching = matching.filter(messages::created_at.lt(Col(until)));
    }
    let found: Vec<(Message, Contact)> = matching.load(conn).await?;
    let is_full = saturating(found.len(), i64::MAX) >= limit;
    let oldest_scanned = match (scanned, conversation) {
        _ if is_full => None,
        (Scanned::Ids(oldest), _) => oldest,
        (Scanned::Positions((first, _)), Some(conversation)) if first > 1 => {
            message_at(conn, organization, conversation, first).await?
        }
        (Scanned::Positions(_), _) => None,
    };
    Ok(MessageScan { found, oldest_scanned })
}

/// Returns the conversation into which this one was merged, or this one if it was not merged.
async fn staying(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<ConversationId> {
    let row = conversations::table.find((Col(organization), Col(id)));
    let merged_into: Option<Option<Col<ConversationId>>> =
        row.select(conversations::merged_into).get_result(conn).await.optional()?;
    Ok(merged_into.flatten().map_or(id, |it| it.0))
}

/// Returns the ids of the newest failed messages, the newest first.
pub async fn newest_failed_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    limit: i64,
) -> Result<Vec<MessageId>> {
    let newest = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        // Only failed messages have a failure. The condition lets the database use the index
        // `messages_failed`.
        .filter(messages::failure.is_not_null())
        .order(messages::id.desc())
        .limit(limit)
        .select(messages::id);
    let newest: Vec<Col<MessageId>> = newest.load(conn).await?;
    Ok(newest.into_iter().map(|id| id.0).collect())
}

/// The messages among which a page searches.
#[derive(Clone, Copy)]
enum Scanned {
    /// Messages from this id on, or all messages if there is no id.
    Ids(Option<MessageId>),
    /// Messages at positions of a conversation, from the first to the last, including both.
    Positions((i64, i64)),
}

/// Returns the id of the oldest message that is read for a page, or `None` if all messages are
/// read.
async fn oldest_scanned(
    conn: &mut Conn,
    organization: OrganizationId,
    before: Option<MessageId>,
    scan: i64,
) -> Result<Option<MessageId>> {
    let mut ids = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(BY_ORGANIZATION)
        .order(messages::id.desc())
        .offset(scan - 1)
        .limit(1)
        .select(messages::id)
        .into_boxed();
    if let Some(before) = before {
        ids = ids.filter(messages::id.lt(Col(before)));
    }
    let oldest: Option<Col<MessageId>> = ids.get_result(conn).await.optional()?;
    Ok(oldest.map(|id| id.0))
}

/// Returns the first and the last position that are read for a page of a conversation. The messages
/// of a conversation are numbered from 1 without gaps. `before` may be an id that belongs to no
/// message and only represents a time.
async fn positions(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    before: Option<MessageId>,
    scan: i64,
) -> Result<(i64, i64)> {
    let of_conversation = || {
        messages::table
            .filter(messages::conversation_id.eq(Col(conversation)))
            .filter(messages::organization_id.eq(Col(organization)))
    };
    let newest = of_conversation().order(messages::position.desc()).limit(1);
    let newest: Option<i64> =
        newest.select(messages::position).get_result(conn).await.optional()?;
    let mut last = newest.unwrap_or(0);
    if let Some(before) = before {
        let named = of_conversation().filter(messages::id.eq(Col(before)));
        let named: Option<i64> =
            named.select(messages::position).get_result(conn).await.optional()?;
        last = match named {
            Some(position) => position - 1,
            None => last_before(conn, organization, conversation, before, last).await?,
        };
    }
    Ok((last.saturating_sub(scan - 1).max(1), last))
}

/// Returns the last of the positions up to `newest` whose message has a lower id than `before`. The ids
/// of a conversation ascend with the positions, but for messages of the same moment.
async fn last_before(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    before: MessageId,
    newest: i64,
) -> Result<i64> {
    let (mut lowest, mut highest) = (0, newest);
    while lowest < highest {
        let middle = highest - (highest - lowest) / 2;
        let id = message_at(conn, organization, conversation, middle).await?;
        if id.is_some_and(|id| id < before) {
            lowest = middle;
        } else {
            highest = middle - 1;
        }
    }
    Ok(lowest)
}

async fn message_at(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    position: i64,
) -> Result<Option<MessageId>> {
    let id = messages::table
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::position.eq(position))
        .select(messages::id);
    let id: Option<Col<MessageId>> = id.get_result(conn).await.optional()?;
    Ok(id.map(|id| id.0))
}
