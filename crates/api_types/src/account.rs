//! Accounts, as answers and events show them.

use crate::schema::{IdOf, OneOf, PhoneNumberText};
use domain::account::ChannelKind;
use domain::id::{self, AccountId};
use domain::time::Timestamp;
use persistence::content::event_data::AccountHealthData;
use persistence::records::Account;
use schemars::JsonSchema;
use serde::Serialize;

/// An account: a number of the business that is connected to a channel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct AccountRecord {
    /// The id of the account.
    pub id: IdOf<id::Account>,
    /// The phone number.
    #[schemars(with = "PhoneNumberText")]
    pub phone_number: String,
    /// The name that recipients see.
    pub display_name: String,
    /// The channel behind the account.
    pub channel: OneOf<ChannelKind>,
    /// Whether keys that are not bound to an account send from this one.
    pub default: bool,
    /// Whether the account can send messages.
    pub health: AccountHealthData,
}

impl AccountRecord {
    /// Returns the account as it is at `now`. `default` is the organization's default account.
    #[must_use]
    pub fn from_account(row: Account, default: Option<AccountId>, now: Timestamp) -> Self {
        Self {
            id: IdOf(row.id),
            health: row.known_health().at(now).into(),
            phone_number: row.phone_number,
            display_name: row.display_name,
            channel: OneOf(row.channel),
            default: default == Some(row.id),
        }
    }
}
