//! Accounts, as answers and events show them.

use crate::schema::{IdOf, Instant, OneOf, PhoneNumberText};
use domain::account::pace::Rate;
use domain::account::{AccountQuality, ChannelKind, HealthReason, HealthState, HealthSummary};
use domain::id::{self, AccountId};
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::records::Account;
use schemars::JsonSchema;
use serde::Serialize;

/// The ability of an account to send messages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountHealth")]
pub struct HealthRecord {
    /// The state: `ok`; `held` while the channel refuses the account and its messages wait; or
    /// `restricted`.
    #[schemars(with = "OneOf<HealthState>")]
    state: &'static str,
    /// The reason for `held` or `restricted`.
    #[schemars(with = "Option<OneOf<HealthReason>>")]
    reason: Option<&'static str>,
    /// The channel's explanation.
    message: Option<String>,
    /// When the account entered this state; null if it has always been in it.
    #[schemars(with = "Option<Instant>")]
    since: Option<String>,
    /// The quality rating of the account's messages by the channel; null until the channel reports
    /// one.
    #[schemars(with = "Option<OneOf<AccountQuality>>")]
    quality: Option<&'static str>,
    /// The number of contacts that the account may write to first in 24 hours, as the channel's
    /// name for the tier, such as `TIER_1K`; null until the channel reports it.
    limit: Option<String>,
    /// The number of messages per second that the account sends since the channel slowed it down;
    /// null if it is not slowed down.
    pace: Option<f64>,
}

impl From<HealthSummary> for HealthRecord {
    fn from(health: HealthSummary) -> Self {
        Self {
            state: health.state.as_str(),
            reason: health.reason.map(HealthReason::as_str),
            message: health.message,
            since: health.since.map(|at| at.to_string()),
            quality: health.quality.map(AccountQuality::as_str),
            limit: health.limit,
            pace: health.pace.map(Rate::per_second),
        }
    }
}

/// An account: a number of the business that is connected to a channel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct AccountRecord {
    /// The id of the account.
    #[schemars(with = "IdOf<id::Account>")]
    pub id: String,
    /// The phone number.
    #[schemars(with = "PhoneNumberText")]
    pub phone_number: String,
    /// The name that recipients see.
    pub display_name: String,
    /// The channel behind the account.
    #[schemars(with = "OneOf<ChannelKind>")]
    pub channel: &'static str,
    /// Whether keys that are not bound to an account send from this one.
    pub default: bool,
    /// Whether the account can send messages.
    pub health: HealthRecord,
}

impl AccountRecord {
    /// Returns the account as it is at `now`. `default` is the organization's default account.
    #[must_use]
    pub fn from_account(row: Account, default: Option<AccountId>, now: Timestamp) -> Self {
        Self {
            id: row.id.to_string(),
            health: row.known_health().at(now).into(),
            phone_number: row.phone_number,
            display_name: row.display_name,
            channel: row.channel.as_str(),
            default: default == Some(row.id),
        }
    }
}

/// An account: a number of the business that is connected to a channel.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used; stored JSON is shown unchanged")]
#[schemars(rename = "AccountData")]
pub struct AccountData {
    /// The id of the account.
    #[schemars(with = "IdOf<id::Account>")]
    id: String,
    /// The phone number.
    #[schemars(with = "PhoneNumberText")]
    phone_number: String,
    /// The name that recipients see.
    display_name: String,
    /// The channel behind the account.
    #[schemars(with = "OneOf<ChannelKind>")]
    channel: &'static str,
    /// Whether the account can send messages.
    health: HealthRecord,
}
