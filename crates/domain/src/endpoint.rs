//! The state and the health of a webhook endpoint. The rules by which they change are in the module
//! `webhook`.

use crate::keyword::keywords;
use crate::time::Timestamp;

keywords! {
    /// Whether an endpoint receives events.
    pub enum EndpointState {
        /// The endpoint receives events.
        Enabled = "enabled",
        /// The endpoint receives nothing. Pending deliveries wait.
        Disabled = "disabled",
    }
}

keywords! {
    /// The reason why an endpoint is disabled.
    pub enum DisabledReason {
        ByMember = "by_member",
        /// The endpoint answered 410 Gone.
        Gone = "gone",
        /// The endpoint has failed for five days without a break.
        Failing = "failing",
    }
}

impl DisabledReason {
    /// Returns the reason as a sentence for users.
    #[must_use]
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::ByMember => "A member disabled it.",
            Self::Gone => "Your server answered 410 Gone, so we stopped sending.",
            Self::Failing => "Every attempt has failed for five days.",
        }
    }
}

/// The health of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointHealth {
    /// The reason and the time if the endpoint is disabled.
    pub disabled: Option<(DisabledReason, Timestamp)>,
    /// The time of the first failed attempt since the last successful one.
    pub failing_since: Option<Timestamp>,
}
