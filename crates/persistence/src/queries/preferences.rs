//! Contacts' preferences about marketing messages.
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::Contact;
use crate::schema::contacts;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{Address, ContactChange, ContactSnapshot, Identity};
use domain::event::{Event, EventKind, Payload};
use domain::id::{AccountId, OrganizationId};
use domain::time::Timestamp;

/// Selects a contact of the organization: by the phone number on any account, or by the user id on
/// this account.
macro_rules! person {
    ($organization:expr, $account:expr, $phone_number:expr, $user_id:expr) => {{
        let by_number = contacts::organization_id
            .eq(Col($organization))
            .and(contacts::phone_number.eq($phone_number));
        let by_user = contacts::organization_id
            .eq(Col($organization))
            .and(contacts::channel_user_id.eq($user_id))
            .and(contacts::account_id.eq(Col($account)));
        contacts::table.filter(by_number.or(by_user))
    }};
}

/// Records whether a contact wants marketing messages, as the channel reported it at `at`. Returns
/// `false` if there is no such contact.
pub async fn set_preference(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    who: Identity,
    (wants, at): (bool, Timestamp),
    now: Timestamp,
) -> Result<bool> {
    let number = who.phone_number.as_ref().map(ToString::to_string);
    let user = who.user_id.as_ref().map(ToString::to_string);
    conn.transaction(async |conn| {
        let known = person!(organization, account, number, user).select(Contact::as_select());
        let known: Vec<Contact> = held!(known.order(contacts::id)).load(conn).await?;
        let mut new_events = Vec::new();
        for contact in &known {
            let before = contact.preference();
            let Some(next) = before.after(wants, at) else { continue };
            let said = (
                contacts::opted_out_at.eq(next.opted_out_at.map(Col)),
                contacts::preference_at.eq(next.said_at.map(Col)),
            );
            let row = contacts::table.find((Col(organization), Col(contact.id)));
            diesel::update(row).set(said).execute(conn).await?;
            if next.opted_out_at != before.opted_out_at {
                let opted_out = (before.opted_out_at, next.opted_out_at);
                new_events.push(updated(contact, opted_out, now)?);
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(!known.is_empty())
    })
    .await
}

fn updated(
    contact: &Contact,
    (before, opted_out_at): (Option<Timestamp>, Option<Timestamp>),
    now: Timestamp,
) -> Result<Event> {
    let identity = contact.identity()?;
    let change = ContactChange {
        before: identity.clone(),
        opted_out_before: before,
        now: ContactSnapshot {
            id: contact.id,
            account: contact.account_id,
            identity,
            opted_out_at,
            created_at: contact.created_at,
        },
    };
    let (kind, payload) = (EventKind::ContactUpdated, Payload::ContactUpdate(Box::new(change)));
    let (organization, account) = (contact.organization_id, contact.account_id);
    Ok(Event::of_account(organization, account, kind, payload, now))
}

/// Returns whether a contact wants no marketing messages from the organization.
pub async fn has_opted_out(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    to: Address,
) -> Result<bool> {
    let number = to.phone_number().map(ToString::to_string);
    let user = to.user_id().map(ToString::to_string);
    let found = person!(organization, account, number, user)
        .filter(contacts::opted_out_at.is_not_null())
        .limit(1)
        .select(contacts::id);
    let found: Option<Col<domain::id::ContactId>> = found.get_result(conn).await.optional()?;
    Ok(found.is_some())
}
