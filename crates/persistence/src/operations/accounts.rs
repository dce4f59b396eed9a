//! The numbers of organizations.
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
    /// Connects a number.
    write accounts::connect_account(new: Account, as_default: bool) -> ();
}

operations! {
    OrganizationDb<organization>;
    /// One of the organization's numbers.
    read accounts::account(id: AccountId) -> Option<Account>;
    /// The organization's numbers, in the order in which they were connected.
    read accounts::accounts() -> Vec<Account>;
    /// Records what is reported of one of the organization's numbers.
    write account_health::report_health(id: AccountId, report: HealthReport, token: Option<Vec<u8>>, at: Timestamp) -> HealthOutcome;
    /// Lets some of the messages go that wait although their number is held no longer.
    write account_health::release_waiting(id: AccountId, most: i64) -> Released;
    /// Sees to it that a message of a held number is tried.
    write account_health::rearm_probe(id: AccountId, now: Timestamp) -> bool;
    /// Notes how fast a number sends since the channel slowed it down.
    write account_health::set_pace(id: AccountId, pace: Pace) -> ();
    /// Whether a message of a held number may be tried now.
    write account_health::take_probe(id: AccountId, conversation: ConversationId, place: Timestamp, now: Timestamp) -> bool;
}

operations! {
    OperatorDb anywhere;
    /// The sandbox number of that id.
    read accounts::account_on_sandbox(id: AccountId) -> Option<Account>;
    /// The number that a network knows by that id.
    read accounts::account_on_channel(channel: ChannelKind, id: String) -> Option<Account>;
    /// The numbers of a business on a network.
    read accounts::numbers_of_business(channel: ChannelKind, id: String) -> Vec<Account>;
}

operations! {
    OperatorDb;
    /// A page of the numbers, with their organizations.
    read listing::list_accounts(list_filter: ListFilter<id::Account>) -> Vec<(Account, Organization)>;
    /// Numbers that are held no longer, and for which messages wait all the same.
    read account_health::unreleased_accounts(most: i64) -> Vec<(OrganizationId, AccountId)>;
    /// Numbers that are held and should have been tried.
    read account_health::untried_accounts(now: Timestamp, most: i64) -> Vec<(OrganizationId, AccountId)>;
    /// Numbers whose restriction has come to its end.
    read account_health::ended_restrictions(now: Timestamp, most: i64) -> Vec<(OrganizationId, AccountId)>;
    /// How many numbers are held.
    read account_health::count_held_accounts() -> i64;
    /// The numbers on a network.
    read accounts::accounts_on(channel: ChannelKind, most: i64) -> Vec<Account>;
}
