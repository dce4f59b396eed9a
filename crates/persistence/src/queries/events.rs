//! Events of organizations, numbered without gaps in the order of commits.
use super::contact_lookups::{contact_of_conversation, with_contact};
use super::{Conn, RunQueryDsl, SharedConn, insert_events, inserts, listed};
use crate::cached::Cached;
use crate::records::{
    Contact, Conversation, ConversationWithContact, Event, EventFilter, EventScan,
    EventWithSubject, Message, Subject, UnreadableRow,
};
use crate::schema::{
    accounts, contacts, conversations, event_counters, events, messages, notes, turns,
};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::event::{self, EventKind, EventPayload, Topic, event_id};
use domain::id::{AccountId, ContactId, ConversationId, MessageId, OrganizationId, SubjectId};
use domain::keyword::Keyword as _;
use domain::number::saturating;
use domain::recent_events::{StreamedChange, StreamedEvent};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use stored_content::event_data;

/// An upper bound of the difference between the clocks of two instances.
const CLOCK_SKEW: Duration = Duration::from_mins(1);

/// Records events in the transaction that causes them. Must be the last step of that transaction,
/// because the organizations' counters stay locked until the commit. Sequences thereby have the
/// order of the commits.
///
/// Counters are locked in the order of organizations, to avoid deadlocks, and nothing is locked
/// after them.
///
/// # Errors
///
/// [`Error::AccountGone`] if the account of a new contact was disconnected.
pub(super) async fn record(conn: &mut Conn, new_events: Vec<event::NewEvent>) -> Result<()> {
    if new_events.is_empty() {
        return Ok(());
    }
    let next = count(shared!(conn), &new_events).await?;
    insert(conn, &new_events, next).await
}

/// The first new sequence of each organization.
pub(super) type FirstNumbers = BTreeMap<OrganizationId, i64>;

/// Inserts events whose sequences [`count`] has reserved.
///
/// # Errors
///
/// [`Error::AccountGone`] if the account of a new contact was disconnected.
pub(super) async fn insert(
    conn: &mut Conn,
    new_events: &[event::NewEvent],
    mut next: FirstNumbers,
) -> Result<()> {
    if new_events.is_empty() {
        return Ok(());
    }
    let new_contacts = new_events.iter().filter(|event| event.kind == EventKind::ContactCreated);
    let accounts = new_contacts.filter_map(|event| event.account).collect();
    check_accounts(shared!(conn), accounts).await?;
    let mut rows = Vec::with_capacity(new_events.len());
    for event in new_events {
        let next = next.get_mut(&event.organization);
        let next = next.ok_or_else(|| Error::Internal("a counter went missing".to_owned()))?;
        rows.push(row(event, *next)?);
        *next += 1;
    }
    insert_events(conn, rows).await
}

/// Increments the counter of each organization, and returns each organization's first new sequence.
/// Nothing else may be locked afterwards.
pub(super) async fn count(
    conn: &mut SharedConn<'_>,
    new_events: &[event::NewEvent],
) -> Result<FirstNumbers> {
    let mut more: BTreeMap<OrganizationId, i64> = BTreeMap::new();
    for event in new_events {
        *more.entry(event.organization).or_default() += 1;
    }
    add(conn, &more).await
}

/// Locks the counter of an organization, and creates it if there is none. Nothing else may be locked
/// afterwards.
pub(super) async fn lock_counter(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
) -> Result<()> {
    add(conn, &BTreeMap::from([(organization, 0)])).await?;
    Ok(())
}

/// Deletes the counter of an organization that has no events. The caller has locked it.
pub(super) async fn delete_unused_counter(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<()> {
    let unused = event_counters::table
        .filter(event_counters::organization_id.eq(Col(organization)))
        .filter(event_counters::last.eq(0_i64));
    diesel::delete(unused).execute(conn).await?;
    Ok(())
}

/// Checks that accounts are connected. Contacts, and messages that are sent later, have no foreign
/// key to their account. A transaction that creates one locks the counter of the organization and
/// then calls this function. A transaction that disconnects an account locks the counter before it
/// looks for contacts and messages. The account itself is not locked. On a distributed database its
/// row is on every node, and such a lock would make all organizations wait for each other.
///
/// # Errors
///
/// [`Error::AccountGone`] if one of the accounts was disconnected.
pub(super) async fn check_accounts(
    conn: &mut SharedConn<'_>,
    ids: BTreeSet<AccountId>,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = accounts::table
        .filter(accounts::id.eq_any(listed(ids.iter().copied().map(Col))))
        .select(accounts::id);
    let found: Vec<Col<AccountId>> = Cached(rows).load(conn).await?;
    if found.len() == ids.len() { Ok(()) } else { Err(Error::AccountGone) }
}

/// Adds to the counter of each organization, and returns each organization's first new sequence.
async fn add(
    conn: &mut SharedConn<'_>,
    more: &BTreeMap<OrganizationId, i64>,
) -> Result<FirstNumbers> {
    let counters: Vec<_> = more
        .iter()
        .map(|(of, more)| {
            (event_counters::organization_id.eq(Col(*of)), event_counters::last.eq(*more))
        })
        .collect();
    let mut next = BTreeMap::new();
    for counters in inserts(&counters) {
        let upsert = diesel::insert_into(event_counters::table)
            .values(counters)
            .on_conflict(event_counters::organization_id)
            .do_update()
            .set(event_counters::last.eq(event_counters::last + excluded(event_counters::last)))
            .returning((event_counters::organization_id, event_counters::last));
        for (of, last) in prepared!(upsert).load::<(Col<OrganizationId>, i64)>(conn).await? {
            let more = more.get(&of.0);
            next.insert(of.0, more.map_or(last, |more| last - more) + 1);
        }
    }
    Ok(next)
}

fn row(event: &event::NewEvent, sequence: i64) -> Result<Event> {
    let subject = event.subject();
    let data = event_data::encode(&event.payload)
        .map_err(|why| UnreadableRow::new("event data", &event.kind, why))?;
    let person = event.person().map(event_data::encode_person).transpose();
    let person = person.map_err(|why| UnreadableRow::new("event contact", &event.kind, why))?;
    let mut row = Event {
        organization_id: event.organization,
        sequence,
        id: event_id(event.at, &subject, sequence),
        kind: event.kind,
        account_id: event.account,
        subject: None,
        connection_id: None,
        endpoint_id: None,
        data: data.map(Document),
        at: event.at,
        contact: person.map(Document),
    };
    match &event.payload {
        EventPayload::Message(..)
        | EventPayload::ScheduledMessage(_)
        | EventPayload::Template(_)
        | EventPayload::TemplateChange(_)
        | EventPayload::Account(_)
        | EventPayload::Conversation(..)
        | EventPayload::Contact(_)
        | EventPayload::ContactUpdate(_)
        | EventPayload::ContactMerge(_)
        | EventPayload::ContactDeletion(..)
        | EventPayload::ConversationUpdate(_)
        | EventPayload::ConversationWindow(_)
        | EventPayload::Note(_)
        | EventPayload::Handover(_)
        | EventPayload::Turn(_) => row.subject = Some(SubjectId::from_uuid(subject)),
        EventPayload::Connection(connection) => row.connection_id = Some(connection.id),
        EventPayload::Key(key) => row.connection_id = Some(key.connection),
        EventPayload::Endpoint(id) => row.endpoint_id = Some(*id),
        EventPayload::EndpointHealth(endpoint) => row.endpoint_id = Some(endpoint.id),
        EventPayload::Limit(..) => {}
    }
    Ok(row)
}

/// Returns an organization's events after `after`, in order, with their subjects.
pub async fn events_after(
    conn: &mut Conn,
    organization: OrganizationId,
    after: i64,
    limit: i64,
) -> Result<Vec<EventWithSubject>> {
    let found = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(events::sequence.gt(after))
        .order(events::sequence)
        .limit(limit)
        .select(Event::as_select())
        .load(conn)
        .await?;
    with_subjects(conn, organization, found).await
}

/// The sequence, the kind and the subject of an event, and the conversation of the message, the
/// note, the turn or the contact that is its subject.
type StreamedRow = (
    i64,
    Col<EventKind>,
    Option<Col<SubjectId>>,
    Option<Col<ConversationId>>,
    Option<Col<ConversationId>>,
    Option<Col<ConversationId>>,
    Option<Col<ConversationId>>,
);

/// Returns the `most` events of an organization after `after`, in order, each with the conversation
/// that it concerns.
pub async fn streamed_events(
    conn: &mut Conn,
    organization: OrganizationId,
    after: i64,
    most: i64,
) -> Result<Vec<StreamedEvent>> {
    // A subquery for each event, because PostgreSQL may read a whole table for a join while the
    // tables have no statistics. The organization is repeated in each. Otherwise a distributed
    // database would ask all nodes.
    let of_message = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.nullable().eq(events::subject))
        .select(messages::conversation_id)
        .single_value();
    let of_note = notes::table
        .filter(notes::organization_id.eq(Col(organization)))
        .filter(notes::id.nullable().eq(events::subject))
        .select(notes::conversation_id)
        .single_value();
    let of_turn = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.nullable().eq(events::subject))
        .select(turns::conversation_id)
        .single_value();
    let of_contact = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::contact_id.nullable().eq(events::subject))
        .select(conversations::id)
        .single_value();
    let found = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(following(after, most))
        .order(events::sequence)
        .select((
            events::sequence,
            events::kind,
            events::subject,
            of_message,
            of_note,
            of_turn,
            of_contact,
        ));
    let found = prepared!(found).load::<StreamedRow>(conn).await?;
    Ok(found.into_iter().map(streamed_event).collect())
}

fn streamed_event(row: StreamedRow) -> StreamedEvent {
    let (sequence, kind, subject, of_message, of_note, of_turn, of_contact) = row;
    let kind = kind.0;
    let conversation = match kind.topic() {
        Topic::Message(_) | Topic::MessageRevision => of_message,
        Topic::Note => of_note,
        Topic::Turn => of_turn,
        Topic::Contact | Topic::ContactUpdate => of_contact,
        Topic::Conversation(_)
        | Topic::ConversationUpdate
        | Topic::ConversationWindow
        | Topic::Handover => subject.map(|it| Col(ConversationId::from_uuid(*it.0.uuid()))),
        // These concern two conversations, or none.
        Topic::ContactMerge
        | Topic::ContactDeletion
        | Topic::ScheduledMessage
        | Topic::Template
        | Topic::TemplateChange
        | Topic::Account
        | Topic::Connection
        | Topic::Plan
        | Topic::Endpoint
        | Topic::EndpointHealth
        | Topic::Key => None,
    };
    let change = conversation.map(|it| StreamedChange { conversation: it.0, kind });
    StreamedEvent { sequence, change }
}

/// Reads the first `most` of an organization's events after `after`. Returns at most `limit` of the
/// events that match, in order, with their subjects.
pub async fn scan_events(
    conn: &mut Conn,
    organization: OrganizationId,
    wanted: EventFilter,
    after: i64,
    limit: i64,
    most: i64,
) -> Result<EventScan> {
    // The counter is read first. All events up to the counter are committed, so the following query
    // sees them.
    let counter =
        event_counters::table.filter(event_counters::organization_id.eq(Col(organization)));
    let first = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(events::sequence.gt(after))
        .order(events::sequence)
        .select(events::sequence);
    let ends = (counter.select(event_counters::last).single_value(), first.single_value());
    let (last, first): (Option<i64>, Option<i64>) = diesel::select(ends).get_result(conn).await?;
    let last = last.unwrap_or_default().max(after);
    // Old events are deleted, so the scan starts at the first event that exists.
    let Some(first) = first else {
        return Ok(EventScan { found: Vec::new(), until: last, last });
    };
    let until = last.min(first.saturating_add(most - 1));
    let mut found = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(events::sequence.between(first, until))
        .order(events::sequence)
        .limit(limit)
        .select(Event::as_select())
        .into_boxed();
    if let Some(account) = wanted.account {
        let all = EventKind::ALL.iter().filter(|kind| kind.concerns_all_numbers());
        let all: Vec<_> = all.copied().map(Col).collect();
        found = found.filter(
            events::account_id
                .eq(Some(Col(account)))
                .assume_not_null()
                .or(events::kind.eq_any(all)),
        );
    }
    if let Some(kinds) = wanted.kinds {
        let kinds: Vec<_> = kinds.into_iter().map(Col).collect();
        found = found.filter(events::kind.eq_any(kinds));
    }
    let found = found.load(conn).await?;
    Ok(EventScan { found: with_subjects(conn, organization, found).await?, until, last })
}

/// Adds the subjects' rows to events of one organization, in at most three lookups for any number
/// of events. Contacts are looked up only for events of the previous version, which stored no data
/// about them.
pub(super) async fn with_subjects(
    conn: &mut Conn,
    organization: OrganizationId,
    found: Vec<Event>,
) -> Result<Vec<EventWithSubject>> {
    let (mut of_messages, mut of_conversations, mut of_contacts) =
        (BTreeSet::new(), Vec::new(), Vec::new());
    for event in &found {
        let topic = event.kind.topic();
        // An event about a conversation stores only the state of the agent. The rest is read from
        // the conversation.
        let is_read = event.data.is_none() || matches!(topic, Topic::Conversation(_));
        let Some(subject) = event.subject.filter(|_| is_read) else { continue };
        match topic {
            Topic::Message(_) | Topic::MessageRevision => {
                of_messages.insert(Col(MessageId::from_uuid(*subject.uuid())));
            }
            Topic::Conversation(_) => {
                of_conversations.push(Col(ConversationId::from_uuid(*subject.uuid())));
            }
            Topic::Contact => of_contacts.push(Col(ContactId::from_uuid(*subject.uuid()))),
            Topic::ContactUpdate
            | Topic::ContactMerge
            | Topic::ContactDeletion
            | Topic::ConversationUpdate
            | Topic::Note
            | Topic::Handover
            | Topic::Turn
            | Topic::ScheduledMessage
            | Topic::ConversationWindow
            | Topic::Template
            | Topic::TemplateChange
            | Topic::Account
            | Topic::Connection
            | Topic::Plan
            | Topic::Endpoint
            | Topic::EndpointHealth
            | Topic::Key => {}
        }
    }
    let mut subjects = messages_by_id(conn, organization, of_messages).await?;
    for row in people(conn, organization, of_conversations, of_contacts).await? {
        let (id, contact) = (*row.conversation.id.uuid(), *row.contact.id.uuid());
        let row = Arc::new(row);
        subjects.insert(id, Subject::Conversation(row.clone()));
        subjects.insert(contact, Subject::Conversation(row));
    }
    let people = people_of_older(conn, organization, &found, &subjects).await?;
    let event_with_subject = found.into_iter().map(|event| {
        let subject = event.subject.and_then(|id| subjects.get(id.uuid()).cloned());
        let person = match &subject {
            Some(Subject::Message(row)) => people.get(&row.contact_id).cloned(),
            _ => None,
        };
        let connection = event.connection_id;
        EventWithSubject { event, subject, person, connection }
    });
    Ok(event_with_subject.collect())
}

/// Returns the contacts of messages whose events were recorded by the previous version, which
/// stored no contact.
async fn people_of_older(
    conn: &mut Conn,
    organization: OrganizationId,
    found: &[Event],
    subjects: &BTreeMap<uuid::Uuid, Subject>,
) -> Result<BTreeMap<ContactId, Arc<Contact>>> {
    let older = found.iter().filter(|event| event.contact.is_none());
    let contacts: BTreeSet<_> = older
        .filter_map(|event| match subjects.get(event.subject?.uuid())? {
            Subject::Message(row) => Some(Col(row.contact_id)),
            Subject::Conversation(_) => None,
        })
        .collect();
    if contacts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let events_of_organization = contacts::table
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(contacts::id.eq_any(listed(contacts)))
        .select(Contact::as_select());
    let rows: Vec<Contact> = Cached(events_of_organization).load(conn).await?;
    Ok(rows.into_iter().map(|it| (it.id, Arc::new(it))).collect())
}

/// Returns conversations of an organization by their ids, and by the ids of their contacts.
async fn people(
    conn: &mut Conn,
    organization: OrganizationId,
    of_conversations: Vec<Col<ConversationId>>,
    of_contacts: Vec<Col<ContactId>>,
) -> Result<Vec<ConversationWithContact>> {
    let all = || {
        conversations::table
            .inner_join(contacts::table.on(contact_of_conversation()))
            .filter(conversations::organization_id.eq(Col(organization)))
            .select((Conversation::as_select(), Contact::as_select()))
    };
    let mut rows: Vec<(Conversation, Contact)> = Vec::new();
    // Two statements are used, because for an `OR` with an empty list SQLite reads the whole table.
    if !of_conversations.is_empty() {
        let matching = all().filter(conversations::id.eq_any(listed(of_conversations)));
        rows.extend(Cached(matching).load::<(Conversation, Contact)>(conn).await?);
    }
    if !of_contacts.is_empty() {
        let matching = all().filter(conversations::contact_id.eq_any(listed(of_contacts)));
        rows.extend(Cached(matching).load::<(Conversation, Contact)>(conn).await?);
    }
    Ok(rows.into_iter().map(with_contact).collect())
}

async fn messages_by_id(
    conn: &mut Conn,
    organization: OrganizationId,
    ids: BTreeSet<Col<MessageId>>,
) -> Result<BTreeMap<uuid::Uuid, Subject>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let matching = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(ids)))
        .select(Message::as_select());
    let rows: Vec<Message> = Cached(matching).load(conn).await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| (*row.id.uuid(), Subject::Message(Arc::new(row)))).collect())
}

/// Returns events by their sequences, with their subjects, in any order.
pub(super) async fn numbered_events(
    conn: &mut Conn,
    wanted: impl IntoIterator<Item = (OrganizationId, i64)>,
) -> Result<Vec<EventWithSubject>> {
    let mut numbers: BTreeMap<OrganizationId, Vec<i64>> = BTreeMap::new();
    for (organization, sequence) in wanted {
        numbers.entry(organization).or_default().push(sequence);
    }
    let mut found = Vec::new();
    for (organization, numbers) in numbers {
        let events_of_organization = events::table
            .filter(events::organization_id.eq(Col(organization)))
            .filter(events::sequence.eq_any(listed(numbers)))
            .select(Event::as_select());
        let events_of_organization = Cached(events_of_organization).load(conn).await?;
        found.extend(with_subjects(conn, organization, events_of_organization).await?);
    }
    Ok(found)
}

/// Returns the sequences of an organization's first and last event in a period.
pub(super) async fn numbers_between(
    conn: &mut Conn,
    organization: OrganizationId,
    from: Timestamp,
    to: Timestamp,
) -> Result<Option<(i64, i64)>> {
    let first = first_number_since(conn, organization, from.minus(CLOCK_SKEW)).await?;
    let end = first_number_since(conn, organization, to.plus(CLOCK_SKEW)).await?;
    let range = || {
        events::table
            .filter(events::organization_id.eq(Col(organization)))
            .filter(events::sequence.ge(first))
            .filter(events::sequence.lt(end))
            .filter(events::at.between(Col(from), Col(to)))
            .limit(1)
            .select(events::sequence)
    };
    let first: Option<i64> = range().order(events::sequence).get_result(conn).await.optional()?;
    let last: Option<i64> =
        range().order(events::sequence.desc()).get_result(conn).await.optional()?;
    Ok(first.zip(last))
}

/// Returns the sequence of the organization's last event, or 0 if there is none.
pub async fn last_sequence(conn: &mut Conn, organization: OrganizationId) -> Result<i64> {
    let last = event_counters::table.find(Col(organization)).select(event_counters::last);
    let last: Option<i64> = last.get_result(conn).await.optional()?;
    Ok(last.unwrap_or(0))
}

/// The condition of the next `most` events after a sequence. Sequences have no gaps, except where
/// old events were deleted. A `LIMIT` is no substitute: without statistics PostgreSQL reads and
/// sorts all events after the sequence.
#[diesel::dsl::auto_type]
pub(super) fn following(after: i64, most: i64) -> _ {
    let last: i64 = after.saturating_add(most);
    events::sequence.gt(after).and(events::sequence.le(last))
}

/// Returns the sequence of the first event that is not older than `since`, or the next sequence if
/// there is none. This is a binary search: sequences follow the order of times, except for the
/// difference between the instances' clocks.
async fn first_number_since(
    conn: &mut Conn,
    organization: OrganizationId,
    since: Timestamp,
) -> Result<i64> {
    let (mut low, mut high) = (1, last_sequence(conn, organization).await? + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let one = events::table.find((Col(organization), middle)).select(events::at);
        let at: Option<Col<Timestamp>> = prepared!(one).get_result(conn).await.optional()?;
        // An event that is missing was deleted because of its age.
        if at.is_some_and(|at| at.0 >= since) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// Deletes at most `limit` events from before `cutoff`, the oldest of each organization first. The
/// counters stay, so that sequences continue.
pub async fn delete_expired_events(
    conn: &mut Conn,
    cutoff: Timestamp,
    limit: i64,
) -> Result<usize> {
    let oldest = events::table
        .filter(events::organization_id.eq(event_counters::organization_id))
        .order(events::sequence)
        .limit(1)
        .select(events::at)
        .single_value();
    let with_old = event_counters::table
        .filter(oldest.lt(Some(Col(cutoff))))
        .limit(limit)
        .select(event_counters::organization_id);
    let with_old: Vec<Col<OrganizationId>> = with_old.load(conn).await?;
    let (mut left, mut forgotten) = (limit, 0);
    for organization in with_old {
        if left <= 0 {
            break;
        }
        let events_of_organization =
            || events::table.filter(events::organization_id.eq(organization));
        let first = events_of_organization()
            .order(events::sequence)
            .limit(left)
            .select((events::sequence, events::at));
        let first: Vec<(i64, Col<Timestamp>)> = first.load(conn).await?;
        let old = first.into_iter().take_while(|(_, at)| at.0 < cutoff);
        let Some((last, _)) = old.last() else { continue };
        let old = diesel::delete(events_of_organization().filter(events::sequence.le(last)));
        let some = old.execute(conn).await?;
        left -= saturating(some, i64::MAX);
        forgotten += some;
    }
    Ok(forgotten)
}
