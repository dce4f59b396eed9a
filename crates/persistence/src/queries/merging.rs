//! Merges two contacts that are the same person. One conversation stays, and the messages of the
//! other are moved into it.
use super::{Conn, RunQueryDsl, allow_long, work};
use crate::records::{Conversation, ConversationWithContact, Merges};
use crate::schema::{contact_numbers, contacts, conversations, messages, outbox_conversations};
use crate::types::{Col, Uid};
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::contact::ContactMerge;
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The maximum number of messages that can get new positions within the time limit of an operation.
/// A message takes about 20 µs, and several times as long on a busy machine.
const MOVED_AT_ONCE: i64 = 20_000;

/// Sets the positions of the messages of two conversations in the conversation that stays. The
/// messages are ordered by time, without changing the order within either conversation. Messages
/// before the position `$3` keep their positions. The parameters are bound in the order in which
/// they first appear in the text, because SQLite numbers them so.
const PLACES: &str = "WITH timed AS ( \
        SELECT id, conversation_id, position, \
            max(created_at) OVER (PARTITION BY conversation_id ORDER BY position) AS at \
        FROM messages WHERE organization_id = $1 \
        AND ((conversation_id = $2 AND position >= $3) OR conversation_id = $4) \
    ), placed AS ( \
        SELECT id, $3 - 1 + row_number() OVER (ORDER BY at, conversation_id, position) AS place \
        FROM timed \
    ) \
    UPDATE messages SET position = placed.place, conversation_id = $2, contact_id = $5 FROM placed \
    WHERE messages.id = placed.id AND messages.organization_id = $1 \
    AND (messages.position <> placed.place OR messages.conversation_id <> $2)";

/// Moves rows of the outbox to the positions of their messages. The rows get negative positions
/// first, because two rows may swap positions.
const BELOW: &str = "UPDATE outbox SET conversation_id = $1, \
        position = -(SELECT messages.position FROM messages \
            WHERE messages.organization_id = $2 AND messages.id = outbox.message_id) \
    WHERE organization_id = $2 AND conversation_id IN ($1, $3)";
const ABOVE: &str = "UPDATE outbox SET position = -position \
    WHERE organization_id = $1 AND conversation_id = $2 AND position < 0";

/// Merges `merged` into `kept`. The caller has locked both. If an instance is sending messages of
/// the merged conversation, it finishes them before it sends messages of the conversation that
/// stays (`outbox::heads`).
///
/// # Errors
///
/// [`Error::LargeMerge`] if more messages would get new positions than is `allowed`. Nothing was
/// done.
pub(super) async fn merge(
    conn: &mut Conn,
    kept: &ConversationWithContact,
    merged: &ConversationWithContact,
    allowed: Merges,
) -> Result<ContactMerge> {
    let organization = kept.conversation.organization_id;
    let result = ContactMerge {
        contact: kept.contact.id,
        merged_contact: merged.contact.id,
        conversation: kept.conversation.id,
        merged_conversation: merged.conversation.id,
    };
    let from = first_moved(conn, organization, &result).await?;
    let stay = from.map_or(kept.conversation.message_count, |from| from - 1);
    let moved = kept.conversation.message_count - stay + merged.conversation.message_count;
    if moved > MOVED_AT_ONCE {
        if allowed == Merges::Short {
            return Err(Error::LargeMerge);
        }
        allow_long(conn).await?;
    }
    let unreachable = (
        contacts::phone_number.eq(None::<String>),
        contacts::channel_user_id.eq(None::<String>),
        contacts::channel_parent_user_id.eq(None::<String>),
    );
    let contact = contacts::table.find((Col(organization), Col(merged.contact.id)));
    diesel::update(contact).set(unreachable).execute(conn).await?;
    let numbers = contact_numbers::table
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contact_numbers::contact_id.eq(Col(merged.contact.id)));
    let lead = contact_numbers::contact_id.eq(Col(kept.contact.id));
    diesel::update(numbers).set(lead).execute(conn).await?;
    join_preferences(conn, kept, merged).await?;
    let waiting = delete_waiting(conn, organization, &result).await?;
    join_messages(conn, organization, &result, stay + 1).await?;
    if let Some((due, is_held)) = waiting {
        record_waiting(conn, &kept.conversation, due, is_held).await?;
    }
    end(conn, organization, &result).await?;
    extend(conn, kept, merged).await?;
    Ok(result)
}

/// Joins the marketing preferences of both contacts. The preference that was stated later counts.
async fn join_preferences(
    conn: &mut Conn,
    kept: &ConversationWithContact,
    merged: &ConversationWithContact,
) -> Result<()> {
    let own = kept.contact.preference();
    let joined = own.joined(merged.contact.preference());
    if joined == own {
        return Ok(());
    }
    let preference = (
        contacts::opted_out_at.eq(joined.opted_out_at.map(Col)),
        contacts::preference_at.eq(joined.said_at.map(Col)),
    );
    let contact = contacts::table.find((Col(kept.contact.organization_id), Col(kept.contact.id)));
    diesel::update(contact).set(preference).execute(conn).await?;
    Ok(())
}

/// Returns the position from which messages of the conversation that stays may get new positions.
/// It is the position of the first message that is not older than the first message of the merged
/// conversation. Returns `None` if there is no such message.
async fn first_moved(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
) -> Result<Option<i64>> {
    let messages_of = |conversation: ConversationId| {
        messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::conversation_id.eq(Col(conversation)))
            .order(messages::position)
            .limit(1)
    };
    let first = messages_of(merged.merged_conversation).select(messages::created_at);
    let first: Option<Col<Timestamp>> = first.get_result(conn).await.optional()?;
    let Some(first) = first else { return Ok(None) };
    let moved = messages_of(merged.conversation).filter(messages::created_at.ge(first));
    Ok(moved.select(messages::position).get_result(conn).await.optional()?)
}

/// Moves the messages of the merged conversation into the one that stays. Messages before the
/// position `from` keep their positions.
async fn join_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
    from: i64,
) -> Result<()> {
    let (kept, gone) = (Col(merged.conversation), Col(merged.merged_conversation));
    // Messages are locked in the order in which callbacks lock them, to avoid deadlocks.
    let stay = messages::conversation_id.eq(kept).and(messages::position.lt(from));
    let all = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq_any([kept, gone]))
        .filter(dsl::not(stay))
        .order(messages::id)
        .select(messages::id);
    for_update!(all).load::<Col<MessageId>>(conn).await?;
    let places = diesel::sql_query(PLACES)
        .bind::<Uid, _>(Col(organization))
        .bind::<Uid, _>(kept)
        .bind::<BigInt, _>(from)
        .bind::<Uid, _>(gone)
        .bind::<Uid, _>(Col(merged.contact));
    places.execute(conn).await?;
    let below = diesel::sql_query(BELOW).bind::<Uid, _>(kept);
    below.bind::<Uid, _>(Col(organization)).bind::<Uid, _>(gone).execute(conn).await?;
    let above = diesel::sql_query(ABOVE).bind::<Uid, _>(Col(organization));
    above.bind::<Uid, _>(kept).execute(conn).await?;
    Ok(())
}

/// The time at which messages are due, and whether they wait for a held account.
type DueState = (Col<Timestamp>, bool);

/// Removes both conversations from the list of waiting conversations. Returns the earlier due time
/// of the two, and whether one of them waits for a held account. A worker that releases either
/// conversation waits until this transaction ends.
async fn delete_waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
) -> Result<Option<DueState>> {
    let both = [Col(merged.conversation), Col(merged.merged_conversation)];
    let rows = || {
        outbox_conversations::table
            .filter(outbox_conversations::organization_id.eq(Col(organization)))
            .filter(outbox_conversations::conversation_id.eq_any(both))
    };
    let waiting_rows = rows()
        .order(outbox_conversations::conversation_id)
        .select((outbox_conversations::due_at, outbox_conversations::held));
    let waiting_rows: Vec<DueState> = for_update!(waiting_rows).load(conn).await?;
    diesel::delete(rows()).execute(conn).await?;
    let is_held = waiting_rows.iter().any(|(_, held)| *held);
    Ok(waiting_rows.iter().map(|(due, _)| *due).min().map(|due| (due, is_held)))
}

/// Adds the conversation that stays to the list of waiting conversations.
async fn record_waiting(
    conn: &mut Conn,
    kept: &Conversation,
    due: Col<Timestamp>,
    is_held: bool,
) -> Result<()> {
    // The row may exist already: moving the messages fires a trigger that inserts it for instances
    // of the previous version.
    let waiting_rows = outbox_conversations::table.find((Col(kept.organization_id), Col(kept.id)));
    diesel::delete(waiting_rows).execute(conn).await?;
    let new = (
        outbox_conversations::organization_id.eq(Col(kept.organization_id)),
        outbox_conversations::conversation_id.eq(Col(kept.id)),
        outbox_conversations::account_id.eq(Col(kept.account_id)),
        outbox_conversations::due_at.eq(due),
        outbox_conversations::held.eq(is_held),
    );
    diesel::insert_into(outbox_conversations::table).values(new).execute(conn).await?;
    let due = BTreeMap::from([(kept.organization_id, *due)]);
    work::record_due(shared!(conn), WorkKind::Messages, &due).await
}

/// Marks the conversation as merged into the one that stays. Conversations that were merged into it
/// before then refer to the one that stays, too.
async fn end(conn: &mut Conn, organization: OrganizationId, merged: &ContactMerge) -> Result<()> {
    let (kept, gone) = (Some(Col(merged.conversation)), Col(merged.merged_conversation));
    let row = conversations::table.find((Col(organization), gone));
    let ended = (
        conversations::address.eq(None::<String>),
        conversations::merged_into.eq(kept),
        conversations::message_count.eq(0),
    );
    diesel::update(row).set(ended).execute(conn).await?;
    let earlier = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq(Some(gone)));
    diesel::update(earlier).set(conversations::merged_into.eq(kept)).execute(conn).await?;
    Ok(())
}

/// Adds the counts and times of the merged conversation to the one that stays. If the agent is
/// paused in either, it stays paused.
async fn extend(
    conn: &mut Conn,
    kept: &ConversationWithContact,
    merged: &ConversationWithContact,
) -> Result<()> {
    let (kept, merged) = (&kept.conversation, &merged.conversation);
    let row = conversations::table.find((Col(kept.organization_id), Col(kept.id)));
    let paused_by = if kept.agent_paused { kept.agent_paused_by } else { merged.agent_paused_by };
    let extended = (
        conversations::message_count.eq(kept.message_count + merged.message_count),
        conversations::agent_paused.eq(kept.agent_paused || merged.agent_paused),
        conversations::agent_paused_by.eq(paused_by),
        conversations::last_message_at.eq(Col(kept.last_message_at.max(merged.last_message_at))),
        conversations::last_inbound_at.eq(kept.last_inbound_at.max(merged.last_inbound_at)),
        conversations::has_merged.eq(true),
    );
    diesel::update(row).set(extended).execute(conn).await?;
    Ok(())
}
