//! Webhooks: where events are sent, which of them, how often, and when no longer (`contract.md` 4).

mod health;
mod schedule;
mod selection;
mod url;

pub use health::{Answer, FAILS_MOST, Health};
pub use schedule::{ATTEMPTS_MOST, next_attempt};
pub use selection::{Selection, UnknownEvent, is_selectable};
pub use url::{EndpointUrl, NotAnEndpointUrl};

use crate::event::EventKind;
use crate::scope::{Scope, ScopeSet};
use crate::word::words;

words! {
    /// Whether an endpoint is sent anything.
    pub enum EndpointState {
        /// It is.
        Enabled = "enabled",
        /// It is not; what is pending waits.
        Disabled = "disabled",
    }
}

words! {
    /// Why an endpoint is disabled.
    pub enum DisabledReason {
        /// A member did so.
        ByMember = "by_member",
        /// It answered 410: it is gone.
        Gone = "gone",
        /// It has failed for five days.
        Failing = "failing",
    }
}

impl DisabledReason {
    /// The reason in a sentence for people.
    #[must_use]
    pub const fn in_plain_words(self) -> &'static str {
        match self {
            Self::ByMember => "A member disabled it.",
            Self::Gone => {
                "It answered 410 Gone, which says that nothing is to be sent there any more."
            }
            Self::Failing => "Every attempt has failed for five days.",
        }
    }
}

words! {
    /// How an event fares with an endpoint.
    pub enum DeliveryState {
        /// It is still to be delivered.
        Pending = "pending",
        /// The endpoint has it.
        Succeeded = "succeeded",
        /// All attempts have failed.
        Failed = "failed",
    }
}

/// The most endpoints of one organization, or of one application.
pub const ENDPOINTS_MOST: usize = 50;
/// The most characters of a description.
pub const DESCRIPTION_MOST: usize = 200;

/// Whether a connection that was granted `scopes` is told of an event of this kind. Of connections it is
/// told of itself only, and of the plan it is told nothing.
#[must_use]
pub const fn is_told(scopes: ScopeSet, kind: EventKind) -> bool {
    use EventKind as Kind;
    match kind {
        Kind::MessageReceived
        | Kind::MessageQueued
        | Kind::MessageSent
        | Kind::MessageDelivered
        | Kind::MessageRead
        | Kind::MessageFailed
        | Kind::ConversationCreated
        | Kind::ConversationAgentPaused
        | Kind::ConversationAgentResumed
        | Kind::ContactCreated => scopes.contains(Scope::ConversationsRead),
        Kind::TemplateSubmitted
        | Kind::TemplateApproved
        | Kind::TemplateRejected
        | Kind::TemplatePaused
        | Kind::TemplateDisabled => scopes.contains(Scope::TemplatesRead),
        Kind::ConnectionCreated | Kind::ConnectionDisconnected => true,
        Kind::PlanLimitReached | Kind::WebhookTest => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Word as _;

    #[test]
    fn a_connection_is_told_what_its_scopes_allow() {
        let reads = ScopeSet::parse(["conversations.read"]).unwrap();
        assert!(is_told(reads, EventKind::MessageReceived));
        assert!(is_told(reads, EventKind::ConnectionDisconnected));
        assert!(!is_told(reads, EventKind::TemplateApproved));
        assert!(!is_told(reads, EventKind::PlanLimitReached));
        let sends = ScopeSet::parse(["messages.send"]).unwrap();
        let told = EventKind::ALL.iter().filter(|kind| is_told(sends, **kind)).count();
        assert_eq!(told, 2);
    }
}
