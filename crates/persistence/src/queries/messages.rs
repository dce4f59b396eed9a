//! Accepts outbound messages, in batches.
use super::contact_lookups::{ContactSnapshots, snapshots_at};
use super::conversation_upsert::{
    ChangedConversation, ConversationKey, Found, insert_contacts, lead_elsewhere, leading,
    new_numbers, upsert,
};
use super::key_uses::{self, CapCounter};
use super::outbox::{WaitingConversation, record_waiting};
use super::{
    Conn, Rows, RunQueryDsl, SharedConn, Transactional, events, idempotency, inserts, usage, work,
};
use crate::records::{
    Idempotent, Message, MessageSubmission, NewMessage, PlacedMessage, SubmissionOutcome,
};
use crate::schema::{messages, outbox};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::acceptance::{self, Admission, ConversationChange, ProposedMessage};
use domain::contact::{Address, Identity};
use domain::event::NewEvent;
use domain::id::{ConversationId, KeyId, MessageId, OrganizationId, OwnerId};
use domain::instance::WorkKind;
use domain::number::saturating;
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Inserts the messages of a batch with their conversations, counts, stored answers and outbox
/// rows. Either all rows are inserted or none.
///
/// A number may lead to a contact that has another number of its own. If a number of the batch has
/// two forms, all numbers are looked up before conversations are locked. Otherwise numbers are
/// looked up only if a conversation is new. If that lookup finds another contact, the transaction
/// is rolled back and repeated with the lookup first.
///
/// All transactions lock rows in one order, and the rows of a table by key, so that two batches
/// cannot deadlock: uses of capped keys, usage, conversations, conversations with waiting messages,
/// organizations' due work, event counters.
pub async fn send(
    conn: &mut Conn,
    batch: Vec<MessageSubmission>,
) -> Result<Vec<SubmissionOutcome>> {
    let look_up = has_forms(&batch);
    match insert_submissions(conn, &batch, look_up).await {
        Err(Error::Moved) if !look_up => insert_submissions(conn, &batch, true).await,
        outcome => outcome,
    }
}

/// Whether a message of the batch goes to a number that can be written in two forms, such as a
/// number in Brazil.
pub fn has_forms(batch: &[MessageSubmission]) -> bool {
    batch.iter().any(|new| new.to.other_form().is_some())
}

/// Makes one attempt of [`send`]. With `look_up`, numbers are looked up before conversations are
/// locked.
pub async fn insert_submissions(
    conn: &mut Conn,
    batch: &[MessageSubmission],
    look_up: bool,
) -> Result<Vec<SubmissionOutcome>> {
    conn.transaction(async |conn| {
        let mut outcomes = answered(conn, batch).await?;
        let capped = capped(batch, &outcomes);
        if !capped.is_empty() {
            cap(conn, batch, &mut outcomes, &capped).await?;
        }
        let more = counted(batch, &outcomes);
        let leads = if look_up {
            leading(
                shared!(conn),
                accepted(batch, &outcomes).iter().map(|(_, new)| conversation_key(new)),
            )
            .await?
        } else {
            BTreeMap::new()
        };
        let is_limited = batch.iter().any(|new| new.allowance.is_some());
        let ((found_by_key, new_contacts), snapshots, reached) = if is_limited {
            let totals = usage::add(shared!(conn), Meter::Messages, &more).await?;
            let reached = allow(conn, batch, &mut outcomes, &totals, &more).await?;
            if !capped.is_empty() {
                give_caps_back(conn, batch, &outcomes).await?;
            }
            let placed = keyed_messages(accepted(batch, &outcomes), &leads);
            let (upserted, snapshots) = pipelined!(conn;
                upsert(conn, changed(&placed)),
                list_message_contacts(conn, &placed),
            )?;
            (upserted, snapshots, reached)
        } else {
            // No plan limits these messages, so the conversations can be written without waiting
            // for the counts.
            let placed = keyed_messages(accepted(batch, &outcomes), &leads);
            let (_, upserted, snapshots) = pipelined!(conn;
                usage::add(conn, Meter::Messages, &more),
                upsert(conn, changed(&placed)),
                list_message_contacts(conn, &placed),
            )?;
            (upserted, snapshots, Vec::new())
        };
        let accepted = keyed_messages(accepted(batch, &outcomes), &leads);
        let PlacedMessages { rows, deliveries, mut places, mut new_events } =
            place(&accepted, found_by_key, &snapshots)?;
        let (waiting, due) = waiting(&rows);
        let answers = answers(&accepted, &mut places)?;
        new_events.extend(reached);
        let (.., leads_elsewhere, next) = pipelined!(conn;
            insert_contacts(conn, &new_contacts),
            insert_messages(conn, &rows),
            insert_outbox(conn, &deliveries),
            record_waiting(conn, &waiting),
            work::record_due(conn, WorkKind::Messages, &due),
            idempotency::store_answers(conn, &answers),
            lead_elsewhere(conn, new_numbers(&new_contacts)),
            events::count(conn, &new_events),
        )?;
        if leads_elsewhere {
            return Err(Error::Moved);
        }
        events::insert(conn, &new_events, next).await?;
        let places: BTreeMap<usize, PlacedMessage> =
            accepted.iter().map(|it| it.index).zip(places).collect();
        for (index, place) in places {
            if let Some(outcome) = outcomes.get_mut(index) {
                *outcome = Some(SubmissionOutcome::Accepted(place));
            }
        }
        let all: Option<Vec<SubmissionOutcome>> = outcomes.into_iter().collect();
        all.ok_or_else(|| Error::Internal("a message of the batch got no outcome".to_owned()))
    })
    .await
}

/// A message of a batch with the conversation address that its number leads to.
struct KeyedMessage<'a> {
    index: usize,
    new: &'a MessageSubmission,
    key: ConversationKey,
}

/// Returns the messages with the conversation addresses that their numbers lead to.
fn keyed_messages<'a>(
    accepted: Vec<IndexedSubmission<'a>>,
    leads: &BTreeMap<ConversationKey, Address>,
) -> Vec<KeyedMessage<'a>> {
    let keyed = |(index, new): IndexedSubmission<'a>| {
        let mut key = conversation_key(new);
        if let Some(to) = leads.get(&key) {
            key.2 = to.clone();
        }
        KeyedMessage { index, new, key }
    };
    accepted.into_iter().map(keyed).collect()
}

/// Returns the contacts of the conversations that existed before this batch.
async fn list_message_contacts(
    conn: &mut SharedConn<'_>,
    placed: &[KeyedMessage<'_>],
) -> Result<ContactSnapshots> {
    let mut by_organization: BTreeMap<OrganizationId, BTreeSet<_>> = BTreeMap::new();
    for KeyedMessage { key: (organization, account, to), .. } in placed {
        let addresses = by_organization.entry(*organization).or_default();
        addresses.insert((*account, to.as_str().to_owned()));
    }
    let found = pipelined_each!(conn; (organization, addresses) in by_organization.into_iter() => snapshots_at(conn, organization, addresses))?;
    Ok(found.into_iter().flatten().collect())
}

/// A message of a batch, with its index in the batch.
type IndexedSubmission<'a> = (usize, &'a MessageSubmission);

/// Returns the messages of the batch that have no outcome yet.
fn accepted<'a>(
    batch: &'a [MessageSubmission],
    outcomes: &[Option<SubmissionOutcome>],
) -> Vec<IndexedSubmission<'a>> {
    let open = |(index, _): &IndexedSubmission<'_>| matches!(outcomes.get(*index), Some(None));
    batch.iter().enumerate().filter(open).collect()
}

/// Returns the answers that other instances have stored for the same requests in the meantime. For
/// a batch of several messages, no answers are looked up here. Such answers are rare, because each
/// request was looked up before. If there is one, the batch fails with a unique violation, and then
/// each message is sent alone and its answer is looked up here.
async fn answered(
    conn: &mut Conn,
    batch: &[MessageSubmission],
) -> Result<Vec<Option<SubmissionOutcome>>> {
    let mut outcomes = Vec::new();
    outcomes.resize_with(batch.len(), || None);
    if let ([new], [outcome]) = (batch, outcomes.as_mut_slice())
        && let Some((request, _)) = &new.idempotent
    {
        let stored = idempotency::answered_meanwhile(conn, request).await?;
        *outcome = stored.map(SubmissionOutcome::Answered);
    }
    Ok(outcomes)
}

/// Returns the number of messages of each organization and month.
fn counted(
    batch: &[MessageSubmission],
    outcomes: &[Option<SubmissionOutcome>],
) -> BTreeMap<usage::Counter, i32> {
    let mut more = BTreeMap::new();
    for (_, new) in accepted(batch, outcomes).into_iter().filter(|(_, it)| it.refusal.is_none()) {
        *more.entry((new.organization, new.month.number)).or_insert(0) += 1;
    }
    more
}

/// Returns the number of messages of each capped connection and month.
fn capped(
    batch: &[MessageSubmission],
    outcomes: &[Option<SubmissionOutcome>],
) -> BTreeMap<CapCounter, i32> {
    let mut more = BTreeMap::new();
    for (_, new) in accepted(batch, outcomes).into_iter().filter(|(_, it)| it.refusal.is_none()) {
        if let Some(cap) = new.cap {
            *more.entry((new.organization, cap.key, new.month.number)).or_insert(0) += 1;
        }
    }
    more
}

/// Refuses the messages that exceed the cap of their connection.
async fn cap(
    conn: &mut Conn,
    batch: &[MessageSubmission],
    outcomes: &mut [Option<SubmissionOutcome>],
    more: &BTreeMap<CapCounter, i32>,
) -> Result<()> {
    let at = batch.iter().map(|new| new.at).max();
    let Some(at) = at else { return Ok(()) };
    let totals = key_uses::add_messages(shared!(conn), more, at).await?;
    let mut counts = BTreeMap::new();
    for (counter, total) in totals {
        let before = total - more.get(&counter).copied().unwrap_or(0);
        let before = saturating(before.max(0), u32::MAX);
        counts.insert(counter, acceptance::UsageCount::new(before, true));
    }
    let mut back = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes.iter_mut()) {
        let Some(cap) = new.cap else { continue };
        if outcome.is_some() || new.refusal.is_some() {
            continue;
        }
        let counter = (new.organization, cap.key, new.month.number);
        let Some(count) = counts.get_mut(&counter) else { continue };
        let Admission { admitted, used, .. } = count.admit(Some(cap.limit));
        if !admitted {
            *back.entry(counter).or_insert(0) -= 1;
            *outcome = Some(SubmissionOutcome::CapReached { used });
        }
    }
    if !back.is_empty() {
        key_uses::add_messages(shared!(conn), &back, at).await?;
    }
    Ok(())
}

/// Subtracts messages from the caps that had admitted them, if the plan then refused them.
async fn give_caps_back(
    conn: &mut Conn,
    batch: &[MessageSubmission],
    outcomes: &[Option<SubmissionOutcome>],
) -> Result<()> {
    let mut back = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes) {
        if let (Some(cap), Some(SubmissionOutcome::AllowanceReached { .. })) = (new.cap, outcome) {
            *back.entry((new.organization, cap.key, new.month.number)).or_insert(0) -= 1;
        }
    }
    if let Some(at) = batch.iter().map(|new| new.at).max().filter(|_| !back.is_empty()) {
        key_uses::add_messages(shared!(conn), &back, at).await?;
    }
    Ok(())
}

/// Refuses the messages that exceed their month's allowance. Returns the events that report reached
/// allowances.
async fn allow(
    conn: &mut Conn,
    batch: &[MessageSubmission],
    outcomes: &mut [Option<SubmissionOutcome>],
    totals: &usage::Totals,
    more: &BTreeMap<usage::Counter, i32>,
) -> Result<Vec<NewEvent>> {
    let mut counts = usage::counts_before(totals, more)?;
    let (mut back, mut reached) = (BTreeMap::new(), BTreeMap::new());
    for (new, outcome) in batch.iter().zip(outcomes.iter_mut()) {
        if outcome.is_some() || new.refusal.is_some() {
            continue;
        }
        let at = (new.organization, new.month.number);
        let count = counts.get_mut(&at);
        let count =
            count.ok_or_else(|| Error::Internal("a month's count went missing".to_owned()))?;
        let Admission { admitted, used, announces_limit } = count.admit(new.allowance);
        if !admitted {
            *back.entry(at).or_insert(0) -= 1;
            *outcome = Some(SubmissionOutcome::AllowanceReached { used });
        }
        if announces_limit {
            reached.insert(at, (new, used));
        }
    }
    if !back.is_empty() {
        usage::add(shared!(conn), Meter::Messages, &back).await?;
    }
    record_reached_limits(conn, reached).await
}

/// Renders the answers to be stored, and returns them in one order, to avoid a deadlock with an
/// instance that receives the same requests.
fn answers(
    accepted: &[KeyedMessage<'_>],
    places: &mut [PlacedMessage],
) -> Result<Vec<idempotency::NewAnswer>> {
    let mut answers = Vec::new();
    for (KeyedMessage { new, .. }, place) in accepted.iter().zip(places) {
        if let Some((request, render)) = &new.idempotent {
            let unwritable = |error: serde_json::Error| Error::Internal(error.to_string());
            let answer = render(place).map_err(unwritable)?;
            place.answer = Some(answer.clone());
            answers.push((request.clone(), answer, new.at));
        }
    }
    answers.sort_by(|(one, ..), (other, ..)| {
        fn order(it: &Idempotent) -> (OwnerId, KeyId, &str, &str) {
            (it.owner.id(), it.key, it.path, &it.name)
        }
        order(one).cmp(&order(other))
    });
    Ok(answers)
}

/// Records that allowances are reached. Returns one event per organization and month. There is no
/// event for an allowance that was reported before.
async fn record_reached_limits(
    conn: &mut Conn,
    reached: BTreeMap<(OrganizationId, i32), (&MessageSubmission, u32)>,
) -> Result<Vec<NewEvent>> {
    let mut new_events = Vec::new();
    for ((organization, period), (new, used)) in reached {
        let usage = Usage { limit: new.allowance, used, resets_at: new.month.ends_at };
        if usage::mark_limit_reported(conn, organization, Meter::Messages, period, used).await? {
            new_events.push(NewEvent::for_limit(organization, Meter::Messages, usage, new.at));
        }
    }
    Ok(new_events)
}

/// Messages with their positions in their conversations.
#[derive(Default)]
struct PlacedMessages {
    rows: Vec<Message>,
    deliveries: Vec<WaitingRow>,
    places: Vec<PlacedMessage>,
    new_events: Vec<NewEvent>,
}

/// A row of the outbox.
#[derive(Insertable)]
#[diesel(table_name = outbox)]
struct WaitingRow {
    organization_id: Col<OrganizationId>,
    conversation_id: Col<ConversationId>,
    position: i64,
    message_id: Col<MessageId>,
    attempts: i32,
    accepted_at: Col<Timestamp>,
}

/// Gives each message its position in its conversation.
fn place(
    accepted: &[KeyedMessage<'_>],
    found_by_key: BTreeMap<ConversationKey, Found>,
    snapshots: &ContactSnapshots,
) -> Result<PlacedMessages> {
    let mut placed = PlacedMessages::default();
    let with_person = |(key, Found { conversation, places }): (ConversationKey, Found)| {
        let person = snapshots.get(&conversation.contact_id).cloned();
        (key, Found { conversation, places: places.with(person) })
    };
    let mut found_by_key: BTreeMap<ConversationKey, Found> =
        found_by_key.into_iter().map(with_person).collect();
    for KeyedMessage { new, key, .. } in accepted {
        let found = found_by_key.get_mut(key);
        let found =
            found.ok_or_else(|| Error::Internal("a conversation went missing".to_owned()))?;
        let contact = found.conversation.contact_id;
        if new.contact.is_some_and(|meant| meant != contact) {
            return Err(Error::Moved);
        }
        let place = PlacedMessage {
            conversation: found.conversation.id,
            contact,
            person: found.places.person(),
            to: key.2.clone(),
            last_inbound_at: found.conversation.last_inbound_at,
            answer: None,
        };
        let message = if new.refusal.is_some() {
            found.places.refuse(new.message, new.at)
        } else {
            let message = found.places.accept(&proposed(new));
            placed.deliveries.push(WaitingRow {
                organization_id: Col(new.organization),
                conversation_id: Col(place.conversation),
                position: message.position,
                message_id: Col(new.message),
                attempts: 0,
                accepted_at: Col(new.at),
            });
            message
        };
        placed.rows.push(outbound(new, &place, &message));
        placed.new_events.extend(message.events);
        placed.places.push(place);
    }
    Ok(placed)
}

/// Returns the conversations in which these messages wait, in the order in which they are locked,
/// and the time from which work is due for their organizations.
fn waiting(rows: &[Message]) -> (Vec<WaitingConversation>, BTreeMap<OrganizationId, Timestamp>) {
    let (mut waiting, mut due) = (BTreeMap::new(), BTreeMap::new());
    for row in rows.iter().filter(|row| row.failure.is_none()) {
        let organization = row.organization_id;
        waiting.entry((organization, row.conversation_id)).or_insert_with(|| WaitingConversation {
            organization_id: Col(organization),
            conversation_id: Col(row.conversation_id),
            account_id: Col(row.account_id),
            due_at: Col(row.created_at),
            held: false,
        });
        due.entry(organization)
            .and_modify(|first: &mut Timestamp| *first = row.created_at.min(*first))
            .or_insert(row.created_at);
    }
    (waiting.into_values().collect(), due)
}

async fn insert_messages(conn: &mut SharedConn<'_>, rows: &[Message]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(rows) => insert_some_messages(conn, rows))?;
    Ok(())
}

async fn insert_some_messages(conn: &mut SharedConn<'_>, rows: Rows<'_, Message>) -> Result<()> {
    prepared!(diesel::insert_into(messages::table).values(rows)).execute(conn).await?;
    Ok(())
}

/// Inserts messages into the outbox.
async fn insert_outbox(conn: &mut SharedConn<'_>, rows: &[WaitingRow]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(rows) => insert_some_deliveries(conn, rows))?;
    Ok(())
}

async fn insert_some_deliveries(
    conn: &mut SharedConn<'_>,
    rows: Rows<'_, WaitingRow>,
) -> Result<()> {
    prepared!(diesel::insert_into(outbox::table).values(rows)).execute(conn).await?;
    Ok(())
}

fn conversation_key(new: &MessageSubmission) -> ConversationKey {
    (new.organization, new.account, new.to.clone())
}

const fn proposed(new: &MessageSubmission) -> ProposedMessage {
    let MessageSubmission { message, pauses_agent, source, member, at, .. } = *new;
    ProposedMessage { message, pauses_agent, source, member, at }
}

/// Returns the changes that the messages make to their conversations.
fn changed(accepted: &[KeyedMessage<'_>]) -> Vec<ChangedConversation> {
    let mut changes: BTreeMap<&ConversationKey, (&MessageSubmission, ConversationChange)> =
        BTreeMap::new();
    for KeyedMessage { new, key, .. } in accepted {
        let change = ConversationChange::sending(&proposed(new));
        changes
            .entry(key)
            .and_modify(|(_, earlier)| *earlier = earlier.then(change))
            .or_insert((new, change));
    }
    let row = |((_, _, to), (first, change)): (
        &ConversationKey,
        (&MessageSubmission, ConversationChange),
    )| {
        let MessageSubmission { organization, account, new_conversation, new_contact, .. } = *first;
        let ids = (organization, account, new_conversation, new_contact);
        let identity = Identity::from_address(to);
        ChangedConversation::new(ids, to, identity, first.at, change)
    };
    changes.into_iter().map(row).collect()
}

fn outbound(
    new: &MessageSubmission,
    place: &PlacedMessage,
    message: &acceptance::MessagePlacement,
) -> Message {
    let row = NewMessage {
        id: new.message,
        organization: new.organization,
        account: new.account,
        conversation: place.conversation,
        contact: place.contact,
        position: message.position,
        direction: message.direction,
        source: new.source,
        kind: new.content.kind,
        content: Document(new.content.document.clone()),
        status: message.status,
        at: new.at,
    };
    let refusal = new.refusal.as_ref();
    Message {
        failure: refusal.map(|it| it.failure),
        failure_message: refusal.map(|it| it.message.clone()),
        failure_code: refusal.and_then(|it| it.channel_code),
        client_ref: new.client_ref.clone(),
        metadata: new.metadata.clone(),
        reply_to: new.reply_to,
        key_id: new.key,
        ..row.into()
    }
}
