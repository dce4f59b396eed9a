//! The numbers of organizations.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::rows::{Account, ListFilter, Organization};
use domain::account::{ChannelKind, HealthReport};
use domain::id::{self, AccountId, ConversationId};
use domain::time::Timestamp;

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
    /// Records what is reported of one of the organization's numbers; `false` if that changes nothing.
    write account_health::report_health(id: AccountId, report: HealthReport, token: Option<Vec<u8>>, at: Timestamp) -> bool;
    /// Whether a message of a held number may be tried now.
    write account_health::take_probe(id: AccountId, conversation: ConversationId, place: Timestamp, now: Timestamp) -> bool;
}

operations! {
    OperatorDb;
    /// The sandbox number of that id.
    read accounts::account_on_sandbox(id: AccountId) -> Option<Account>;
    /// The number that a network knows by that id.
    read accounts::account_on_channel(channel: ChannelKind, id: String) -> Option<Account>;
    /// The numbers of a business on a network.
    read accounts::accounts_of_business(channel: ChannelKind, id: String) -> Vec<AccountId>;
    /// The same, whole.
    read accounts::numbers_of_business(channel: ChannelKind, id: String) -> Vec<Account>;
    /// A page of the numbers, with their organizations.
    read listing::list_accounts(list_filter: ListFilter<id::Account>) -> Vec<(Account, Organization)>;
    /// How many numbers are held.
    read account_health::count_held_accounts() -> i64;
    /// The numbers on a network.
    read accounts::accounts_on(channel: ChannelKind, most: i64) -> Vec<Account>;
}
