//! Messaging accounts.
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::Account;
use crate::schema::{
    accounts, agent_accounts, contacts, organizations, scheduled_messages, templates,
};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::account::ChannelKind;
use domain::id::{AccountId, MessageId, OrganizationId};
use domain::message::ScheduleState;

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

/// Gives an account another display name. Returns `false` if the organization has no such account.
pub async fn rename_account(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    name: String,
) -> Result<bool> {
    let one = accounts::table
        .filter(accounts::organization_id.eq(Col(organization)))
        .filter(accounts::id.eq(Col(id)));
    Ok(diesel::update(one).set(accounts::display_name.eq(name)).execute(conn).await? > 0)
}

/// Deletes an account that nothing refers to. If it was the organization's default, the oldest
/// other account becomes the default. Returns `false` if a contact, template, AI agent or scheduled
/// message refers to the account. References of keys and connections violate foreign keys.
/// Conversations need no check, because each has a contact.
pub async fn delete_unused_account(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<bool> {
    conn.transaction(async |conn| {
        // The organization is locked before the account, in the same order as when its default
        // account is set.
        let of = organizations::table
            .filter(organizations::id.eq(Col(organization)))
            .select(organizations::id);
        for_update!(of).load::<Col<OrganizationId>>(conn).await?;
        // The account is locked before the counter, in the same order as when an event about it is
        // recorded.
        let own = accounts::table
            .filter(accounts::organization_id.eq(Col(organization)))
            .filter(accounts::id.eq(Col(id)))
            .select(accounts::id);
        for_update!(own).load::<Col<AccountId>>(conn).await?;
        // A transaction that has already locked the counter commits first, and its rows are found
        // below. A transaction that locks the counter later waits, and then does not find the
        // account (`events::check_accounts`).
        events::lock_counter(shared!(conn), organization).await?;
        let of_contacts = contacts::table
            .filter(contacts::organization_id.eq(Col(organization)))
            .filter(contacts::account_id.eq(Col(id)))
            .limit(1)
            .select(contacts::account_id);
        let of_contacts: Vec<Col<AccountId>> = of_contacts.load(conn).await?;
        let of_templates = templates::table
            .filter(templates::organization_id.eq(Col(organization)))
            .filter(templates::account_id.eq(Col(id)))
            .limit(1)
            .select(templates::account_id);
        let of_templates: Vec<Col<AccountId>> = of_templates.load(conn).await?;
        let of_agents = agent_accounts::table
            .filter(agent_accounts::organization_id.eq(Col(organization)))
            .filter(agent_accounts::account_id.eq(Col(id)))
            .limit(1)
            .select(agent_accounts::account_id);
        let of_agents: Vec<Col<AccountId>> = of_agents.load(conn).await?;
        // A scheduled message may be the first to its recipient, so there may be no contact yet.
        let scheduled = scheduled_messages::table
            .filter(scheduled_messages::organization_id.eq(Col(organization)))
            .filter(scheduled_messages::account_id.eq(Col(id)))
            .filter(scheduled_messages::state.eq(Col(ScheduleState::Scheduled)))
            .limit(1)
            .select(scheduled_messages::id);
        let scheduled: Vec<Col<MessageId>> = scheduled.load(conn).await?;
        // If the organization has no events, its counter is deleted, so that
        // `organizations::delete_unused` can delete the organization.
        events::delete_unused_counter(conn, organization).await?;
        let has_parts = !(of_templates.is_empty() && of_agents.is_empty() && scheduled.is_empty());
        if has_parts || !of_contacts.is_empty() {
            return Ok(false);
        }
        let other = accounts::table
            .filter(accounts::organization_id.eq(Col(organization)))
            .filter(accounts::id.ne(Col(id)))
            .order((accounts::connected_at, accounts::id))
            .limit(1)
            .select(accounts::id);
        let other: Option<Col<AccountId>> = other.get_result(conn).await.optional()?;
        let with_default = organizations::table
            .filter(organizations::id.eq(Col(organization)))
            .filter(organizations::default_account_id.eq(Some(Col(id))));
        let default = organizations::default_account_id.eq(other);
        diesel::update(with_default).set(default).execute(conn).await?;
        let one = accounts::table
            .filter(accounts::organization_id.eq(Col(organization)))
            .filter(accounts::id.eq(Col(id)));
        Ok::<_, Error>(diesel::delete(one).execute(conn).await? > 0)
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

/// Returns a sandbox account by its id alone, because the sandbox's callbacks name the account and
/// not the organization.
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
