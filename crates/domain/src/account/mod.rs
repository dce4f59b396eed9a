//! Messaging accounts: the numbers of a business.

mod health;
pub mod pace;

pub use health::{
    AccountQuality, AccountSnapshot, Health, HealthReason, HealthReport, HealthState,
    HealthSummary, Hold, PROBE_INTERVAL, Restriction,
};

use crate::keyword::keywords;

keywords! {
    /// The network behind a number.
    pub enum ChannelKind {
        /// Built in: no network, no account with anybody.
        Sandbox = "sandbox",
        /// Meta's `WhatsApp` Cloud API.
        CloudApi = "cloud_api",
        /// `WhatsApp` by Twilio.
        Twilio = "twilio",
    }
}

keywords! {
    /// Which number a key sends from (`docs/contract.md#api-keys`).
    pub enum Binding {
        /// Always this one, and only its conversations can be read.
        Bound = "bound",
        /// The organization's default, else the first that was connected.
        Default = "default",
    }
}
