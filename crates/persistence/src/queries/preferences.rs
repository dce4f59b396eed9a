//! Contacts' preferences about marketing messages.
use super::{Conn, RunQueryDsl, Transactional, events, listed};
use crate::cached::Cached;
use crate::records::Contact;
use crate::schema::{contact_numbers, contacts};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{Address, ContactChange, ContactSnapshot, Identity};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, OrganizationId};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Selects a person's contacts: by phone number at any account of the organization, by user id at
/// this account. Each alternative of the condition contains a complete key, so that an index
/// answers each of them.
macro_rules! person {
    ($organization:expr, $account:expr, $numbers:expr, $user_ids:expr) => {{
        let whose = || contacts::organization_id.eq(Col($organization));
        let at_account = || whose().and(contacts::account_id.eq(Col($account)));
        let ids: Vec<Option<String>> = $user_ids;
        let by_number = whose().and(contacts::phone_number.eq_any($numbers));
        let by_user = at_account().and(contacts::channel_user_id.eq_any(ids.clone()));
        let by_parent = at_account().and(contacts::channel_parent_user_id.eq_any(ids));
        contacts::table.filter(by_number.or(by_user).or(by_parent))
    }};
}

/// Returns all numbers of a person at any account of the organization: the number that the channel
/// reported, its other form, and the own numbers of the contacts to which either of them leads.
async fn numbers(
    conn: &mut Conn,
    organization: OrganizationId,
    number: Option<&PhoneNumber>,
) -> Result<BTreeSet<String>> {
    let Some(number) = number else { return Ok(BTreeSet::new()) };
    let mut numbers = BTreeSet::from([number.to_string()]);
    numbers.extend(number.other_form().map(|it| it.to_string()));
    let by_known_number = contact_numbers::table
        .inner_join(contacts::table.on(named_contact()))
        .filter(contact_numbers::organization_id.eq(Col(organization)))
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(contact_numbers::phone_number.eq_any(listed(numbers.iter().cloned())))
        .select(contacts::phone_number);
    let own: Vec<Option<String>> = Cached(by_known_number).load(conn).await?;
    numbers.extend(own.into_iter().flatten());
    Ok(numbers)
}

/// The join condition between a contact's number and the contact.
#[diesel::dsl::auto_type]
fn named_contact() -> _ {
    contacts::organization_id
        .eq(contact_numbers::organization_id)
        .and(contacts::id.eq(contact_numbers::contact_id))
}

/// Records whether a contact wants marketing messages, as the channel reported it at `at`. Returns
/// `false` if there is no such contact.
pub async fn set_preference(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    who: Identity,
    wants: bool,
    at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let ids = [who.user_id.as_ref(), who.parent_user_id.as_ref()];
    let ids: Vec<_> = ids.into_iter().flatten().map(|it| Some(it.to_string())).collect();
    conn.transaction(async |conn| {
        let numbers = numbers(conn, organization, who.phone_number.as_ref()).await?;
        let numbers = numbers.into_iter().map(Some).collect::<Vec<_>>();
        let matching = person!(organization, account, numbers, ids).select(Contact::as_select());
        let matching: Vec<Contact> = for_update!(matching.order(contacts::id)).load(conn).await?;
        let mut new_events = Vec::new();
        for contact in &matching {
            let before = contact.preference();
            let Some(next) = before.after(wants, at) else { continue };
            let preference = (
                contacts::opted_out_at.eq(next.opted_out_at.map(Col)),
                contacts::preference_at.eq(next.said_at.map(Col)),
            );
            let row = contacts::table.find((Col(organization), Col(contact.id)));
            diesel::update(row).set(preference).execute(conn).await?;
            if next.opted_out_at != before.opted_out_at {
                new_events.extend(changed(contact, before.opted_out_at, next.opted_out_at, now)?);
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(!matching.is_empty())
    })
    .await
}

/// Returns the events of a changed preference.
fn changed(
    contact: &Contact,
    before: Option<Timestamp>,
    opted_out_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<[NewEvent; 2]> {
    let identity = contact.identity()?;
    let snapshot = ContactSnapshot {
        id: contact.id,
        account: contact.account_id,
        identity: identity.clone(),
        opted_out_at,
        created_at: contact.created_at,
    };
    let change =
        ContactChange { before: identity, opted_out_before: before, now: snapshot.clone() };
    let kind = match opted_out_at {
        Some(_) => EventKind::ContactOptedOut,
        None => EventKind::ContactOptedIn,
    };
    let event = |kind, payload| {
        let (organization, account) = (contact.organization_id, contact.account_id);
        NewEvent::for_account(organization, account, kind, payload, now)
    };
    Ok([
        event(EventKind::ContactUpdated, EventPayload::ContactUpdate(Box::new(change))),
        event(kind, EventPayload::Contact(Box::new(snapshot))),
    ])
}

/// Whether a contact has opted out of marketing messages from the organization.
pub async fn has_opted_out(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    to: Address,
) -> Result<bool> {
    let numbers = numbers(conn, organization, to.phone_number()).await?;
    let numbers = numbers.into_iter().map(Some).collect::<Vec<_>>();
    let ids = to.user_id().map(|it| Some(it.to_string())).into_iter().collect();
    let found = person!(organization, account, numbers, ids)
        .filter(contacts::opted_out_at.is_not_null())
        .limit(1)
        .select(contacts::id);
    let found: Option<Col<domain::id::ContactId>> = found.get_result(conn).await.optional()?;
    Ok(found.is_some())
}
