//! Taking messages in: those to be sent, in batches, and those that people wrote.
use super::{Conn, idempotency, inserts, usage};
use crate::cached::Cached;
use crate::rows::{
    Conversation, Fetch, Inbound, InboundOutcome, Message, Outcome, Placed, Submission,
};
use crate::schema::{contacts, conversations, fetches, messages, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::conversation::Source;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::message::{Direction, Status};
use domain::plan::Meter;
use std::collections::BTreeMap;

/// What a conversation is known by before its id is known.
type Line = (OrganizationId, AccountId, String);

/// Takes messages in with their conversations, counts, answers and deliveries: all or none.
///
/// Rows are locked in one order everywhere (usage, then conversations, each by key), lest two
/// batches wait for each other.
pub async fn send(conn: &mut Conn, batch: Vec<Submission>) -> Result<Vec<Outcome>> {
    conn.transaction(async |conn| {
        let mut outcomes: Vec<Option<Outcome>> = Vec::with_capacity(batch.len());
        for new in &batch {
            outcomes.push(answered(conn, new).await?);
        }
        allow(conn, &batch, &mut outcomes).await?;
        let accepted: Vec<(usize, &Submission)> = batch
            .iter()
            .enumerate()
            .filter(|(index, _)| matches!(outcomes.get(*index), Some(None)))
            .collect();
        let placed = place(conn, &accepted).await?;
        for ((index, new), placed) in accepted.into_iter().zip(placed) {
            if let Some((request, render)) = &new.idempotent {
                let answer = render(&placed);
                idempotency::store_answer(conn, request.clone(), answer, new.at).await?;
            }
            if let Some(outcome) = outcomes.get_mut(index) {
                *outcome = Some(Outcome::Accepted(placed));
            }
        }
        let all: Option<Vec<Outcome>> = outcomes.into_iter().collect();
        all.ok_or_else(|| Error::Unknown("a message of the batch got no outcome".to_owned()))
    })
    .await
}

/// The answer that another instance gave to the same request in the meantime.
async fn answered(conn: &mut Conn, new: &Submission) -> Result<Option<Outcome>> {
    let Some((request, _)) = &new.idempotent else {
        return Ok(None);
    };
    let (key, name) = (request.key, request.name.clone());
    let stored = idempotency::stored_answer(conn, key, request.path, name, request.cutoff).await?;
    Ok(stored.map(Outcome::Answered))
}

/// Counts the messages against their months' allowances and refuses those that go beyond.
async fn allow(
    conn: &mut Conn,
    batch: &[Submission],
    outcomes: &mut [Option<Outcome>],
) -> Result<()> {
    let mut more = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes.iter()) {
        if outcome.is_none() {
            *more.entry((new.organization, new.month.number)).or_insert(0) += 1;
        }
    }
    let stand = usage::add(conn, Meter::Messages, &more).await?;
    let mut taken: BTreeMap<_, i32> = stand
        .iter()
        .map(|(at, used)| (*at, used - more.get(at).copied().unwrap_or_default()))
        .collect();
    let mut back = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes.iter_mut()) {
        if outcome.is_some() {
            continue;
        }
        let at = (new.organization, new.month.number);
        let used = taken.entry(at).or_insert(0);
        if new.allowance.is_some_and(|most| usage::number(*used) >= most) {
            *back.entry(at).or_insert(0) -= 1;
            *outcome = Some(Outcome::AllowanceReached { used: usage::number(*used) });
        } else {
            *used += 1;
        }
    }
    if !back.is_empty() {
        usage::add(conn, Meter::Messages, &back).await?;
    }
    Ok(())
}

/// Gives each message its place in its conversation, and puts it into the outbox.
async fn place(conn: &mut Conn, accepted: &[(usize, &Submission)]) -> Result<Vec<Placed>> {
    let line = |new: &Submission| (new.organization, new.account, new.phone_number.clone());
    let mut touched: BTreeMap<Line, Conversation> = BTreeMap::new();
    for (_, new) in accepted {
        touched
            .entry(line(new))
            .and_modify(|conversation| {
                conversation.message_count += 1;
                conversation.agent_paused |= new.free_form;
                conversation.last_message_at = conversation.last_message_at.max(Col(new.at));
            })
            .or_insert_with(|| touch(new));
    }
    let mut lines = upsert(conn, touched.into_values().collect()).await?;
    let (mut rows, mut deliveries, mut placed) = (Vec::new(), Vec::new(), Vec::new());
    for (_, new) in accepted {
        let found = lines.get_mut(&line(new));
        let found =
            found.ok_or_else(|| Error::Unknown("a conversation went missing".to_owned()))?;
        let place = Placed {
            conversation: found.conversation.id.0,
            contact: found.conversation.contact_id.0,
            last_inbound_at: found.conversation.last_inbound_at.map(|at| at.0),
        };
        deliveries.push((
            outbox::conversation_id.eq(Col(place.conversation)),
            outbox::position.eq(found.next),
            outbox::message_id.eq(Col(new.message)),
            outbox::attempts.eq(0),
            outbox::accepted_at.eq(Col(new.at)),
        ));
        rows.push(outbound(new, &place, found.next));
        found.next += 1;
        placed.push(place);
    }
    for rows in inserts(&rows) {
        Cached(diesel::insert_into(messages::table).values(rows)).execute(conn).await?;
    }
    for deliveries in inserts(&deliveries) {
        Cached(diesel::insert_into(outbox::table).values(deliveries)).execute(conn).await?;
    }
    Ok(placed)
}

fn touch(new: &Submission) -> Conversation {
    Conversation {
        id: Col(new.new_conversation),
        organization_id: Col(new.organization),
        account_id: Col(new.account),
        contact_id: Col(new.new_contact),
        phone_number: new.phone_number.clone(),
        agent_paused: new.free_form,
        message_count: 1,
        last_message_at: Col(new.at),
        last_inbound_at: None,
        created_at: Col(new.at),
        outbox_due_at: Some(Col(new.at)),
        outbox_claimed_until: None,
    }
}

fn outbound(new: &Submission, place: &Placed, position: i64) -> Message {
    Message {
        id: Col(new.message),
        organization_id: Col(new.organization),
        account_id: Col(new.account),
        conversation_id: Col(place.conversation),
        contact_id: Col(place.contact),
        position,
        direction: Col(Direction::Outbound),
        source: Col(new.source),
        kind: Col(new.kind),
        content: new.content.clone(),
        status: Col(Status::Queued),
        failure: None,
        failure_message: None,
        failure_code: None,
        client_ref: new.client_ref.clone(),
        metadata: new.metadata.clone(),
        reply_to: new.reply_to.map(Col),
        channel_message_id: None,
        created_at: Col(new.at),
        sent_at: None,
        delivered_at: None,
        read_at: None,
    }
}

/// A conversation as it stands, and the place of the next message of this batch.
struct Standing {
    conversation: Conversation,
    next: i64,
}

/// Makes the conversations that are new, with their contacts, and counts on those that are not.
async fn upsert(conn: &mut Conn, touched: Vec<Conversation>) -> Result<BTreeMap<Line, Standing>> {
    let line =
        |row: &Conversation| (row.organization_id.0, row.account_id.0, row.phone_number.clone());
    let asked: BTreeMap<Line, (ConversationId, i64)> =
        touched.iter().map(|row| (line(row), (row.id.0, row.message_count))).collect();
    let mut lines = BTreeMap::new();
    let mut new_contacts = Vec::new();
    for touched in inserts(&touched) {
        let upsert = diesel::insert_into(conversations::table)
            .values(touched)
            .on_conflict((
                conversations::organization_id,
                conversations::phone_number,
                conversations::account_id,
            ))
            .do_update()
            .set((
                conversations::message_count
                    .eq(conversations::message_count + excluded(conversations::message_count)),
                conversations::agent_paused
                    .eq(conversations::agent_paused.or(excluded(conversations::agent_paused))),
                conversations::last_message_at.eq(excluded(conversations::last_message_at)),
                // Something waits already, perhaps for a retry: that stays as it is.
                conversations::outbox_due_at.eq(diesel::dsl::case_when(
                    conversations::outbox_due_at.is_null(),
                    excluded(conversations::outbox_due_at),
                )
                .otherwise(conversations::outbox_due_at)),
            ))
            .returning(Conversation::as_returning());
        for conversation in Cached(upsert).load::<Conversation>(conn).await? {
            let line = line(&conversation);
            let (proposed, more) = asked.get(&line).copied().unwrap_or((conversation.id.0, 1));
            if proposed == conversation.id.0 {
                new_contacts.push((
                    contacts::id.eq(conversation.contact_id),
                    contacts::organization_id.eq(conversation.organization_id),
                    contacts::account_id.eq(conversation.account_id),
                    contacts::phone_number.eq(conversation.phone_number.clone()),
                    contacts::created_at.eq(conversation.created_at),
                ));
            }
            let next = conversation.message_count - more + 1;
            lines.insert(line, Standing { conversation, next });
        }
    }
    for new in inserts(&new_contacts) {
        Cached(diesel::insert_into(contacts::table).values(new)).execute(conn).await?;
    }
    Ok(lines)
}

/// Takes in what a person wrote, once.
pub async fn receive(conn: &mut Conn, new: Inbound) -> Result<InboundOutcome> {
    conn.transaction(async |conn| {
        if on_channel(conn, new.account, &new.channel_message_id).await?.is_some() {
            return Ok(InboundOutcome::Repeated);
        }
        let reply_to = match &new.answers {
            Some(answered) => on_channel(conn, new.account, answered).await?,
            None => None,
        };
        let (conversation, position) = place_inbound(conn, &new).await?;
        let fetch = new.file.clone().map(|file_id| Fetch {
            message_id: Col(new.message),
            account_id: Col(new.account),
            file_id,
            attempts: 0,
            due_at: Col(new.received_at),
            received_at: Col(new.received_at),
        });
        let row = inbound(new, &conversation, position, reply_to);
        diesel::insert_into(messages::table).values(row).execute(conn).await?;
        if let Some(fetch) = fetch {
            diesel::insert_into(fetches::table).values(fetch).execute(conn).await?;
        }
        Ok::<_, Error>(InboundOutcome::Kept)
    })
    .await
}

/// The message that the channel knows by that id.
async fn on_channel(
    conn: &mut Conn,
    account: AccountId,
    channel_id: &str,
) -> Result<Option<MessageId>> {
    let known = messages::table
        .filter(messages::account_id.eq(Col(account)))
        .filter(messages::channel_message_id.eq(channel_id))
        .select(messages::id)
        .get_result::<Col<MessageId>>(conn)
        .await;
    Ok(known.optional()?.map(|id| id.0))
}

async fn place_inbound(conn: &mut Conn, new: &Inbound) -> Result<(Conversation, i64)> {
    let touched = Conversation {
        id: Col(new.new_conversation),
        organization_id: Col(new.organization),
        account_id: Col(new.account),
        contact_id: Col(new.new_contact),
        phone_number: new.phone_number.clone(),
        agent_paused: false,
        message_count: 1,
        last_message_at: Col(new.at),
        last_inbound_at: None,
        created_at: Col(new.at),
        outbox_due_at: None,
        outbox_claimed_until: None,
    };
    let lines = upsert(conn, vec![touched]).await?;
    let standing = lines.into_values().next();
    let Some(Standing { conversation, next }) = standing else {
        return Err(Error::Unknown("a conversation went missing".to_owned()));
    };
    let earlier =
        conversations::last_inbound_at.is_null().or(conversations::last_inbound_at.lt(Col(new.at)));
    let opened = conversations::table.filter(conversations::id.eq(conversation.id)).filter(earlier);
    diesel::update(opened)
        .set(conversations::last_inbound_at.eq(Some(Col(new.at))))
        .execute(conn)
        .await?;
    Ok((conversation, next))
}

fn inbound(
    new: Inbound,
    conversation: &Conversation,
    position: i64,
    reply_to: Option<MessageId>,
) -> Message {
    Message {
        id: Col(new.message),
        organization_id: Col(new.organization),
        account_id: Col(new.account),
        conversation_id: conversation.id,
        contact_id: conversation.contact_id,
        position,
        direction: Col(Direction::Inbound),
        source: Col(Source::Customer),
        kind: Col(new.kind),
        content: new.content,
        status: Col(Status::Received),
        failure: None,
        failure_message: None,
        failure_code: None,
        client_ref: None,
        metadata: None,
        reply_to: reply_to.map(Col),
        channel_message_id: Some(new.channel_message_id),
        created_at: Col(new.at),
        sent_at: None,
        delivered_at: None,
        read_at: None,
    }
}
