//! The identities of contacts. The identity that the channel reports is compared with the stored
//! ones, in the transaction that stores the result.
use super::contact_lookups::{
    Numbers, contact_of_conversation, known_contacts, list_numbers, with_contact,
};
use super::inbox::agent_status;
use super::{Backend, Conn, RunQueryDsl, Transactional, events, merging};
use crate::cached::Cached;
use crate::records::{Contact, Conversation, ConversationWithContact, Identification, Merges};
use crate::schema::{contact_numbers, contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl::InnerJoinQuerySource;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable};
use domain::contact::{
    ChannelUserId, ContactChange, ContactSnapshot, Identity, MatchResult, RecognitionStep, Update,
    match_change,
};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, ContactId, OrganizationId};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The parameters of a change of contacts.
#[derive(Clone, Copy)]
pub(super) struct ContactScope {
    pub organization: OrganizationId,
    /// The account at which the contacts are known.
    pub account: AccountId,
    /// The time of the events about the change.
    pub now: Timestamp,
    pub merges: Merges,
}

/// Records that a contact has changed its number or user id. Returns the number of changes.
pub async fn identify(conn: &mut Conn, said: Identification, merges: Merges) -> Result<usize> {
    let Identification { organization, account, change, at, now } = said;
    let scope = ContactScope { organization, account, now, merges };
    conn.transaction(async |conn| {
        let (mut new_events, mut steps) = (Vec::new(), 0);
        loop {
            let found = found(conn, &scope, &[&change.from, &change.to]).await?;
            let numbers = numbers(conn, &scope, &found).await?;
            let judgement = match_change(&known_contacts(&found, &numbers)?, &change, at);
            steps += judgement.steps.len();
            new_events.extend(apply(conn, &scope, found, &judgement).await?);
            if !judgement.unfinished {
                break;
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(steps)
    })
    .await
}

/// A condition on contacts and their conversations.
type Condition =
    Box<dyn BoxableExpression<ContactsWithConversations, Backend, SqlType = Nullable<Bool>>>;

type ContactsWithConversations =
    InnerJoinQuerySource<contacts::table, conversations::table, contact_of_conversation>;

/// Finds the contacts that have one of these numbers, another form of such a number, or one of
/// these user ids, with their conversations. Locks conversations and contacts in the order in which
/// sends lock them. Contacts are also locked, because a row that is only read could be outdated by
/// a concurrent write.
pub(super) async fn found(
    conn: &mut Conn,
    scope: &ContactScope,
    said: &[&Identity],
) -> Result<Vec<ConversationWithContact>> {
    let Some(condition) = any_of(said, *scope) else { return Ok(Vec::new()) };
    let rows = contacts::table
        .inner_join(conversations::table.on(contact_of_conversation()))
        .filter(condition)
        .filter(conversations::merged_into.is_null())
        .select((Conversation::as_select(), Contact::as_select()));
    let rows: Vec<(Conversation, Contact)> =
        Cached(for_update_ordered!(rows, conversations::address)).load(conn).await?;
    Ok(rows.into_iter().map(with_contact).collect())
}

/// Returns the condition for contacts with one of these identities. Only identifiers that exist
/// become part of it, because PostgreSQL takes longer to plan each further alternative than to find
/// its rows. Returns `None` if there is no identifier.
fn any_of(said: &[&Identity], scope: ContactScope) -> Option<Condition> {
    // Each alternative contains a complete key, so that SQLite uses an index for each of them.
    let at_account = || contacts::organization_id.eq(Col(scope.organization));
    let of_account = || contacts::account_id.eq(Col(scope.account));
    let number = |number: &PhoneNumber| -> Condition {
        let is_known = contacts::phone_number.eq(number.to_string());
        Box::new(at_account().and(is_known).and(of_account()))
    };
    let joined = |number: &PhoneNumber| -> Condition {
        let contact = contact_numbers::table
            .filter(contact_numbers::organization_id.eq(Col(scope.organization)))
            .filter(contact_numbers::phone_number.eq(number.to_string()))
            .filter(contact_numbers::account_id.eq(Col(scope.account)))
            .select(contact_numbers::contact_id)
            .single_value();
        Box::new(at_account().and(contacts::id.nullable().eq(contact)))
    };
    let user = |id: &ChannelUserId| -> Condition {
        let is_known = contacts::channel_user_id.eq(id.to_string());
        Box::new(at_account().and(is_known).and(of_account()))
    };
    let parent = |id: &ChannelUserId| -> Condition {
        let is_known = contacts::channel_parent_user_id.eq(id.to_string());
        Box::new(at_account().and(is_known).and(of_account()))
    };
    let numbers: BTreeSet<_> = said.iter().filter_map(|it| it.phone_number.as_ref()).collect();
    let forms: BTreeSet<_> = numbers.iter().filter_map(|it| it.other_form()).collect();
    let parents: BTreeSet<_> = said.iter().filter_map(|it| it.parent_user_id.as_ref()).collect();
    let users = said.iter().filter_map(|it| it.user_id.as_ref());
    // A send to the parent id may have created a contact with that id as its user id.
    let users: BTreeSet<_> = users.chain(parents.iter().copied()).collect();
    let forms = forms.iter().filter(|it| !numbers.contains(it));
    let alternatives = numbers
        .iter()
        .map(|it| number(it))
        .chain(forms.map(number))
        .chain(numbers.iter().map(|it| joined(it)))
        .chain(users.iter().map(|it| user(it)))
        .chain(parents.iter().map(|it| parent(it)));
    alternatives.reduce(|one, other| Box::new(one.or(other)))
}

/// Returns the phone numbers that the channel has reported for these contacts.
pub(super) async fn numbers(
    conn: &mut Conn,
    scope: &ContactScope,
    found: &[ConversationWithContact],
) -> Result<Numbers> {
    list_numbers(conn, scope.organization, found.iter().map(|it| it.contact.id)).await
}

/// Whether there is at most one contact and the identity `said` contradicts nothing that is known
/// about this contact. Most messages are such a plain case, in which the contact's further numbers
/// need not be read.
pub(super) fn is_plain(found: &[ConversationWithContact], said: &Identity) -> bool {
    let differs = |known: &Option<String>, said: Option<&str>| {
        said.is_some() && known.is_some() && known.as_deref() != said
    };
    let is_same = |contact: &Contact| {
        let number = said.phone_number.as_ref().map(PhoneNumber::as_str);
        let user = said.user_id.as_ref().map(ChannelUserId::as_str);
        !(differs(&contact.phone_number, number) || differs(&contact.channel_user_id, user))
    };
    match found {
        [] => true,
        [only] => is_same(&only.contact),
        _ => false,
    }
}

/// Returns and locks a contact with its conversation. Returns `None` if the contact was merged into
/// another or deleted.
pub(super) async fn one(
    conn: &mut Conn,
    scope: &ContactScope,
    contact: ContactId,
) -> Result<Option<ConversationWithContact>> {
    let row = contacts::table
        .inner_join(conversations::table.on(contact_of_conversation()))
        .filter(contacts::organization_id.eq(Col(scope.organization)))
        .filter(contacts::id.eq(Col(contact)))
        .filter(contacts::deleted_at.is_null())
        .filter(conversations::merged_into.is_null())
        .select((Conversation::as_select(), Contact::as_select()));
    let row: Option<(Conversation, Contact)> =
        for_update!(row).get_result(conn).await.optional()?;
    Ok(row.map(with_contact))
}

/// Applies the steps of a matching result in order, and returns the events.
pub(super) async fn apply(
    conn: &mut Conn,
    scope: &ContactScope,
    found: Vec<ConversationWithContact>,
    judgement: &MatchResult,
) -> Result<Vec<NewEvent>> {
    let mut new_events = Vec::new();
    let find_contact = |id: ContactId| {
        let it = found.iter().find(|it| it.contact.id == id);
        it.ok_or_else(|| Error::Internal("a contact went missing".to_owned()))
    };
    let ContactScope { organization, account, now, merges } = *scope;
    let event = |kind, payload| NewEvent::for_account(organization, account, kind, payload, now);
    for step in &judgement.steps {
        match step {
            RecognitionStep::Update(update) => {
                let known = find_contact(update.contact)?;
                write_numbers(conn, scope, update).await?;
                if update.before == update.after {
                    continue;
                }
                write(conn, known, update).await?;
                let now = known_as(&known.contact, update.after.clone());
                let opted_out_before = now.opted_out_at;
                let before = update.before.clone();
                let change = ContactChange { now, before, opted_out_before };
                let payload = EventPayload::ContactUpdate(Box::new(change));
                new_events.push(event(EventKind::ContactUpdated, payload));
            }
            RecognitionStep::Merge { kept, merged } => {
                let (kept, merged) = (find_contact(*kept)?, find_contact(*merged)?);
                let pauses = merged.conversation.agent_paused && !kept.conversation.agent_paused;
                let merge = merging::merge(conn, kept, merged, merges).await?;
                new_events.push(event(EventKind::ContactMerged, EventPayload::ContactMerge(merge)));
                if pauses {
                    let person = person_of(&found, judgement, merge.contact).map(Arc::new);
                    let status = Box::new(agent_status(conn, &merged.conversation).await?);
                    let payload =
                        EventPayload::Conversation(merge.conversation, person, Some(status));
                    new_events.push(event(EventKind::ConversationAgentPaused, payload));
                }
            }
        }
    }
    Ok(new_events)
}

/// Returns a snapshot of a contact, with `identity` instead of the stored identity.
fn known_as(contact: &Contact, identity: Identity) -> ContactSnapshot {
    ContactSnapshot {
        id: contact.id,
        account: contact.account_id,
        identity,
        opted_out_at: contact.opted_out_at,
        created_at: contact.created_at,
    }
}

/// Returns a contact as it will be after the matching result is applied, or `None` if the stored
/// identity cannot be parsed.
pub(super) fn person_of(
    found: &[ConversationWithContact],
    judgement: &MatchResult,
    person: ContactId,
) -> Option<ContactSnapshot> {
    let contact = &found.iter().find(|it| it.contact.id == person)?.contact;
    let updated = judgement.steps.iter().rev().find_map(|step| match step {
        RecognitionStep::Update(update) if update.contact == person => Some(update.after.clone()),
        _ => None,
    });
    match updated {
        Some(identity) => Some(known_as(contact, identity)),
        None => contact.snapshot().ok(),
    }
}

/// Stores the numbers that lead to a contact from now on, and deletes those that no longer do.
async fn write_numbers(conn: &mut Conn, scope: &ContactScope, update: &Update) -> Result<()> {
    let ContactScope { organization, account, .. } = *scope;
    if !update.leaves.is_empty() {
        let left = contact_numbers::table
            .filter(contact_numbers::organization_id.eq(Col(organization)))
            .filter(contact_numbers::account_id.eq(Col(account)))
            .filter(contact_numbers::contact_id.eq(Col(update.contact)))
            .filter(
                contact_numbers::phone_number.eq_any(update.leaves.iter().map(PhoneNumber::as_str)),
            );
        diesel::delete(left).execute(conn).await?;
    }
    for number in &update.joins {
        let joined = (
            contact_numbers::organization_id.eq(Col(organization)),
            contact_numbers::account_id.eq(Col(account)),
            contact_numbers::phone_number.eq(number.as_str()),
            contact_numbers::contact_id.eq(Col(update.contact)),
        );
        let key = (
            contact_numbers::organization_id,
            contact_numbers::phone_number,
            contact_numbers::account_id,
        );
        let insert = diesel::insert_into(contact_numbers::table).values(joined).on_conflict(key);
        let insert = insert.do_update().set(contact_numbers::contact_id.eq(Col(update.contact)));
        insert.execute(conn).await?;
    }
    Ok(())
}

async fn write(conn: &mut Conn, known: &ConversationWithContact, update: &Update) -> Result<()> {
    // The conversation is updated before the contact, in the same order as sends create them, to
    // avoid deadlocks.
    if update.before.address() != update.after.address() {
        let conversation = conversations::table
            .find((Col(known.conversation.organization_id), Col(known.conversation.id)));
        let address =
            conversations::address.eq(update.after.address().map(|it| it.as_str().to_owned()));
        diesel::update(conversation).set(address).execute(conn).await?;
    }
    let contact = known.contact.clone().known_as(update.after.clone(), update.identified_at);
    let row = contacts::table.find((Col(contact.organization_id), Col(contact.id)));
    let changed = (
        contacts::phone_number.eq(contact.phone_number.clone()),
        contacts::channel_user_id.eq(contact.channel_user_id.clone()),
        contacts::channel_parent_user_id.eq(contact.channel_parent_user_id.clone()),
        contacts::username.eq(contact.username.clone()),
        contacts::name.eq(contact.name.clone()),
        contacts::identified_at.eq(contact.identified_at),
    );
    diesel::update(row).set(changed).execute(conn).await?;
    Ok(())
}
