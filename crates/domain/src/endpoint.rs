//! The state and the health of a webhook endpoint. The rules by which both change are in the module
//! `webhook`.

use crate::keyword::keywords;
use crate::time::Timestamp;

keywords! {
    /// Whether an endpoint receives events.
    pub enum EndpointState {
        /// The endpoint receives events.
        Enabled = "enabled",
        /// The endpoint receives no events. Its pending deliveries wait until it is enabled.
        Disabled = "disabled",
    }
}

keywords! {
    /// The reason why an endpoint is disabled.
    pub enum DisabledReason {
        ByMember = "by_member",
        /// The endpoint answered 410 Gone, which means that it wants no more events.
        Gone = "gone",
        /// All attempts to deliver to the endpoint have failed for five days.
        Failing = "failing",
    }
}

impl DisabledReason {
    /// Returns the reason as a sentence for members.
    #[must_use]
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::ByMember => "A member disabled it.",
            Self::Gone => "Your server answered 410 Gone, so we stopped sending.",
            Self::Failing => "Every attempt has failed for five days.",
        }
    }
}

/// The health of a webhook endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointHealth {
    /// The reason why the endpoint is disabled, and the time at which it was disabled. `None` if it
    /// is enabled.
    pub disabled: Option<(DisabledReason, Timestamp)>,
    /// The time of the first failed attempt since the last successful attempt. `None` if the last
    /// attempt was successful.
    pub failing_since: Option<Timestamp>,
}
