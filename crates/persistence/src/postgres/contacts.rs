//! Lookups of contacts for PostgreSQL: one statement for any number of addresses or ids.
use super::SharedConn;
use crate::Result;
use crate::cached::Cached;
use crate::records::Contact;
use crate::types::{Col, Uid};
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use domain::id::{AccountId, ContactId, OrganizationId};
use std::collections::BTreeSet;

/// Returns the contacts of the conversations with these addresses at these accounts. Each address
/// is looked up by itself (`OFFSET 0` forbids a join): without statistics, PostgreSQL would read
/// all contacts of the organization and compare each of them with all addresses.
pub async fn contacts_at(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    addresses: BTreeSet<(AccountId, String)>,
) -> Result<Vec<Contact>> {
    let (accounts, addresses): (Vec<_>, Vec<_>) =
        addresses.into_iter().map(|(account, address)| (Col(account), address)).unzip();
    let select = "SELECT organization_id, id, account_id, phone_number, channel_user_id, \
                      channel_parent_user_id, username, name, identified_at, created_at, \
                      opted_out_at, preference_at, deleted_at, name_edited_at \
                  FROM unnest($2, $3) AS wanted (at, address) \
                  CROSS JOIN LATERAL ( \
                      SELECT * FROM contacts WHERE contacts.organization_id = $1 \
                      AND contacts.id = (SELECT contact_id FROM conversations \
                          WHERE conversations.organization_id = $1 \
                          AND conversations.account_id = wanted.at \
                          AND conversations.phone_number = wanted.address) \
                      OFFSET 0 \
                  ) AS found";
    let select = diesel::sql_query(select)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(accounts)
        .bind::<Array<Text>, _>(addresses);
    Ok(Cached(select).load(conn).await?)
}

/// Returns these contacts of an organization. Each is looked up by itself, as in [`contacts_at`].
pub async fn contacts_by_id(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    ids: BTreeSet<Col<ContactId>>,
) -> Result<Vec<Contact>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let select = "SELECT found.* FROM unnest($2) AS wanted (id) \
                  CROSS JOIN LATERAL ( \
                      SELECT * FROM contacts WHERE contacts.organization_id = $1 \
                      AND contacts.id = wanted.id OFFSET 0 \
                  ) AS found";
    let select = diesel::sql_query(select)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(ids.into_iter().collect::<Vec<_>>());
    Ok(Cached(select).load(conn).await?)
}
