//! Lookups of contacts, which PostgreSQL needs statements of its own for.
use super::{RunQueryDsl, SharedConn, listed};
use crate::Result;
use crate::cached::Cached;
use crate::records::Contact;
use crate::schema::{contacts, conversations};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{AccountId, ContactId, OrganizationId};
use std::collections::BTreeSet;

/// Returns the contacts of the conversations with these addresses at these accounts.
pub async fn contacts_at(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    addresses: BTreeSet<(AccountId, String)>,
) -> Result<Vec<Contact>> {
    let accounts: BTreeSet<_> = addresses.iter().map(|(account, _)| Col(*account)).collect();
    let addresses: BTreeSet<_> = addresses.into_iter().map(|(_, address)| Some(address)).collect();
    let found = conversations::table
        .inner_join(contacts::table.on(contacts::id.eq(conversations::contact_id)))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(contacts::organization_id.eq(Col(organization)))
        .filter(conversations::account_id.eq_any(listed(accounts)))
        .filter(conversations::address.eq_any(listed(addresses)))
        .select(Contact::as_select());
    Ok(Cached(found).load(conn).await?)
}

/// Returns these contacts of an organization.
pub async fn contacts_by_id(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    ids: BTreeSet<Col<ContactId>>,
) -> Result<Vec<Contact>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let row = contacts::table.find((Col(organization), id)).select(Contact::as_select());
        found.extend(prepared!(row).load::<Contact>(conn).await?);
    }
    Ok(found)
}
