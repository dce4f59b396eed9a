//! Taking in messages that are to be sent, in batches.
use super::{Conn, events, idempotency, inserts, usage};
use crate::cached::Cached;
use crate::rows::{About, Conversation, Message, News, Outcome, Placed, Submission};
use crate::schema::{contacts, conversations, messages, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::event::EventKind;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::message::{Direction, Status};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// What a conversation is known by before its id is known.
pub(super) type Line = (OrganizationId, AccountId, String);

/// Takes messages in with their conversations, counts, answers and deliveries: all or none.
///
/// Rows are locked in one order everywhere (usage, then conversations, then counters of events, each by
/// key), lest two batches wait for each other.
pub async fn send(conn: &mut Conn, batch: Vec<Submission>) -> Result<Vec<Outcome>> {
    conn.transaction(async |conn| {
        let mut outcomes: Vec<Option<Outcome>> = Vec::with_capacity(batch.len());
        for new in &batch {
            outcomes.push(answered(conn, new).await?);
        }
        let reached = allow(conn, &batch, &mut outcomes).await?;
        let accepted: Vec<(usize, &Submission)> = batch
            .iter()
            .enumerate()
            .filter(|(index, _)| matches!(outcomes.get(*index), Some(None)))
            .collect();
        let (placed, mut news) = place(conn, &accepted).await?;
        let mut answers = Vec::new();
        for ((index, new), placed) in accepted.into_iter().zip(placed) {
            if let Some((request, render)) = &new.idempotent {
                answers.push((request, render(&placed), new.at));
            }
            if let Some(outcome) = outcomes.get_mut(index) {
                *outcome = Some(Outcome::Accepted(placed));
            }
        }
        // In one order, lest two instances that are sent the same requests wait for each other.
        answers.sort_by(|(one, ..), (other, ..)| {
            (one.key, one.path, &one.name).cmp(&(other.key, other.path, &other.name))
        });
        for (request, answer, at) in answers {
            idempotency::store_answer(conn, request.clone(), answer, at).await?;
        }
        news.extend(reached);
        events::tell(conn, news).await?;
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

/// Counts the messages against their months' allowances and refuses those that go beyond; gives what is
/// to be told of allowances that are reached.
async fn allow(
    conn: &mut Conn,
    batch: &[Submission],
    outcomes: &mut [Option<Outcome>],
) -> Result<Vec<News>> {
    let mut more = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes.iter()) {
        if outcome.is_none() {
            *more.entry((new.organization, new.month.number)).or_insert(0) += 1;
        }
    }
    let stand = usage::add(conn, Meter::Messages, &more).await?;
    let mut taken: BTreeMap<_, i32> = stand
        .iter()
        .map(|(at, stand)| (*at, stand.used - more.get(at).copied().unwrap_or_default()))
        .collect();
    let (mut back, mut reached) = (BTreeMap::new(), BTreeMap::new());
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
        if new.allowance.is_some_and(|most| usage::number(*used) >= most) {
            reached.entry(at).or_insert((new, usage::number(*used)));
        }
    }
    if !back.is_empty() {
        usage::add(conn, Meter::Messages, &back).await?;
    }
    reached.retain(|at, _| stand.get(at).is_some_and(|stand| !stand.told));
    tell_reached(conn, reached).await
}

/// Notes that these allowances are reached, and says so, each once a month.
async fn tell_reached(
    conn: &mut Conn,
    reached: BTreeMap<(OrganizationId, i32), (&Submission, u32)>,
) -> Result<Vec<News>> {
    let mut news = Vec::new();
    for ((organization, period), (new, used)) in reached {
        let usage = Usage { limit: new.allowance, used, resets_at: new.month.ends_at };
        if usage::note_told(conn, organization, Meter::Messages, period, used).await? {
            let data = (new.tell_limit)(Meter::Messages, &usage);
            news.push(News::of_limit(organization, data, new.at));
        }
    }
    Ok(news)
}

/// Gives each message its place in its conversation, and puts it into the outbox; gives the places, and
/// what is to be told.
async fn place(
    conn: &mut Conn,
    accepted: &[(usize, &Submission)],
) -> Result<(Vec<Placed>, Vec<News>)> {
    let mut lines = upsert(conn, touched(accepted)).await?;
    let (mut rows, mut deliveries) = (Vec::new(), Vec::new());
    let (mut placed, mut news) = (Vec::new(), Vec::new());
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
        news.extend(told(new, found));
        found.next += 1;
        placed.push(place);
    }
    for rows in inserts(&rows) {
        Cached(diesel::insert_into(messages::table).values(rows)).execute(conn).await?;
    }
    for deliveries in inserts(&deliveries) {
        Cached(diesel::insert_into(outbox::table).values(deliveries)).execute(conn).await?;
    }
    Ok((placed, news))
}

fn line(new: &Submission) -> Line {
    (new.organization, new.account, new.phone_number.clone())
}

/// What the messages do to their conversations.
fn touched(accepted: &[(usize, &Submission)]) -> Vec<Conversation> {
    let mut touched: BTreeMap<Line, Conversation> = BTreeMap::new();
    for (_, new) in accepted {
        touched
            .entry(line(new))
            .and_modify(|conversation| {
                conversation.message_count += 1;
                conversation.agent_paused |= new.free_form;
                conversation.agent_paused_by = conversation.agent_paused_by.or(pausing(new));
                conversation.last_message_at = conversation.last_message_at.max(Col(new.at));
            })
            .or_insert_with(|| touch(new));
    }
    touched.into_values().collect()
}

fn pausing(new: &Submission) -> Option<Col<MessageId>> {
    new.free_form.then_some(Col(new.message))
}

/// What is told of a message that is accepted.
fn told(new: &Submission, found: &mut Standing) -> Vec<News> {
    let of = |kind, about| News::of_account(new.organization, new.account, kind, about, new.at);
    let mut news = found.beginning(new.at);
    news.push(of(EventKind::MessageQueued, About::Message(new.message)));
    if found.conversation.agent_paused_by == Some(Col(new.message)) {
        let conversation = About::Conversation(found.conversation.id.0);
        news.push(of(EventKind::ConversationAgentPaused, conversation));
    }
    news
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
        agent_paused_by: pausing(new),
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
pub(super) struct Standing {
    pub conversation: Conversation,
    pub next: i64,
    /// Whether it has just begun, and nobody has been told yet.
    new: bool,
}

impl Standing {
    /// What is told of a conversation that has just begun, once.
    pub(super) fn beginning(&mut self, at: Timestamp) -> Vec<News> {
        if !std::mem::take(&mut self.new) {
            return Vec::new();
        }
        let Conversation { organization_id, account_id, id, contact_id, .. } = self.conversation;
        let of = |kind, about| News::of_account(*organization_id, *account_id, kind, about, at);
        vec![
            of(EventKind::ContactCreated, About::Contact(*contact_id)),
            of(EventKind::ConversationCreated, About::Conversation(*id)),
        ]
    }
}

/// Makes the conversations that are new, with their contacts, and counts on those that are not.
pub(super) async fn upsert(
    conn: &mut Conn,
    touched: Vec<Conversation>,
) -> Result<BTreeMap<Line, Standing>> {
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
                // Whoever paused it stays the one who did.
                conversations::agent_paused_by.eq(diesel::dsl::case_when(
                    conversations::agent_paused,
                    conversations::agent_paused_by,
                )
                .otherwise(excluded(conversations::agent_paused_by))),
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
            let new = proposed == conversation.id.0;
            if new {
                new_contacts.push((
                    contacts::id.eq(conversation.contact_id),
                    contacts::organization_id.eq(conversation.organization_id),
                    contacts::account_id.eq(conversation.account_id),
                    contacts::phone_number.eq(conversation.phone_number.clone()),
                    contacts::created_at.eq(conversation.created_at),
                ));
            }
            let next = conversation.message_count - more + 1;
            lines.insert(line, Standing { conversation, next, new });
        }
    }
    for new in inserts(&new_contacts) {
        Cached(diesel::insert_into(contacts::table).values(new)).execute(conn).await?;
    }
    Ok(lines)
}
