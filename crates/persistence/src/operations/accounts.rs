//! Operations on accounts.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, tenant_query,
    unscoped_query,
};
use crate::Db;
use crate::records::{Account, HealthOutcome, ListFilter, Organization, Released};
use domain::account::pace::Pace;
use domain::account::{ChannelKind, HealthReport};
use domain::id::{self, AccountId, ConversationId, OrganizationId};
use domain::time::Timestamp;

impl Db {
    pub fn connect_account(&self, new: Account, as_default: bool) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, accounts::connect_account(new, as_default))
    }
}

impl<'a> OrganizationDb<'a> {
    pub fn account(self, id: AccountId) -> DbFuture<'a, Option<Account>> {
        tenant_query!(self.organization, read, accounts::account(id))
    }

    /// Returns the organization's accounts in the order in which they were connected.
    pub fn accounts(self) -> DbFuture<'a, Vec<Account>> {
        tenant_query!(self.organization, read, accounts::accounts())
    }

    /// Gives one of the organization's accounts another display name. Returns `false` if there is
    /// no such account.
    pub fn rename_account(self, id: AccountId, name: String) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, accounts::rename_account(id, name))
    }

    /// Deletes one of the organization's accounts if nothing refers to it. Returns `false` if, for
    /// example, a contact, a template or an AI agent refers to the account. Fails with a foreign
    /// key violation if a key or a connection does.
    pub fn delete_unused_account(self, id: AccountId) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, accounts::delete_unused_account(id))
    }

    /// Makes one of the organization's accounts its default.
    pub fn set_default_account(self, id: AccountId) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, accounts::set_default_account(id))
    }

    /// Records the reported health of one of the organization's accounts.
    pub fn report_health(
        self,
        id: AccountId,
        report: HealthReport,
        token: Option<Vec<u8>>,
        at: Timestamp,
    ) -> DbFuture<'a, HealthOutcome> {
        tenant_query!(
            self.organization,
            write,
            account_health::report_health(id, report, token, at)
        )
    }

    /// Makes up to `most` of the conversations due that wait for an account, if the account is no
    /// longer held.
    pub fn release_waiting(self, id: AccountId, most: i64) -> DbFuture<'a, Released> {
        tenant_query!(self.organization, write, account_health::release_waiting(id, most))
    }

    /// Ensures that a waiting message is sent to test a held account, if a test is due.
    pub fn rearm_probe(self, id: AccountId, now: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, account_health::rearm_probe(id, now))
    }

    /// Stores the send rate of an account that the channel slowed down.
    pub fn set_pace(self, id: AccountId, pace: Pace) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, account_health::set_pace(id, pace))
    }

    /// Records that the channel reported something about an account.
    pub fn record_callback(self, id: AccountId, at: Timestamp) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, account_health::record_callback(id, at))
    }

    /// Returns whether a message of this conversation may be sent now to test a held account.
    pub fn claim_probe(
        self,
        id: AccountId,
        conversation: ConversationId,
        place: Timestamp,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write,
            account_health::claim_probe(id, conversation, place, now)
        )
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns the sandbox account with this id.
    pub fn find_sandbox_account(self, id: AccountId) -> DbFuture<'a, Option<Account>> {
        any_node_query!(self, read, accounts::find_sandbox_account(id))
    }

    /// Returns the account with this id on a channel.
    pub fn find_channel_account(
        self,
        channel: ChannelKind,
        id: String,
    ) -> DbFuture<'a, Option<Account>> {
        any_node_query!(self, read, accounts::find_channel_account(channel, id))
    }

    /// Returns the accounts of a business on a channel.
    pub fn list_business_accounts(
        self,
        channel: ChannelKind,
        id: String,
    ) -> DbFuture<'a, Vec<Account>> {
        any_node_query!(self, read, accounts::list_business_accounts(channel, id))
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns a page of the accounts, with their organizations.
    pub fn list_accounts(
        self,
        list_filter: ListFilter<id::Account>,
    ) -> DbFuture<'a, Vec<(Account, Organization)>> {
        all_tenants_query!(self, read, listing::list_accounts(list_filter))
    }

    /// Returns accounts that are no longer held but have conversations that still wait.
    pub fn unreleased_accounts(self, most: i64) -> DbFuture<'a, Vec<(OrganizationId, AccountId)>> {
        all_tenants_query!(self, read, account_health::unreleased_accounts(most))
    }

    /// Returns held accounts whose test message is overdue at `now`.
    pub fn untried_accounts(
        self,
        now: Timestamp,
        most: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, AccountId)>> {
        all_tenants_query!(self, read, account_health::untried_accounts(now, most))
    }

    /// Returns accounts whose restriction has ended.
    pub fn ended_restrictions(
        self,
        now: Timestamp,
        most: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, AccountId)>> {
        all_tenants_query!(self, read, account_health::ended_restrictions(now, most))
    }

    pub fn count_held_accounts(self) -> DbFuture<'a, i64> {
        all_tenants_query!(self, read, account_health::count_held_accounts())
    }

    pub fn list_channel_accounts(
        self,
        channel: ChannelKind,
        most: i64,
    ) -> DbFuture<'a, Vec<Account>> {
        all_tenants_query!(self, read, accounts::list_channel_accounts(channel, most))
    }
}
