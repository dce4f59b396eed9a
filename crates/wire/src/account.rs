//! Numbers, as answers and events show them.

use crate::schema::{IdOf, Instant, Number, OneOf};
use domain::account::pace::Rate;
use domain::account::{AccountQuality, ChannelKind, HealthReason, HealthState, HealthSummary};
use domain::id::{self, AccountId};
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::records::Account;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether a number can send.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountHealth")]
pub struct HealthRecord {
    /// `ok`, `held` while the channel refuses the number and its messages wait, or `restricted`.
    #[schemars(with = "OneOf<HealthState>")]
    state: &'static str,
    /// Why it is held or restricted.
    #[schemars(with = "Option<OneOf<HealthReason>>")]
    reason: Option<&'static str>,
    /// What the channel says of it.
    message: Option<String>,
    /// When it came to its state; null if it has always been in it.
    #[schemars(with = "Option<Instant>")]
    since: Option<String>,
    /// How people rate its messages, by the channel's measure; null until the channel says so.
    #[schemars(with = "Option<OneOf<AccountQuality>>")]
    quality: Option<&'static str>,
    /// How many people it may write to first in 24 hours, in the channel's word, such as `TIER_1K`; null until the
    /// channel says so.
    limit: Option<String>,
    /// How many messages per second it sends since the channel slowed it down; null where it is not slowed down.
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

/// A number of the business.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct AccountRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Account>")]
    pub id: String,
    /// The number.
    #[schemars(with = "Number")]
    pub phone_number: String,
    /// What people see it called.
    pub display_name: String,
    /// The network behind it.
    #[schemars(with = "OneOf<ChannelKind>")]
    pub channel: &'static str,
    /// Whether keys that are bound to no number send from it.
    pub default: bool,
    /// Whether it can send.
    pub health: HealthRecord,
}

impl AccountRecord {
    /// A number as it is at this time, and which one is the organization's default.
    #[must_use]
    pub fn of(row: Account, default: Option<AccountId>, now: Timestamp) -> Self {
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

/// A number of the business.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it stands for its schema: what is stored is shown as it is")]
#[schemars(rename = "AccountData")]
pub struct AccountData {
    /// Its id.
    #[schemars(with = "IdOf<id::Account>")]
    id: String,
    /// The number.
    #[schemars(with = "Number")]
    phone_number: String,
    /// What people see it called.
    display_name: String,
    /// The network behind it.
    #[schemars(with = "OneOf<ChannelKind>")]
    channel: &'static str,
    /// Whether it can send.
    health: HealthRecord,
}
