//! Operations on accounts.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{Account, HealthOutcome, ListFilter, Organization, Released};
use domain::account::pace::Pace;
use domain::account::{ChannelKind, HealthReport};
use domain::id::{self, AccountId, ConversationId, OrganizationId};
use domain::time::Timestamp;

operations! {
    Db;
    write accounts::connect_account(new: Account, as_default: bool) -> ();
}

operations! {
    OrganizationDb<organization>;
    read accounts::account(id: AccountId) -> Option<Account>;
    /// Returns the organization's accounts in the order in which they were connected.
    read accounts::accounts() -> Vec<Account>;
    /// Makes one of the organization's accounts its default.
    write accounts::set_default_account(id: AccountId) -> bool;
    /// Records the reported health of one of the organization's accounts.
    write account_health::report_health(id: AccountId, report: HealthReport, token: Option<Vec<u8>>, at: Timestamp) -> HealthOutcome;
    /// Makes some waiting conversations of an account due, if the account is no longer held.
    write account_health::release_waiting(id: AccountId, most: i64) -> Released;
    /// Ensures that a message of a held account is tried.
    write account_health::rearm_probe(id: AccountId, now: Timestamp) -> bool;
    /// Stores the send rate of an account that the channel slowed down.
    write account_health::set_pace(id: AccountId, pace: Pace) -> ();
    /// Returns whether a message of a held account may be tried now.
    write account_health::claim_probe(id: AccountId, conversation: ConversationId, place: Timestamp, now: Timestamp) -> bool;
}

operations! {
    OperatorDb anywhere;
    /// Returns the sandbox account with this id.
    read accounts::find_sandbox_account(id: AccountId) -> Option<Account>;
    /// Returns the account with this id on a channel.
    read accounts::find_channel_account(channel: ChannelKind, id: String) -> Option<Account>;
    /// Returns the accounts of a business on a channel.
    read accounts::list_business_accounts(channel: ChannelKind, id: String) -> Vec<Account>;
}

operations! {
    OperatorDb;
    /// Returns a page of the accounts, with their organizations.
    read listing::list_accounts(list_filter: ListFilter<id::Account>) -> Vec<(Account, Organization)>;
    /// Returns accounts that are no longer held but have conversations that still wait.
    read account_health::unreleased_accounts(most: i64) -> Vec<(OrganizationId, AccountId)>;
    /// Returns held accounts for which a message should have been tried.
    read account_health::untried_accounts(now: Timestamp, most: i64) -> Vec<(OrganizationId, AccountId)>;
    /// Returns accounts whose restriction has ended.
    read account_health::ended_restrictions(now: Timestamp, most: i64) -> Vec<(OrganizationId, AccountId)>;
    read account_health::count_held_accounts() -> i64;
    read accounts::list_channel_accounts(channel: ChannelKind, most: i64) -> Vec<Account>;
}
