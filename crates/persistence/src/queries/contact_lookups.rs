//! Queries for conversations with their contacts, and for the numbers that lead to contacts.
use super::{Conn, RunQueryDsl, SharedConn, contacts_at, contacts_by_id, listed};
use crate::Result;
use crate::cached::Cached;
use crate::records::{Contact, Conversation, ConversationWithContact, UnreadableRow};
use crate::schema::{contact_numbers, contacts, conversations, messages};
use crate::types::Col;
use diesel::prelude::*;
use domain::contact::{ContactSnapshot, KnownContact};
use domain::id::{AccountId, ContactId, MessageId, OrganizationId};
use domain::phone::PhoneNumber;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The join condition between contacts and conversations.
#[diesel::dsl::auto_type]
pub(super) fn contact_of_conversation() -> _ {
    conversations::organization_id
        .eq(contacts::organization_id)
        .and(conversations::contact_id.eq(contacts::id))
}

/// Returns a joined row as one record.
pub(super) fn with_contact(
    (conversation, contact): (Conversation, Contact),
) -> ConversationWithContact {
    ConversationWithContact { conversation, contact }
}

/// The phone numbers that the channel has reported for each contact, possibly including the
/// contact's own.
pub(super) type Numbers = BTreeMap<ContactId, Vec<PhoneNumber>>;

/// Returns the numbers that lead to these contacts of an organization.
pub(super) async fn list_numbers(
    conn: &mut Conn,
    organization: OrganizationId,
    of: impl IntoIterator<Item = ContactId>,
) -> Result<Numbers> {
    let of: Vec<_> = of.into_iter().map(Col).collect();
    if of.is_empty() {
        return Ok(Numbers::new());
    }
    let of_contacts = contact_numbers::table
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contact_numbers::contact_id.eq_any(listed(of)))
        .select((contact_numbers::contact_id, contact_numbers::phone_number));
    let rows: Vec<(Col<ContactId>, String)> = Cached(of_contacts).load(conn).await?;
    let mut numbers = Numbers::new();
    for (contact, number) in rows {
        let number = PhoneNumber::parse(&number)
            .map_err(|why| UnreadableRow::new("phone number", &contact.0, why))?;
        numbers.entry(contact.0).or_default().push(number);
    }
    Ok(numbers)
}

/// Converts rows into the form that the domain's matching rules need.
pub(super) fn known_contacts(
    rows: &[ConversationWithContact],
    numbers: &Numbers,
) -> Result<Vec<KnownContact>> {
    let known = rows.iter().map(|it| {
        let own_numbers = numbers.get(&it.contact.id).map(Vec::as_slice).unwrap_or_default();
        Ok(it.known_contact(own_numbers)?)
    });
    known.collect()
}

/// Contacts by their ids.
pub(super) type ContactSnapshots = BTreeMap<ContactId, Arc<ContactSnapshot>>;

/// Returns the contacts of the conversations with these addresses at these accounts. A contact that
/// cannot be read is left out, because an unreadable contact must not stop the send.
pub(super) async fn snapshots_at(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    addresses: BTreeSet<(AccountId, String)>,
) -> Result<ContactSnapshots> {
    Ok(snapshots(&contacts_at(conn, organization, addresses).await?))
}

/// Returns the contacts of messages.
pub(super) async fn snapshots_of_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    of: impl IntoIterator<Item = MessageId>,
) -> Result<BTreeMap<MessageId, Arc<ContactSnapshot>>> {
    let of = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(of.into_iter().map(Col))))
        .select((messages::id, messages::contact_id));
    let rows: Vec<(Col<MessageId>, Col<ContactId>)> = Cached(of).load(conn).await?;
    let ids = rows.iter().map(|(_, contact)| contact.0);
    let snapshots = snapshots_by_id(conn, organization, ids).await?;
    let with = rows.into_iter();
    Ok(with.filter_map(|(id, contact)| Some((id.0, snapshots.get(&contact.0)?.clone()))).collect())
}

/// Returns these contacts of an organization.
pub(super) async fn snapshots_by_id(
    conn: &mut Conn,
    organization: OrganizationId,
    ids: impl IntoIterator<Item = ContactId>,
) -> Result<ContactSnapshots> {
    let ids: BTreeSet<_> = ids.into_iter().map(Col).collect();
    Ok(snapshots(&contacts_by_id(shared!(conn), organization, ids).await?))
}

fn snapshots(rows: &[Contact]) -> ContactSnapshots {
    let read = rows.iter().filter_map(|row| match row.snapshot() {
        Ok(person) => Some((row.id, Arc::new(person))),
        Err(error) => {
            tracing::error!(%error, "a contact cannot be read; events do not show it");
            None
        }
    });
    read.collect()
}
