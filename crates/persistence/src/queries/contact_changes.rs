//! Changes of contacts that members and programs make: new names and merges.
use super::contact_lookups::{contact_of_conversation, known_contacts, with_contact};
use super::contacts::{ContactScope, apply, numbers};
use super::{Conn, RunQueryDsl, Transactional, conversations as named, events};
use crate::records::{
    Contact, Conversation, ConversationWithContact, ManualMerge, Merges, PersonKey,
};
use crate::schema::{contacts, conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::contact::{ContactChange, UnmergeableContacts, merge_by_hand};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, ContactId, OrganizationId};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The maximum number of attempts to lock a contact, which other transactions may merge into
/// another at the same time.
const LOOKUPS: usize = 3;
/// Returns and locks the contact with this id, or the contact into which it was merged, with the
/// conversation.
pub(super) async fn lock(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ContactId,
) -> Result<Option<ConversationWithContact>> {
    for _ in 0..LOOKUPS {
        let found = named::list_conversations(conn, organization, PersonKey::Contact(id)).await?;
        let Some(found) = found.into_iter().next() else { return Ok(None) };
        let row = contacts::table
            .inner_join(conversations::table.on(contact_of_conversation()))
            .filter(contacts::organization_id.eq(Col(organization)))
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(contacts::id.eq(Col(found.contact.id)))
            .filter(conversations::merged_into.is_null())
            .select((Conversation::as_select(), Contact::as_select()));
        let row: Option<(Conversation, Contact)> =
            for_update!(row).get_result(conn).await.optional()?;
        if let Some(row) = row {
            return Ok(Some(with_contact(row)));
        }
    }
    Err(Error::Internal("a contact is merged again and again".to_owned()))
}

/// Changes the name of a contact. If `name` is `None`, the next name that the channel reports is
/// used again. Returns the contact after the change, or `None` if there is no such contact or it
/// was deleted.
pub async fn update_contact_name(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: ContactId,
    name: Option<String>,
    now: Timestamp,
) -> Result<Option<ConversationWithContact>> {
    conn.transaction(async |conn| {
        let Some(mut found) = lock(conn, organization, id).await? else { return Ok(None) };
        let contact = &found.contact;
        let is_bound_elsewhere = account.is_some_and(|bound| bound != contact.account_id);
        if is_bound_elsewhere || contact.deleted_at.is_some() {
            return Ok(None);
        }
        let edited_at = name.is_some().then_some(now);
        let is_same = contact.name == name && contact.name_edited_at.is_some() == name.is_some();
        if is_same {
            return Ok(Some(found));
        }
        let row = contacts::table.find((Col(organization), Col(contact.id)));
        let changed =
            (contacts::name.eq(name.clone()), contacts::name_edited_at.eq(edited_at.map(Col)));
        diesel::update(row).set(changed).execute(conn).await?;
        let before = contact.identity()?;
        let has_changed = contact.name != name;
        found.contact = Contact { name, name_edited_at: edited_at, ..found.contact };
        if has_changed {
            let opted_out_before = found.contact.opted_out_at;
            let change = ContactChange { now: found.contact.snapshot()?, before, opted_out_before };
            let payload = EventPayload::ContactUpdate(Box::new(change));
            let (account, kind) = (found.contact.account_id, EventKind::ContactUpdated);
            let event = NewEvent::for_account(organization, account, kind, payload, now);
            events::record(conn, vec![event]).await?;
        }
        Ok::<_, Error>(Some(found))
    })
    .await
}

/// Merges a contact into another, because a member has stated that both are the same person.
///
/// # Errors
///
/// [`Error::LargeMerge`] if more messages would get new positions than is allowed.
pub async fn merge_contacts(
    conn: &mut Conn,
    organization: OrganizationId,
    kept: ContactId,
    merged: ContactId,
    now: Timestamp,
    allowed: Merges,
) -> Result<ManualMerge> {
    conn.transaction(async |conn| {
        let both = contacts::table
            .inner_join(conversations::table.on(contact_of_conversation()))
            .filter(contacts::organization_id.eq(Col(organization)))
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(contacts::id.eq_any([Col(kept), Col(merged)]))
            .filter(contacts::deleted_at.is_null())
            .filter(conversations::merged_into.is_null())
            .select((Conversation::as_select(), Contact::as_select()));
        let both: Vec<(Conversation, Contact)> =
            for_update_ordered!(both, conversations::address).load(conn).await?;
        let both: Vec<ConversationWithContact> = both.into_iter().map(with_contact).collect();
        let of = |id: ContactId| both.iter().position(|it| it.contact.id == id);
        let (Some(kept), Some(merged)) = (of(kept), of(merged)) else {
            return Ok(ManualMerge::NotFound);
        };
        let accounts: BTreeSet<AccountId> = both.iter().map(|it| it.contact.account_id).collect();
        let (Some(account), 1) = (accounts.iter().next().copied(), accounts.len()) else {
            return Ok(ManualMerge::Refused(UnmergeableContacts::OtherNumber));
        };
        let scope = ContactScope { organization, account, now, merges: allowed };
        let numbers = numbers(conn, &scope, &both).await?;
        let known = known_contacts(&both, &numbers)?;
        let (Some(kept), Some(merged)) = (known.get(kept), known.get(merged)) else {
            return Ok(ManualMerge::NotFound);
        };
        let result = match merge_by_hand(kept, merged, now) {
            Ok(result) => result,
            Err(why) => return Ok(ManualMerge::Refused(why)),
        };
        let new_events = apply(conn, &scope, both, &result).await?;
        events::record(conn, new_events).await?;
        Ok::<_, Error>(ManualMerge::Merged)
    })
    .await
}
