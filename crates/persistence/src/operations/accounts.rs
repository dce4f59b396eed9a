//! The numbers of organizations.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::rows::{Account, ListFilter, Organization};
use domain::account::ChannelKind;
use domain::id::{self, AccountId};

operations! {
    Db;
    /// Connects a number.
    write accounts::connect_account(new: Account, as_default: bool) -> ();
}

operations! {
    OrganizationDb<organization>;
    /// One of the organization's numbers.
    read accounts::account(id: AccountId) -> Option<Account>;
    /// The organization's numbers, in the order in which they were connected.
    read accounts::accounts() -> Vec<Account>;
}

operations! {
    OperatorDb;
    /// The sandbox number of that id.
    read accounts::account_on_sandbox(id: AccountId) -> Option<Account>;
    /// The number that a network knows by that id.
    read accounts::account_on_channel(channel: ChannelKind, id: String) -> Option<Account>;
    /// The numbers of a business on a network.
    read accounts::accounts_of_business(channel: ChannelKind, id: String) -> Vec<AccountId>;
    /// A page of the numbers, with their organizations.
    read listing::list_accounts(list_filter: ListFilter<id::Account>) -> Vec<(Account, Organization)>;
    /// The numbers on a network.
    read accounts::accounts_on(channel: ChannelKind, most: i64) -> Vec<Account>;
}
