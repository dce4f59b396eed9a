//! Deletes contacts. The transaction of the request removes the person's name, numbers and user
//! ids. A worker erases the rest in stages, each in several transactions. Every transaction of the
//! worker can be repeated.
use super::contact_changes::lock;
use super::contact_lookups::list_numbers;
use super::conversation_words::delete_words;
use super::erasure;
use super::inbox::lock_position;
use super::message_lists::BY_ORGANIZATION;
use super::{Conn, RunQueryDsl, Transactional, events as recording, listed};
use crate::records::{
    AnswerKey, Contact, ContactDeletion, ConversationWithContact, DELETED_CONTACT, DeadCallback,
    ErasedAnswer, ErasedEvent, ErasedMessages, Message,
};
use crate::schema::webhooks::{
    webhook_attempts, webhook_deliveries, webhook_endpoints, webhook_feeds,
};
use crate::schema::{
    accounts, audit_entries, contact_deletions, contact_numbers, contacts, conversations,
    dead_callbacks, events, fetches, idempotency, inbox_entries, inbox_member_states, media,
    media_owners, messages, notes, outbox, outbox_conversations, scheduled_messages, templates,
    turns,
};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use domain::contact::DeletionStage;
use domain::content::MessageKind;
use domain::event::{EventKind, EventPayload, NewEvent, Topic};
use domain::id::{
    AccountId, CallbackId, ContactId, ConversationId, KeyId, MediaId, MessageId, NoteId,
    OrganizationId, OwnerId, SubjectId,
};
use domain::message::{Failure, MessageStatus, ScheduleState};
use domain::number::saturating;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use stored_content::erasure::{erased_fields, erased_json, file_ids, without_labels};

/// The sequence, the kind, the data and the contact of an event.
type PersonalEvent = (i64, Col<EventKind>, Option<Document>, Option<Document>);
/// A message with its conversation, its content and its changes.
type MessageWithFiles = (Col<MessageId>, Col<ConversationId>, Document, Option<Document>);

/// The content of a message that is sent later, and of its fallback.
type ScheduledContent = (Document, Option<Document>);

/// Number of dead letters that are read at a time.
const LETTERS: i64 = 500;

/// Deletes a contact of the organization. If `account` is given, only a contact of that account is
/// deleted. Removes the person's name, numbers and user ids, so that nobody can write to the person
/// any more, and withdraws messages that wait in the outbox. Returns the deleted contact, also if
/// it was deleted before, or `None` if there is no such contact.
pub async fn delete_contact(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: ContactId,
    now: Timestamp,
) -> Result<Option<ConversationWithContact>> {
    conn.transaction(async |conn| {
        let Some(mut found) = lock(conn, organization, id).await? else { return Ok(None) };
        if account.is_some_and(|bound| bound != found.contact.account_id) {
            return Ok(None);
        }
        if found.contact.deleted_at.is_some() {
            return Ok(Some(found));
        }
        let ConversationWithContact { conversation, contact } = &found;
        let (conversation, account) = (conversation.id, contact.account_id);
        let identifiers = identifiers(conn, organization, contact).await?;
        let people = people(conn, organization, contact.id, conversation).await?;
        end(conn, organization, conversation, &people.contacts, now).await?;
        withdraw(conn, organization, conversation).await?;
        let deletion = ContactDeletion {
            organization_id: organization,
            contact_id: contact.id,
            conversation_id: conversation,
            account_id: account,
            identifiers: Document(json(&identifiers)?),
            files: Document("[]".to_owned()),
            stage: DeletionStage::FIRST,
            round: 0,
            deleted_at: now,
            due_at: now,
        };
        diesel::insert_into(contact_deletions::table).values(&deletion).execute(conn).await?;
        let payload = EventPayload::ContactDeletion(contact.id, conversation);
        let kind = EventKind::ContactDeleted;
        let event = NewEvent::for_account(organization, account, kind, payload, now);
        recording::record(conn, vec![event]).await?;
        found.contact = unnamed(&found.contact, now);
        found.conversation.address = None;
        Ok::<_, Error>(Some(found))
    })
    .await
}

fn unnamed(contact: &Contact, now: Timestamp) -> Contact {
    Contact {
        phone_number: None,
        channel_user_id: None,
        channel_parent_user_id: None,
        username: None,
        name: None,
        identified_at: None,
        opted_out_at: None,
        preference_at: None,
        deleted_at: Some(now),
        name_edited_at: None,
        ..contact.clone()
    }
}

/// Returns the numbers and user ids with which the channel may identify a contact.
async fn identifiers(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: &Contact,
) -> Result<Vec<String>> {
    let mut numbers = list_numbers(conn, organization, [contact.id]).await?;
    let mut numbers = numbers.remove(&contact.id).unwrap_or_default();
    numbers.extend(contact.identity()?.phone_number);
    let forms: Vec<PhoneNumber> = numbers.iter().filter_map(PhoneNumber::other_form).collect();
    let users = [&contact.channel_user_id, &contact.channel_parent_user_id].into_iter().flatten();
    let numbers = numbers.iter().chain(&forms).map(ToString::to_string);
    let all: BTreeSet<String> = numbers.chain(users.cloned()).collect();
    Ok(all.into_iter().collect())
}

/// A contact and the contacts that were merged into it, and their conversations.
struct MergedPeople {
    contacts: Vec<ContactId>,
    conversations: Vec<ConversationId>,
}

impl MergedPeople {
    /// Returns the ids as texts.
    fn texts(&self) -> Vec<String> {
        let contacts = self.contacts.iter().map(ToString::to_string);
        contacts.chain(self.conversations.iter().map(ToString::to_string)).collect()
    }
}

async fn people(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
) -> Result<MergedPeople> {
    let merged = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq(Some(Col(conversation))))
        .select((conversations::contact_id, conversations::id));
    let merged: Vec<(Col<ContactId>, Col<ConversationId>)> = merged.load(conn).await?;
    let (contacts, conversations): (Vec<_>, Vec<_>) =
        merged.into_iter().map(|(contact, conversation)| (contact.0, conversation.0)).unzip();
    Ok(MergedPeople {
        contacts: [contact].into_iter().chain(contacts).collect(),
        conversations: [conversation].into_iter().chain(conversations).collect(),
    })
}

/// Removes the names, numbers and user ids of contacts. The conversation is updated before the
/// contacts, as in all transactions, to avoid deadlocks.
async fn end(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    people: &[ContactId],
    now: Timestamp,
) -> Result<()> {
    let row = conversations::table.find((Col(organization), Col(conversation)));
    diesel::update(row).set(conversations::address.eq(None::<String>)).execute(conn).await?;
    let people = listed(people.iter().copied().map(Col));
    let rows = contacts::table
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(contacts::id.eq_any(people.clone()));
    let unnamed = (
        contacts::phone_number.eq(None::<String>),
        contacts::channel_user_id.eq(None::<String>),
        contacts::channel_parent_user_id.eq(None::<String>),
        contacts::username.eq(None::<String>),
        contacts::name.eq(None::<String>),
        contacts::identified_at.eq(None::<Col<Timestamp>>),
        contacts::opted_out_at.eq(None::<Col<Timestamp>>),
        contacts::preference_at.eq(None::<Col<Timestamp>>),
        contacts::deleted_at.eq(Some(Col(now))),
        contacts::name_edited_at.eq(None::<Col<Timestamp>>),
    );
    diesel::update(rows).set(unnamed).execute(conn).await?;
    let numbers = contact_numbers::table
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contact_numbers::contact_id.eq_any(people));
    diesel::delete(numbers).execute(conn).await?;
    Ok(())
}

/// Removes a conversation's waiting messages from the outbox.
async fn withdraw(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<()> {
    let waiting = outbox_conversations::table.find((Col(organization), Col(conversation)));
    diesel::delete(waiting).execute(conn).await?;
    let waiting = outbox::table
        .filter(outbox::organization_id.eq(Col(organization)))
        .filter(outbox::conversation_id.eq(Col(conversation)));
    diesel::delete(waiting).execute(conn).await?;
    Ok(())
}

fn json(texts: &[String]) -> Result<String> {
    serde_json::to_string(texts).map_err(|error| Error::Internal(error.to_string()))
}

/// Returns deletions that have a stage due.
pub async fn due_contact_deletions(
    conn: &mut Conn,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(OrganizationId, ContactId)>> {
    let due = contact_deletions::table
        .filter(contact_deletions::due_at.le(Col(now)))
        .order(contact_deletions::due_at)
        .limit(limit)
        .select((contact_deletions::organization_id, contact_deletions::contact_id));
    let due: Vec<(Col<OrganizationId>, Col<ContactId>)> = due.load(conn).await?;
    Ok(due.into_iter().map(|(organization, contact)| (organization.0, contact.0)).collect())
}

/// Claims a due deletion until `until`. Returns `None` if another worker has claimed it.
pub async fn claim_contact_deletion(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<ContactDeletion>> {
    let due = contact_deletions::table
        .filter(contact_deletions::organization_id.eq(Col(organization)))
        .filter(contact_deletions::contact_id.eq(Col(contact)))
        .filter(contact_deletions::due_at.le(Col(now)));
    let claimed = diesel::update(due)
        .set(contact_deletions::due_at.eq(Col(until)))
        .returning(ContactDeletion::as_returning());
    Ok(claimed.get_result(conn).await.optional()?)
}

/// Stores the progress of a deletion: the next stage, and the time at which it is due.
pub async fn advance_contact_deletion(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    stage: DeletionStage,
    round: u32,
    due: Timestamp,
) -> Result<()> {
    let row = contact_deletions::table.find((Col(organization), Col(contact)));
    let next = (
        contact_deletions::stage.eq(Col(stage)),
        contact_deletions::round.eq(Col(round)),
        contact_deletions::due_at.eq(Col(due)),
    );
    diesel::update(row).set(next).execute(conn).await?;
    Ok(())
}

/// Deletes the record of a contact's deletion after its last stage.
pub async fn finish_contact_deletion(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<()> {
    let row = contact_deletions::table.find((Col(organization), Col(contact)));
    diesel::delete(row).execute(conn).await?;
    Ok(())
}

/// Erases the messages of a deleted contact at the `limit` positions after `after`. Messages that
/// were withdrawn become failed.
pub async fn erase_contact_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    after: i64,
    limit: i64,
    now: Timestamp,
) -> Result<ErasedMessages> {
    conn.transaction(async |conn| {
        let row = contact_deletions::table
            .find((Col(organization), Col(contact)))
            .select(ContactDeletion::as_select());
        let deletion: Option<ContactDeletion> =
            for_update!(row).get_result(conn).await.optional()?;
        let Some(deletion) = deletion else { return Ok(ErasedMessages::default()) };
        let last = after.saturating_add(limit);
        let of_conversation = || {
            messages::table
                .filter(messages::organization_id.eq(Col(organization)))
                .filter(messages::conversation_id.eq(Col(deletion.conversation_id)))
        };
        let range = || of_conversation().filter(messages::position.between(after + 1, last));
        let ids: Vec<Col<MessageId>> = range().select(messages::id).load(conn).await?;
        let ids: Vec<MessageId> = ids.into_iter().map(|id| id.0).collect();
        // Downloads are locked before messages, in the same order as in `media::finish_fetch`.
        let downloads = fetches::table
            .filter(fetches::organization_id.eq(Col(organization)))
            .filter(fetches::message_id.eq_any(listed(ids.iter().copied().map(Col))));
        diesel::delete(downloads).execute(conn).await?;
        // Messages are locked in the order in which callbacks lock them, to avoid deadlocks.
        let rows = range().order(messages::id).select(Message::as_select());
        let rows: Vec<Message> = for_update!(rows).load(conn).await?;
        let later = of_conversation().filter(messages::position.gt(last)).limit(1);
        let later: Option<Col<MessageId>> =
            later.select(messages::id).get_result(conn).await.optional()?;
        collect_files(conn, &deletion, &rows).await?;
        erase_audit_names(conn, organization, ids.iter().map(ToString::to_string)).await?;
        let mut new_events = Vec::new();
        for row in &rows {
            erasure::erase_message(conn, row).await?;
            // In the first round, a worker may still be sending the message, so the message is not
            // marked as failed yet.
            if deletion.round > 0 {
                new_events.extend(fail(conn, row, now).await?);
            }
        }
        recording::record(conn, new_events).await?;
        let next = later.map(|_| last);
        Ok::<_, Error>(ErasedMessages { messages: ids, next })
    })
    .await
}

/// Adds the files of messages to the list of files that the deletion removes.
async fn collect_files(
    conn: &mut Conn,
    deletion: &ContactDeletion,
    rows: &[Message],
) -> Result<()> {
    let mut files: BTreeSet<MediaId> = file_ids(&deletion.files.0).into_iter().collect();
    let before = files.len();
    for row in rows {
        files.extend(file_ids(&row.content.0));
        files.extend(row.changes.iter().flat_map(|it| file_ids(&it.0)));
    }
    if files.len() == before {
        return Ok(());
    }
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    let row =
        contact_deletions::table.find((Col(deletion.organization_id), Col(deletion.contact_id)));
    let files = contact_deletions::files.eq(Document(json(&files)?));
    diesel::update(row).set(files).execute(conn).await?;
    Ok(())
}

/// Marks a withdrawn message as failed. Returns the event. A message that the channel has accepted
/// stays queued until the channel reports on it.
async fn fail(conn: &mut Conn, row: &Message, now: Timestamp) -> Result<Option<NewEvent>> {
    if row.status != MessageStatus::Queued || row.channel_message_id.is_some() {
        return Ok(None);
    }
    let queued = messages::table
        .filter(messages::organization_id.eq(Col(row.organization_id)))
        .filter(messages::id.eq(Col(row.id)));
    let failed = (
        messages::status.eq(Col(MessageStatus::Failed)),
        messages::failure.eq(Some(Col(Failure::ContactDeleted))),
    );
    diesel::update(queued).set(failed).execute(conn).await?;
    let contact = contacts::table
        .find((Col(row.organization_id), Col(row.contact_id)))
        .select(Contact::as_select());
    let contact: Contact = contact.get_result(conn).await?;
    let payload = EventPayload::Message(row.id, Some(contact.snapshot()?.into()));
    let (organization, account) = (row.organization_id, row.account_id);
    let kind = EventKind::MessageFailed;
    Ok(Some(NewEvent::for_account(organization, account, kind, payload, now)))
}

/// Replaces the names of these objects in the audit log.
async fn erase_audit_names(
    conn: &mut Conn,
    organization: OrganizationId,
    objects: impl Iterator<Item = String>,
) -> Result<()> {
    let rows = audit_entries::table
        .filter(audit_entries::organization_id.eq(Col(organization)))
        .filter(audit_entries::object_id.eq_any(listed(objects.map(Some))))
        .filter(audit_entries::object_name.ne(DELETED_CONTACT));
    diesel::update(rows).set(audit_entries::object_name.eq(DELETED_CONTACT)).execute(conn).await?;
    Ok(())
}

/// Deletes the notes about a deleted contact, the drafts of members, and the entry in the inbox.
/// Returns the subjects of events about them.
pub async fn erase_conversation(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
) -> Result<Vec<SubjectId>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let people = people(conn, organization, contact, conversation).await?;
        let all = || listed(people.conversations.iter().copied().map(Col));
        let deleted = notes::table
            .filter(notes::organization_id.eq(Col(organization)))
            .filter(notes::conversation_id.eq_any(all()));
        let deleted = diesel::delete(deleted).returning(notes::id);
        let deleted: Vec<Col<NoteId>> = deleted.get_results(conn).await?;
        let states = inbox_member_states::table
            .filter(inbox_member_states::organization_id.eq(Col(organization)))
            .filter(inbox_member_states::conversation_id.eq_any(all()));
        diesel::delete(states).execute(conn).await?;
        let entries = inbox_entries::table
            .filter(inbox_entries::organization_id.eq(Col(organization)))
            .filter(inbox_entries::conversation_id.eq_any(all()));
        diesel::delete(entries).execute(conn).await?;
        delete_words(conn, organization, &people.conversations).await?;
        let answered = turns::table
            .filter(turns::organization_id.eq(Col(organization)))
            .filter(turns::conversation_id.eq_any(all()));
        diesel::delete(answered).execute(conn).await?;
        delete_scheduled(conn, organization, contact, &people).await?;
        erase_audit_names(conn, organization, people.texts().into_iter()).await?;
        let contacts = people.contacts.iter().map(|it| SubjectId::from_uuid(*it.uuid()));
        let conversations = people.conversations.iter().map(|it| SubjectId::from_uuid(*it.uuid()));
        let notes = deleted.iter().map(|it| SubjectId::from_uuid(*it.0.uuid()));
        Ok::<_, Error>(contacts.chain(conversations).chain(notes).collect())
    })
    .await
}

/// Deletes the scheduled messages to a deleted contact, including canceled ones, and adds their
/// files to the list of files that the deletion removes.
async fn delete_scheduled(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    people: &MergedPeople,
) -> Result<()> {
    let row = contact_deletions::table
        .find((Col(organization), Col(contact)))
        .select(ContactDeletion::as_select());
    let deletion: Option<ContactDeletion> = row.get_result(conn).await.optional()?;
    let Some(deletion) = deletion else { return Ok(()) };
    let mut identifiers: BTreeSet<String> = serde_json::from_str(&deletion.identifiers.0)
        .map_err(|error| Error::Internal(error.to_string()))?;
    let recipients: Vec<String> = identifiers.iter().cloned().chain(people.texts()).collect();
    let own = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::account_id.eq(Col(deletion.account_id)))
        .filter(scheduled_messages::recipient.eq_any(listed(recipients)));
    let content = (scheduled_messages::content, scheduled_messages::fallback);
    let deleted = diesel::delete(own).returning((scheduled_messages::id, content));
    let deleted: Vec<(Col<MessageId>, ScheduledContent)> = deleted.get_results(conn).await?;
    if deleted.is_empty() {
        return Ok(());
    }
    // Events and stored answers about these messages may identify the person only by the number.
    // They are found by the ids of the messages.
    identifiers.extend(deleted.iter().map(|(id, _)| id.0.to_string()));
    let identifiers: Vec<String> = identifiers.into_iter().collect();
    let mut files: BTreeSet<MediaId> = file_ids(&deletion.files.0).into_iter().collect();
    files.extend(deleted.iter().flat_map(|(_, content)| files_of(content)));
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    let row = contact_deletions::table.find((Col(organization), Col(contact)));
    let found = (
        contact_deletions::identifiers.eq(Document(json(&identifiers)?)),
        contact_deletions::files.eq(Document(json(&files)?)),
    );
    diesel::update(row).set(found).execute(conn).await?;
    Ok(())
}

/// Returns the files of a message that is sent later.
fn files_of((content, fallback): &ScheduledContent) -> Vec<MediaId> {
    let fallback = fallback.iter().flat_map(|it| file_ids(&it.0));
    file_ids(&content.0).into_iter().chain(fallback).collect()
}

/// Reads the next `limit` scheduled messages after `after`. Returns which of these files the
/// messages use, and the message after which the next call continues.
pub async fn files_of_scheduled(
    conn: &mut Conn,
    organization: OrganizationId,
    files: Vec<MediaId>,
    after: Option<MessageId>,
    limit: i64,
) -> Result<(Vec<MediaId>, Option<MessageId>)> {
    let mut rows = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::state.eq(Col(ScheduleState::Scheduled)))
        .order(scheduled_messages::id)
        .limit(limit)
        .select((
            scheduled_messages::id,
            (scheduled_messages::content, scheduled_messages::fallback),
        ))
        .into_boxed();
    if let Some(after) = after {
        rows = rows.filter(scheduled_messages::id.gt(Col(after)));
    }
    let rows: Vec<(Col<MessageId>, ScheduledContent)> = rows.load(conn).await?;
    let next = rows.last().map(|(id, _)| id.0);
    let next = next.filter(|_| saturating::<_, i64>(rows.len(), i64::MAX) >= limit);
    let named: BTreeSet<MediaId> = rows.iter().flat_map(|(_, content)| files_of(content)).collect();
    Ok((files.into_iter().filter(|it| named.contains(it)).collect(), next))
}

/// Returns the ids of a deleted contact, of the contacts that were merged into it, and of their
/// conversations, as texts to search for in stored JSON.
pub async fn deleted_ids(
    conn: &mut Conn,
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
) -> Result<Vec<String>> {
    Ok(people(conn, organization, contact, conversation).await?.texts())
}

/// Returns the owners of endpoints that receive the organization's events.
pub async fn owners_of_endpoints(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Vec<OwnerId>> {
    let owners = webhook_feeds::table
        .inner_join(webhook_endpoints::table)
        .filter(webhook_feeds::organization_id.eq(Col(organization)))
        .select(webhook_endpoints::owner_id)
        .distinct();
    let owners: Vec<Col<OwnerId>> = owners.load(conn).await?;
    Ok(owners.into_iter().map(|it| it.0).collect())
}

/// Erases the answers of an owner's endpoints to deliveries of events about these subjects, because
/// an answer may repeat the event.
pub async fn erase_delivery_answers(
    conn: &mut Conn,
    owner: OwnerId,
    subjects: Vec<SubjectId>,
) -> Result<()> {
    let about = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner)))
        .filter(
            webhook_deliveries::subject
                .eq_any(listed(subjects.into_iter().map(|it| Some(Col(it))))),
        )
        .select(webhook_deliveries::id);
    let about: Vec<Col<domain::id::DeliveryId>> = about.load(conn).await?;
    if about.is_empty() {
        return Ok(());
    }
    let attempts = webhook_attempts::table
        .filter(webhook_attempts::owner_id.eq(Col(owner)))
        .filter(webhook_attempts::delivery_id.eq_any(listed(about)))
        .filter(webhook_attempts::response.is_not_null());
    diesel::update(attempts)
        .set(webhook_attempts::response.eq(None::<String>))
        .execute(conn)
        .await?;
    Ok(())
}

/// Reads `most` events after a sequence. Returns the events that contain one of the texts `named`,
/// with the personal data removed, and the sequence after which the next call continues.
pub async fn personal_events(
    conn: &mut Conn,
    organization: OrganizationId,
    named: Vec<String>,
    after: i64,
    most: i64,
) -> Result<(Vec<ErasedEvent>, Option<i64>)> {
    let first = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(events::sequence.gt(after))
        .order(events::sequence)
        .limit(1)
        .select(events::sequence);
    let first: Option<i64> = first.get_result(conn).await.optional()?;
    let Some(first) = first else { return Ok((Vec::new(), None)) };
    let last = first.saturating_add(most);
    let mut erased = Vec::new();
    for name in named {
        let text = format!("%{name}%");
        let contains = sql::<Bool>("(CAST(events.contact AS TEXT) LIKE ")
            .bind::<Text, _>(text.clone())
            .sql(" OR CAST(events.data AS TEXT) LIKE ")
            .bind::<Text, _>(text)
            .sql(")");
        let found = events::table
            .filter(events::organization_id.eq(Col(organization)))
            .filter(events::sequence.between(first, last))
            .filter(contains)
            .select((events::sequence, events::kind, events::data, events::contact));
        let found: Vec<PersonalEvent> = found.load(conn).await?;
        erased.extend(found.into_iter().filter_map(|(sequence, kind, data, contact)| {
            let without = |it: &Document| Document(erased_json(&it.0));
            let now_contact = contact.as_ref().map(without);
            let now_data = data.as_ref().map(|it| match kind.0.topic() {
                Topic::Note => Document(erased_fields(&it.0, &["text"])),
                Topic::Handover | Topic::Turn => {
                    Document(erased_fields(&it.0, &["reason", "summary"]))
                }
                // An agent's reason for handing a conversation over.
                Topic::Conversation(_) => Document(erased_fields(&it.0, &["reason"])),
                Topic::ConversationUpdate => {
                    Document(erased_fields(&without_labels(&it.0), &["reason"]))
                }
                Topic::Contact
                | Topic::ContactUpdate
                | Topic::ConversationWindow
                | Topic::ScheduledMessage => without(it),
                // Events of these topics have only ids, times and values that the organization
                // entered.
                Topic::Message(_)
                | Topic::MessageRevision
                | Topic::Template
                | Topic::TemplateChange
                | Topic::Account
                | Topic::ContactMerge
                | Topic::ContactDeletion
                | Topic::Connection
                | Topic::Plan
                | Topic::Endpoint
                | Topic::EndpointHealth
                | Topic::Key => it.clone(),
            });
            let has_changed = now_contact != contact || now_data != data;
            has_changed.then_some(ErasedEvent { sequence, data: now_data, contact: now_contact })
        }));
    }
    Ok((erased, Some(last)))
}

/// Replaces the stored data of events with the given data.
pub async fn erase_events(
    conn: &mut Conn,
    organization: OrganizationId,
    erased: Vec<ErasedEvent>,
) -> Result<()> {
    conn.transaction(async |conn| {
        for ErasedEvent { sequence, data, contact } in erased {
            let row = events::table.find((Col(organization), sequence));
            let without = (events::data.eq(data), events::contact.eq(contact));
            diesel::update(row).set(without).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Reads stored answers after a key that contain the text `named`. Returns them with the personal
/// data removed.
pub async fn personal_answers(
    conn: &mut Conn,
    organization: OrganizationId,
    named: String,
    after: Option<AnswerKey>,
    limit: i64,
) -> Result<Vec<ErasedAnswer>> {
    let mut found = idempotency::table
        .filter(idempotency::owner_id.eq(Col(organization)))
        .filter(idempotency::answer.like(format!("%{named}%")))
        .order((idempotency::key_id, idempotency::path, idempotency::idempotency_key))
        .limit(limit)
        .select((
            idempotency::key_id,
            idempotency::path,
            idempotency::idempotency_key,
            idempotency::answer,
        ))
        .into_boxed();
    if let Some(AnswerKey { key, path, name }) = after {
        let later_name = idempotency::key_id
            .eq(Col(key))
            .and(idempotency::path.eq(path.clone()))
            .and(idempotency::idempotency_key.gt(name));
        let later_path = idempotency::key_id.eq(Col(key)).and(idempotency::path.gt(path));
        found = found.filter(idempotency::key_id.gt(Col(key)).or(later_path).or(later_name));
    }
    let found: Vec<(Col<KeyId>, String, String, String)> = found.load(conn).await?;
    let erased = found.into_iter().map(|(key, path, name, answer)| ErasedAnswer {
        key: AnswerKey { key: key.0, path, name },
        answer: erased_json(&answer),
    });
    Ok(erased.collect())
}

/// Replaces stored answers of idempotent requests with their erased versions.
pub async fn erase_answers(
    conn: &mut Conn,
    organization: OrganizationId,
    erased: Vec<ErasedAnswer>,
) -> Result<()> {
    conn.transaction(async |conn| {
        for ErasedAnswer { key: AnswerKey { key, path, name }, answer } in erased {
            let row = idempotency::table.find((Col(organization), Col(key), path, name));
            diesel::update(row).set(idempotency::answer.eq(answer)).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Reads the next `limit` messages after `after` that can have a file. Returns which of these files
/// are used by messages of other contacts, and the message after which the next call continues.
pub async fn files_of_others(
    conn: &mut Conn,
    organization: OrganizationId,
    files: Vec<MediaId>,
    conversation: ConversationId,
    after: MessageId,
    limit: i64,
) -> Result<(Vec<MediaId>, Option<MessageId>)> {
    let with_files = [MessageKind::Media, MessageKind::Template, MessageKind::Interactive];
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(BY_ORGANIZATION)
        .filter(messages::id.gt(Col(after)))
        .filter(messages::kind.eq_any(with_files.map(Col)))
        .order(messages::id)
        .limit(limit)
        .select((messages::id, messages::conversation_id, messages::content, messages::changes));
    let rows: Vec<MessageWithFiles> = rows.load(conn).await?;
    let next = rows.last().map(|(id, ..)| id.0);
    let next = next.filter(|_| saturating::<_, i64>(rows.len(), i64::MAX) >= limit);
    let others = rows.iter().filter(|(_, of, ..)| of.0 != conversation);
    let named: BTreeSet<MediaId> = others
        .flat_map(|(.., content, changes)| {
            let earlier = changes.iter().flat_map(|it| file_ids(&it.0));
            file_ids(&content.0).into_iter().chain(earlier)
        })
        .collect();
    Ok((files.into_iter().filter(|it| named.contains(it)).collect(), next))
}

/// Returns which of these files are used as examples in the organization's templates.
pub async fn files_of_templates(
    conn: &mut Conn,
    organization: OrganizationId,
    files: Vec<MediaId>,
) -> Result<Vec<MediaId>> {
    let with_files = sql::<Bool>("CAST(templates.components AS TEXT) LIKE '%med\\_%' ESCAPE '\\'");
    let rows = templates::table
        .filter(templates::organization_id.eq(Col(organization)))
        .filter(with_files)
        .select(templates::components);
    let rows: Vec<Document> = rows.load(conn).await?;
    let named: BTreeSet<MediaId> = rows.iter().flat_map(|it| file_ids(&it.0)).collect();
    Ok(files.into_iter().filter(|it| named.contains(it)).collect())
}

/// Deletes the record of a file that was removed.
pub async fn delete_erased_media(
    conn: &mut Conn,
    organization: OrganizationId,
    id: MediaId,
) -> Result<()> {
    conn.transaction(async |conn| {
        let own = media::table.find((Col(organization), Col(id)));
        if diesel::delete(own).execute(conn).await? > 0 {
            diesel::delete(media_owners::table.find(Col(id))).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Deletes dead letters of an account that contain a person's number or user id. A dead letter
/// identifies the account by its phone number or by the channel's id of the number. A match inside a
/// longer number counts, too, because the digit before it may belong to an escaped character, such
/// as `%28`.
pub async fn delete_letters_about(
    conn: &mut Conn,
    account: AccountId,
    identifiers: Vec<String>,
) -> Result<usize> {
    let own = accounts::table
        .filter(accounts::id.eq(Col(account)))
        .select((accounts::phone_number, accounts::phone_number_id));
    let own: Option<(String, Option<String>)> = own.get_result(conn).await.optional()?;
    let Some((number, channel_number)) = own else { return Ok(0) };
    let digits = |it: &str| it.trim_start_matches('+').to_owned();
    let of_account: Vec<String> =
        [Some(digits(&number)), channel_number].into_iter().flatten().collect();
    let identifiers: Vec<String> = identifiers.iter().map(|it| digits(it)).collect();
    let (mut after, mut about): (Option<CallbackId>, Vec<Col<CallbackId>>) = (None, Vec::new());
    loop {
        let mut page = dead_callbacks::table
            .order(dead_callbacks::id)
            .limit(LETTERS)
            .select(DeadCallback::as_select())
            .into_boxed();
        if let Some(after) = after {
            page = page.filter(dead_callbacks::id.gt(Col(after)));
        }
        let page: Vec<DeadCallback> = page.load(conn).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let names = |it: &DeadCallback, texts: &[String]| {
            texts.iter().any(|text| it.payload.contains(text))
        };
        let of_person = page.iter().filter(|it| names(it, &of_account) && names(it, &identifiers));
        about.extend(of_person.map(|it| Col(it.id)));
    }
    let letters = dead_callbacks::table.filter(dead_callbacks::id.eq_any(listed(about)));
    Ok(diesel::delete(letters).execute(conn).await?)
}
