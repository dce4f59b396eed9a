//! Messaging accounts.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::Account;
use crate::schema::{accounts, organizations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId};

/// Connects an account. It becomes the organization's default if it is the first one or if
/// `as_default` is set.
pub async fn connect_account(conn: &mut Conn, new: Account, as_default: bool) -> Result<()> {
    conn.transaction(async |conn| {
        let (id, organization) = (new.id, new.organization_id);
        diesel::insert_into(accounts::table).values(&new).execute(conn).await?;
        let of = organizations::table.filter(organizations::id.eq(Col(organization)));
        let default = organizations::default_account_id.eq(Some(id));
        if as_default {
            diesel::update(of).set(default).execute(conn).await?;
        } else {
            let none_yet = of.filter(organizations::default_account_id.is_null());
            diesel::update(none_yet).set(default).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Makes one of the organization's accounts its default. Returns `false` if it has no such account.
pub async fn set_default_account(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<bool> {
    conn.transaction(async |conn| {
        if account(conn, organization, id).await?.is_none() {
            return Ok(false);
        }
        let of = organizations::table.filter(organizations::id.eq(Col(organization)));
        let default = organizations::default_account_id.eq(Some(Col(id)));
        diesel::update(of).set(default).execute(conn).await?;
        Ok::<_, Error>(true)
    })
    .await
}

pub async fn account(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<Account>> {
    let one = accounts::table
        .filter(accounts::organization_id.eq(Col(organization)))
        .filter(accounts::id.eq(Col(id)))
        .select(Account::as_select());
    Ok(prepared!(one).get_result(conn).await.optional()?)
}

/// Returns a sandbox account by its id. The sandbox's callbacks name the account, not the
/// organization.
pub async fn find_sandbox_account(conn: &mut Conn, id: AccountId) -> Result<Option<Account>> {
    let found = accounts::table
        .filter(accounts::id.eq(Col(id)))
        .filter(accounts::channel.eq(Col(ChannelKind::Sandbox)))
        .select(Account::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the account with this id on a channel.
pub async fn find_channel_account(
    conn: &mut Conn,
    channel: ChannelKind,
    id: String,
) -> Result<Option<Account>> {
    let found = accounts::table
        .filter(accounts::phone_number_id.eq(id))
        .filter(accounts::channel.eq(Col(channel)))
        .select(Account::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the accounts of a business that has this id on a channel.
pub async fn list_business_accounts(
    conn: &mut Conn,
    channel: ChannelKind,
    id: String,
) -> Result<Vec<Account>> {
    let business_accounts = accounts::table
        .filter(accounts::waba_id.eq(id))
        .filter(accounts::channel.eq(Col(channel)))
        .order(accounts::id)
        .select(Account::as_select());
    Ok(business_accounts.load(conn).await?)
}

/// Returns an organization's accounts in the order in which they were connected.
pub async fn accounts(conn: &mut Conn, organization: OrganizationId) -> Result<Vec<Account>> {
    let organization_accounts = accounts::table
        .filter(accounts::organization_id.eq(Col(organization)))
        .order((accounts::connected_at, accounts::id))
        .select(Account::as_select());
    Ok(organization_accounts.load(conn).await?)
}

/// Returns the accounts on a channel in the order in which they were connected, at most `most`.
pub async fn list_channel_accounts(
    conn: &mut Conn,
    channel: ChannelKind,
    most: i64,
) -> Result<Vec<Account>> {
    let all = accounts::table
        .filter(accounts::channel.eq(Col(channel)))
        .order((accounts::connected_at, accounts::id))
        .limit(most)
        .select(Account::as_select());
    Ok(all.load(conn).await?)
}
