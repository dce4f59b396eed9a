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
        /// The built-in sandbox: no external network or account.
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
        /// Always one account. The key reads only the conversations of that account.
        Bound = "bound",
        /// The organization's default account, or else the first one connected.
        Default = "default",
    }
}
