//! Lists of the conversations in the inbox. The entries that match are read first; the other rows
//! of their conversations are read afterwards.
use super::contact_lookups::contact_of_conversation;
use super::inbox::{
    InboxRow, entry_of_conversation, inbox_columns, inbox_conversation, pausing_message,
};
use super::{Conn, RunQueryDsl, listed};
use crate::Result;
use crate::records::{
    Contact, Conversation, InboxAttention, InboxConversation, InboxCursor, InboxEntry, InboxFilter,
    InboxMemberState, InboxPart, Message, parse_labels,
};
use crate::schema::{contacts, conversations, inbox_entries, inbox_member_states, messages};
use crate::types::{Col, Document};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use domain::conversation::Agent;
use domain::id::{ConversationId, MemberId, OrganizationId};
use domain::inbox::{InboxState, ReadMark};
use domain::number::saturating;
use domain::role::VisibleConversations;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Selects a member's state of the conversation of an entry.
macro_rules! states_of_member {
    ($member:expr) => {
        inbox_member_states::table
            .filter(inbox_member_states::organization_id.eq(inbox_entries::organization_id))
            .filter(inbox_member_states::conversation_id.eq(inbox_entries::conversation_id))
            .filter(inbox_member_states::member_id.eq(Col($member)))
    };
}

/// Reads the `scan` conversations that follow `after`. The order is that of their newest messages,
/// the newest first. Returns up to `limit` conversations that match, each with the member's state.
pub async fn list_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    member: Option<MemberId>,
    filter: InboxFilter,
    after: Option<InboxCursor>,
    limit: i64,
    scan: i64,
) -> Result<InboxPart> {
    let (places, next) = matching(conn, organization, &filter, after, limit, scan).await?;
    let mut found = load(conn, organization, &places).await?;
    if let Some(member) = member {
        add_member_states(conn, organization, member, &mut found).await?;
    }
    Ok(InboxPart { found, next })
}

/// Reads the first `scan` conversations. Returns the number of conversations that match, at most
/// `most`.
pub async fn count_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: InboxFilter,
    most: i64,
    scan: i64,
) -> Result<usize> {
    let (places, _) = matching(conn, organization, &filter, None, most, scan).await?;
    Ok(places.len())
}

/// The assignee of a conversation, its counts of inbound and of answered messages, since when it
/// needs a person, and the member's read mark: the number of messages that the member has read, and
/// whether the member marked the conversation as unread.
type AttendedRow = (Option<Col<MemberId>>, i64, i64, Option<Col<Timestamp>>, Option<(i64, bool)>);

/// Counts the conversations that need a person, and those that a member has not read. Each count
/// covers only the `scan` conversations with the newest messages. The first count may stop at
/// `most`. Conversations that the member may not see are not counted.
pub async fn count_attention(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    visible: VisibleConversations,
    most: i64,
    scan: i64,
) -> Result<InboxAttention> {
    // A member who may see all conversations sees every entry that is read here, so no more than
    // `most` have to be read.
    let waiting_scan = if visible == VisibleConversations::All { most } else { scan };
    let waiting = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::needs_person_since.is_not_null())
        .order((inbox_entries::last_message_at.desc(), inbox_entries::conversation_id.desc()))
        .limit(waiting_scan)
        .select(inbox_entries::assignee_id);
    let waiting: Vec<Option<Col<MemberId>>> = waiting.load(conn).await?;
    let own_state = inbox_member_states::organization_id
        .eq(inbox_entries::organization_id)
        .and(inbox_member_states::conversation_id.eq(inbox_entries::conversation_id))
        .and(inbox_member_states::member_id.eq(Col(member)));
    let newest = inbox_entries::table
        .left_join(inbox_member_states::table.on(own_state))
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .order((inbox_entries::last_message_at.desc(), inbox_entries::conversation_id.desc()))
        .limit(scan)
        .select((
            inbox_entries::assignee_id,
            inbox_entries::inbound_count,
            inbox_entries::answered_count,
            inbox_entries::needs_person_since,
            (inbox_member_states::read_count, inbox_member_states::marked_unread).nullable(),
        ));
    let newest: Vec<AttendedRow> = newest.load(conn).await?;
    let sees = |assignee: Option<Col<MemberId>>| visible.includes(assignee.map(|it| it.0));
    let is_unread = |(_, inbound_count, answered_count, since, marked): &AttendedRow| {
        let (read_count, marked_unread) = marked.unwrap_or_default();
        let (inbound_count, answered_count) = (*inbound_count, *answered_count);
        let needs_person_since = since.map(|it| it.0);
        let state =
            InboxState { inbound_count, answered_count, needs_person_since, ..InboxState::new() };
        state.unread_count(ReadMark { read_count, marked_unread }) > 0
    };
    Ok(InboxAttention {
        needs_person: waiting.into_iter().filter(|assignee| sees(*assignee)).count(),
        unread: newest.into_iter().filter(|row| sees(row.0) && is_unread(row)).count(),
    })
}

/// Reads the `scan` entries that follow `after`. Returns the positions of up to `limit` entries
/// that match, and the position after which the next page begins, if there may be one.
async fn matching(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: &InboxFilter,
    after: Option<InboxCursor>,
    limit: i64,
    scan: i64,
) -> Result<(Vec<InboxCursor>, Option<InboxCursor>)> {
    // The conditions that an index can answer. The others are checked entry by entry.
    let indexed = || {
        let mut entries = inbox_entries::table
            .filter(inbox_entries::organization_id.eq(Col(organization)))
            .order((inbox_entries::last_message_at.desc(), inbox_entries::conversation_id.desc()))
            .into_boxed();
        if let Some(InboxCursor { last_message_at, conversation }) = after {
            let earlier = inbox_entries::last_message_at.lt(Col(last_message_at));
            let same = inbox_entries::last_message_at
                .eq(Col(last_message_at))
                .and(inbox_entries::conversation_id.lt(Col(conversation)));
            entries = entries
                .filter(inbox_entries::last_message_at.le(Col(last_message_at)))
                .filter(earlier.or(same));
        }
        if let Some(since) = filter.since {
            entries = entries.filter(inbox_entries::last_message_at.ge(Col(since)));
        }
        if let Some(status) = filter.status {
            entries = entries.filter(inbox_entries::status.eq(Col(status)));
        }
        if let Some(Some(member)) = filter.assignee {
            entries = entries.filter(inbox_entries::assignee_id.eq(Some(Col(member))));
        }
        if filter.needs_person == Some(true) {
            entries = entries.filter(inbox_entries::needs_person_since.is_not_null());
        }
        if let Some(among) = &filter.among {
            let among = listed(among.iter().copied().map(Col));
            entries = entries.filter(inbox_entries::conversation_id.eq_any(among));
        }
        entries
    };
    let place = (inbox_entries::last_message_at, inbox_entries::conversation_id);
    let oldest: Option<(Col<Timestamp>, Col<ConversationId>)> = if filter.is_indexed() {
        None
    } else {
        indexed().offset(scan - 1).limit(1).select(place).get_result(conn).await.optional()?
    };
    let oldest = oldest.map(|(at, id)| InboxCursor { last_message_at: at.0, conversation: id.0 });
    let mut entries = indexed();
    if let Some(oldest) = oldest {
        entries = entries.filter(inbox_entries::last_message_at.ge(Col(oldest.last_message_at)));
    }
    if let Some(account) = filter.account {
        entries = entries.filter(inbox_entries::account_id.eq(Col(account)));
    }
    if filter.assignee == Some(None) {
        entries = entries.filter(inbox_entries::assignee_id.is_null());
    }
    if let Some(member) = filter.own_or_unassigned {
        let own = inbox_entries::assignee_id.eq(Some(Col(member)));
        entries = entries.filter(inbox_entries::assignee_id.is_null().or(own));
    }
    if filter.needs_person == Some(false) {
        entries = entries.filter(inbox_entries::needs_person_since.is_null());
    }
    if let Some(agent) = filter.agent {
        let theirs = conversations::table
            .filter(conversations::organization_id.eq(inbox_entries::organization_id))
            .filter(conversations::id.eq(inbox_entries::conversation_id))
            .filter(conversations::agent_paused.eq(agent == Agent::Paused));
        entries = entries.filter(exists(theirs));
    }
    if let Some(member) = filter.unread_by {
        let inbound = inbox_entries::inbound_count;
        let read = states_of_member!(member).filter(inbox_member_states::read_count.ge(inbound));
        let marked = states_of_member!(member).filter(inbox_member_states::marked_unread);
        let calls = inbox_entries::needs_person_since.is_not_null().and(inbound.gt(0));
        let waits = inbound.gt(inbox_entries::answered_count).or(calls);
        let unread = waits.and(not(exists(read)));
        entries = entries.filter(unread.or(exists(marked)));
    }
    // Labels are compared here, because the two databases have different functions for JSON.
    let one_more = limit.saturating_add(1);
    let most = if filter.label.is_some() { scan } else { one_more };
    let rows = entries.limit(most).select((
        inbox_entries::last_message_at,
        inbox_entries::conversation_id,
        inbox_entries::labels,
    ));
    let rows: Vec<(Col<Timestamp>, Col<ConversationId>, Document)> = rows.load(conn).await?;
    let (one_more, mut places) = (saturating(one_more, usize::MAX), Vec::new());
    for (at, id, labels) in rows {
        let is_labeled = match &filter.label {
            Some(label) => parse_labels(id.0, &labels)?.contains(label),
            None => true,
        };
        if is_labeled {
            places.push(InboxCursor { last_message_at: at.0, conversation: id.0 });
        }
        if places.len() == one_more {
            break;
        }
    }
    let next = if places.len() == one_more {
        places.pop();
        places.last().copied()
    } else {
        oldest
    };
    Ok((places, next))
}

/// Loads the conversations at these positions, in the same order.
async fn load(
    conn: &mut Conn,
    organization: OrganizationId,
    places: &[InboxCursor],
) -> Result<Vec<InboxConversation>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let ids = listed(places.iter().map(|place| Col(place.conversation)));
    let rows: Vec<InboxRow> = conversations::table
        .inner_join(contacts::table.on(contact_of_conversation()))
        .left_join(inbox_entries::table.on(entry_of_conversation()))
        .left_join(messages::table.on(pausing_message()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(ids))
        .filter(contacts::deleted_at.is_null())
        .select(inbox_columns!())
        .load(conn)
        .await?;
    let rows = rows.into_iter().map(inbox_conversation);
    let mut rows: BTreeMap<_, _> = rows.map(|it| (it.conversation.id, it)).collect();
    Ok(places.iter().filter_map(|place| rows.remove(&place.conversation)).collect())
}

/// Adds a member's states of these conversations.
async fn add_member_states(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    found: &mut [InboxConversation],
) -> Result<()> {
    let shown = listed(found.iter().map(|it| Col(it.conversation.id)));
    let states = inbox_member_states::table
        .filter(inbox_member_states::organization_id.eq(Col(organization)))
        .filter(inbox_member_states::conversation_id.eq_any(shown))
        .filter(inbox_member_states::member_id.eq(Col(member)))
        .select(InboxMemberState::as_select());
    let states: Vec<InboxMemberState> = states.load(conn).await?;
    let mut states: BTreeMap<_, _> =
        states.into_iter().map(|it| (it.conversation_id, it)).collect();
    for it in found {
        it.member_state = states.remove(&it.conversation.id);
    }
    Ok(())
}

/// Returns which of these conversations are assigned to another member than the given one.
pub async fn conversations_of_others(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
    member: MemberId,
) -> Result<Vec<ConversationId>> {
    let assigned = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::conversation_id.eq_any(listed(of.into_iter().map(Col))))
        .filter(inbox_entries::assignee_id.is_not_null())
        .filter(inbox_entries::assignee_id.ne(Some(Col(member))))
        .select(inbox_entries::conversation_id);
    let found: Vec<Col<ConversationId>> = assigned.load(conn).await?;
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// Returns the last message of each of these conversations.
pub async fn last_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
) -> Result<Vec<Message>> {
    let last = messages::table
        .inner_join(
            conversations::table.on(conversations::organization_id
                .eq(messages::organization_id)
                .and(conversations::id.eq(messages::conversation_id))
                .and(conversations::message_count.eq(messages::position))),
        )
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(listed(of.into_iter().map(Col))))
        .select(Message::as_select());
    Ok(last.load(conn).await?)
}
