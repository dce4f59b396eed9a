//! Webhooks: where events are sent, which of them, how often, and when no longer (`docs/contract.md#webhooks`).

mod health;
mod schedule;
mod selection;
mod url;

pub use health::{AttemptResult, Health, MAX_FAILING_TIME};
pub use schedule::{MAX_ATTEMPTS, next_attempt};
pub use selection::{InvalidSelection, Selection, is_selectable};
pub use url::{EndpointUrl, InvalidEndpointUrl};

use crate::event::{EventKind, Topic};
use crate::id::{AccountId, ConnectionId};
use crate::keyword::keywords;
use crate::scope::{Scope, ScopeSet};

keywords! {
    /// Whether an endpoint is sent anything.
    pub enum EndpointState {
        /// It is.
        Enabled = "enabled",
        /// It is not; what is pending waits.
        Disabled = "disabled",
    }
}

keywords! {
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
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::ByMember => "A member disabled it.",
            Self::Gone => "Your server answered 410 Gone, so we stopped sending.",
            Self::Failing => "Every attempt has failed for five days.",
        }
    }
}

keywords! {
    /// The state of an event's delivery to an endpoint.
    pub enum DeliveryState {
        /// It is still to be delivered.
        Pending = "pending",
        /// The endpoint has it.
        Succeeded = "succeeded",
        /// All attempts have failed.
        Failed = "failed",
    }
}

keywords! {
    /// The status of a delivery, as people see it: its state, and whether an attempt at it has failed.
    pub enum DeliveryStatus {
        /// No attempt has failed yet.
        Pending = "pending",
        /// At least one attempt has failed, and another one follows.
        Retrying = "retrying",
        /// All attempts have failed.
        Failed = "failed",
        /// The endpoint has it.
        Succeeded = "succeeded",
    }
}

impl DeliveryStatus {
    /// The status of a delivery in this state after so many failed attempts of its schedule.
    #[must_use]
    pub const fn of(state: DeliveryState, failures: u32) -> Self {
        match (state, failures) {
            (DeliveryState::Pending, 0) => Self::Pending,
            (DeliveryState::Pending, _) => Self::Retrying,
            (DeliveryState::Succeeded, _) => Self::Succeeded,
            (DeliveryState::Failed, _) => Self::Failed,
        }
    }

    /// Whether who looks for this one wants to see a delivery with that status: what is retried has
    /// failed too.
    #[must_use]
    pub const fn includes(self, status: Self) -> bool {
        matches!(
            (self, status),
            (Self::Pending, Self::Pending)
                | (Self::Retrying, Self::Retrying)
                | (Self::Failed, Self::Failed | Self::Retrying)
                | (Self::Succeeded, Self::Succeeded)
        )
    }
}

/// Maximum number of endpoints of one organization, or of one application.
pub const MAX_ENDPOINTS: u32 = 50;

/// A connection, through which an application is notified of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionAccess {
    /// Which connection.
    pub connection: ConnectionId,
    /// The number that it is bound to.
    pub account: Option<AccountId>,
    /// What it was granted.
    pub scopes: ScopeSet,
}

impl ConnectionAccess {
    /// Whether it may be notified of an event of this kind, which has to do with that number and that
    /// connection. Of connections it is notified of itself only, and of the plan nothing.
    #[must_use]
    pub fn permits(
        &self,
        kind: EventKind,
        account: Option<AccountId>,
        connection: Option<ConnectionId>,
    ) -> bool {
        let near = kind.concerns_all_numbers() || self.account.is_none() || self.account == account;
        match kind.topic() {
            Topic::Message(_)
            | Topic::MessageRevision
            | Topic::Conversation(_)
            | Topic::Contact
            | Topic::ContactUpdate
            | Topic::ContactMerge => near && self.scopes.contains(Scope::ConversationsRead),
            // What `GET /me` shows every key.
            Topic::Account => near,
            Topic::Template | Topic::TemplateChange => {
                near && self.scopes.contains(Scope::TemplatesRead)
            }
            Topic::Connection => connection == Some(self.connection),
            Topic::Plan | Topic::Endpoint => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use crate::time::Timestamp;

    #[test]
    fn what_is_retried_has_failed_and_is_not_given_up() {
        let status = DeliveryStatus::of;
        assert_eq!(status(DeliveryState::Pending, 0), DeliveryStatus::Pending);
        assert_eq!(status(DeliveryState::Pending, 3), DeliveryStatus::Retrying);
        assert_eq!(status(DeliveryState::Failed, 10), DeliveryStatus::Failed);
        assert_eq!(status(DeliveryState::Succeeded, 3), DeliveryStatus::Succeeded);
        let found = |filter: DeliveryStatus| {
            DeliveryStatus::ALL.iter().filter(|it| filter.includes(**it)).count()
        };
        assert_eq!(
            DeliveryStatus::ALL.iter().map(|it| found(*it)).collect::<Vec<_>>(),
            [1, 1, 2, 1]
        );
        assert!(DeliveryStatus::Failed.includes(DeliveryStatus::Retrying));
    }

    #[test]
    fn a_connection_receives_the_events_its_number_and_scopes_allow() {
        let at = Timestamp::from_seconds(1_800_000_000);
        let (one, other) = (AccountId::new(at, [1; 10]), AccountId::new(at, [2; 10]));
        let (own, foreign) = (ConnectionId::new(at, [1; 10]), ConnectionId::new(at, [2; 10]));
        let through = |scopes: &str, account| ConnectionAccess {
            connection: own,
            account,
            scopes: ScopeSet::parse(scopes.split(' ')).unwrap(),
        };
        let bound = through("conversations.read", Some(one));
        assert!(bound.permits(EventKind::MessageReceived, Some(one), None));
        assert!(!bound.permits(EventKind::MessageReceived, Some(other), None));
        assert!(!bound.permits(EventKind::TemplateApproved, Some(one), None));
        let reads = through("conversations.read templates.read", Some(one));
        assert!(reads.permits(EventKind::TemplateApproved, Some(other), None));
        assert!(through("conversations.read", None).permits(
            EventKind::MessageSent,
            Some(other),
            None
        ));
        let ended = EventKind::ConnectionDisconnected;
        assert!(bound.permits(ended, Some(one), Some(own)));
        assert!(!bound.permits(ended, Some(one), Some(foreign)));
        let sends = through("messages.send", None);
        let permitted = |kind: &&EventKind| sends.permits(**kind, Some(one), Some(own));
        let permitted: Vec<EventKind> = EventKind::ALL.iter().filter(permitted).copied().collect();
        // Its own beginning and end, and what `GET /me` shows it.
        let created = EventKind::ConnectionCreated;
        assert_eq!(permitted, [EventKind::AccountUpdated, created, ended]);
    }
}
