//! Two contacts that turn out to be one person: one conversation stays, and the messages of the other join it.
use super::{Conn, RunQueryDsl, allow_long};
use crate::records::{ConversationWithContact, Merges};
use crate::schema::{contacts, conversations, messages};
use crate::types::{Col, Uid};
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::contact::ContactMerge;
use domain::id::{ConversationId, InstanceId, MessageId, OrganizationId};
use domain::time::Timestamp;

/// Maximum number of messages that get other places within the time of an operation: some 20 µs each, and several times
/// that where the machine is busy.
const MOVED_AT_ONCE: i64 = 20_000;

/// Gives the messages of two conversations their places in the one that stays: in the order of time, in which none
/// passes another of its own conversation. Those of the one that stays which come before any of the other are left as
/// they are. SQLite numbers values by where they come first.
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

/// Puts what waits where its message is. First below all that there are, for two may change places.
const BELOW: &str = "UPDATE outbox SET conversation_id = $1, \
        position = -(SELECT messages.position FROM messages WHERE messages.id = outbox.message_id) \
    WHERE conversation_id IN ($1, $2)";
const ABOVE: &str =
    "UPDATE outbox SET position = -position WHERE conversation_id = $1 AND position < 0";

/// Merges `merged` into `kept`, whose rows are both locked. The merged conversation keeps its claim, if a server is
/// handing over some of its messages: until that releases it, the one that stays is not claimed.
///
/// # Errors
///
/// [`Error::LargeMerge`] where more messages would get other places than is `allowed`: nothing was done.
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
    let unreachable =
        (contacts::phone_number.eq(None::<String>), contacts::channel_user_id.eq(None::<String>));
    let contact = contacts::table.find((Col(organization), Col(merged.contact.id)));
    diesel::update(contact).set(unreachable).execute(conn).await?;
    join_preferences(conn, kept, merged).await?;
    join_messages(conn, organization, &result, stay + 1).await?;
    let waiting = end(conn, organization, &result).await?;
    extend(conn, kept, merged, waiting).await?;
    Ok(result)
}

/// Of what both said of marketing that counts which was said last.
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
    let said = (
        contacts::opted_out_at.eq(joined.opted_out_at.map(Col)),
        contacts::preference_at.eq(joined.said_at.map(Col)),
    );
    let contact = contacts::table.find((Col(kept.contact.organization_id), Col(kept.contact.id)));
    diesel::update(contact).set(said).execute(conn).await?;
    Ok(())
}

/// The position of the first message in the conversation that stays which is not from before all of the other. Nothing
/// if there is none.
async fn first_moved(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
) -> Result<Option<i64>> {
    let within = |conversation: ConversationId| {
        messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::conversation_id.eq(Col(conversation)))
            .order(messages::position)
            .limit(1)
    };
    let first = within(merged.merged_conversation).select(messages::created_at);
    let first: Option<Col<Timestamp>> = first.get_result(conn).await.optional()?;
    let Some(first) = first else { return Ok(None) };
    let moved = within(merged.conversation).filter(messages::created_at.ge(first));
    Ok(moved.select(messages::position).get_result(conn).await.optional()?)
}

/// Gives the messages their places; those of the conversation that stays before the position `from` have theirs.
async fn join_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
    from: i64,
) -> Result<()> {
    let (kept, gone) = (Col(merged.conversation), Col(merged.merged_conversation));
    // In the order in which reports lock them, lest the two wait for each other.
    let stay = messages::conversation_id.eq(kept).and(messages::position.lt(from));
    let all = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq_any([kept, gone]))
        .filter(dsl::not(stay))
        .order(messages::id)
        .select(messages::id);
    held!(all).load::<Col<MessageId>>(conn).await?;
    let places = diesel::sql_query(PLACES)
        .bind::<Uid, _>(Col(organization))
        .bind::<Uid, _>(kept)
        .bind::<BigInt, _>(from)
        .bind::<Uid, _>(gone)
        .bind::<Uid, _>(Col(merged.contact));
    places.execute(conn).await?;
    diesel::sql_query(BELOW).bind::<Uid, _>(kept).bind::<Uid, _>(gone).execute(conn).await?;
    diesel::sql_query(ABOVE).bind::<Uid, _>(kept).execute(conn).await?;
    Ok(())
}

/// When messages of a conversation are due, and whether they wait for a number that is held.
type Waiting = (Option<Col<Timestamp>>, bool);

/// The merged conversation, and those that were merged into it, point to the one that stays. Returns what waited in it.
async fn end(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: &ContactMerge,
) -> Result<Waiting> {
    let (kept, gone) = (Some(Col(merged.conversation)), Col(merged.merged_conversation));
    let row = || conversations::table.find((Col(organization), gone));
    let (due, held, claimed): (Option<Col<Timestamp>>, bool, Option<Col<InstanceId>>) = row()
        .select((
            conversations::outbox_due_at,
            conversations::outbox_held,
            conversations::outbox_claimed_by,
        ))
        .get_result(conn)
        .await?;
    let ended = (
        conversations::address.eq(None::<String>),
        conversations::merged_into.eq(kept),
        conversations::message_count.eq(0),
        // A claim is looked for among those that are due.
        conversations::outbox_due_at.eq(due.filter(|_| claimed.is_some())),
        conversations::outbox_held.eq(false),
    );
    diesel::update(row()).set(ended).execute(conn).await?;
    let earlier = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq(Some(gone)));
    diesel::update(earlier).set(conversations::merged_into.eq(kept)).execute(conn).await?;
    Ok((due, held))
}

/// The conversation that stays has what the other had: a paused agent stays paused.
async fn extend(
    conn: &mut Conn,
    kept: &ConversationWithContact,
    merged: &ConversationWithContact,
    (due, held): Waiting,
) -> Result<()> {
    let (kept, merged) = (&kept.conversation, &merged.conversation);
    let row = || conversations::table.find((Col(kept.organization_id), Col(kept.id)));
    let (own, own_held): Waiting = row()
        .select((conversations::outbox_due_at, conversations::outbox_held))
        .get_result(conn)
        .await?;
    let first = match (own, due) {
        (Some(own), Some(due)) => Some(own.min(due)),
        (own, due) => own.or(due),
    };
    let paused_by = if kept.agent_paused { kept.agent_paused_by } else { merged.agent_paused_by };
    let extended = (
        conversations::message_count.eq(kept.message_count + merged.message_count),
        conversations::agent_paused.eq(kept.agent_paused || merged.agent_paused),
        conversations::agent_paused_by.eq(paused_by),
        conversations::last_message_at.eq(Col(kept.last_message_at.max(merged.last_message_at))),
        conversations::last_inbound_at.eq(kept.last_inbound_at.max(merged.last_inbound_at)),
        conversations::outbox_due_at.eq(first),
        conversations::outbox_held.eq(held || own_held),
        conversations::has_merged.eq(true),
    );
    diesel::update(row()).set(extended).execute(conn).await?;
    Ok(())
}
