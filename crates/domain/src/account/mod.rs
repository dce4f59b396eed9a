//! Messaging accounts: the connected numbers of an organization.

mod health;
pub mod pace;

pub use health::{
    AccountHealth, AccountQuality, AccountSnapshot, HealthReason, HealthReport, HealthState,
    HealthSummary, Hold, PROBE_INTERVAL, Restriction,
};

use crate::keyword::keywords;

keywords! {
    /// The channel behind an account.
    pub enum ChannelKind {
        /// The built-in sandbox, which needs no external network and no account at a channel.
        Sandbox = "sandbox",
        /// Meta's `WhatsApp` Cloud API.
        CloudApi = "cloud_api",
        /// `WhatsApp` through Twilio.
        Twilio = "twilio",
    }
}

keywords! {
    /// The account that a key sends from (`docs/contract.md#api-keys`).
    pub enum Binding {
        /// The key always sends from one account, and reads only the conversations of that account.
        Bound = "bound",
        /// The key sends from the organization's default account. If none is set, it sends from the
        /// account that was connected first.
        Default = "default",
    }
}
