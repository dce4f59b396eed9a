//! Webhooks: the endpoints, the selection of events for each endpoint, the schedule of delivery
//! attempts, and the disabling of endpoints that fail (`docs/contract.md#webhooks`).

mod health;
mod schedule;
mod selection;
mod url;

pub use crate::endpoint::{DisabledReason, EndpointHealth, EndpointState};
pub use health::{AttemptResult, HealthChange, MAX_FAILING_TIME, ReportedHealth};
pub use schedule::{MAX_ATTEMPTS, next_attempt};
pub use selection::{InvalidSelection, Selection, is_selectable};
pub use url::{EndpointUrl, InvalidEndpointUrl};

use crate::connection::ClosedPeriods;
use crate::event::{EventKind, Topic};
use crate::id::{AccountId, ConnectionId};
use crate::keyword::keywords;
use crate::scope::{Scope, ScopeSet};
use crate::time::Timestamp;

keywords! {
    pub enum DeliveryState {
        /// The endpoint has not accepted the event yet, and attempts go on.
        Pending = "pending",
        /// The endpoint accepted the event.
        Succeeded = "succeeded",
        /// All attempts have failed, and no other attempt follows.
        Failed = "failed",
    }
}

keywords! {
    /// The status of a delivery as the API and the pages show it: the state, and whether an attempt
    /// has failed.
    pub enum DeliveryStatus {
        /// No attempt has failed, and the endpoint has not accepted the event yet.
        Pending = "pending",
        /// At least one attempt has failed, and another attempt will follow.
        Retrying = "retrying",
        /// All attempts have failed, and no other attempt follows.
        Failed = "failed",
        /// The endpoint accepted the event.
        Succeeded = "succeeded",
    }
}

impl DeliveryStatus {
    /// Returns the status of a delivery in this state. `failures` is the number of attempts that
    /// have failed.
    #[must_use]
    pub const fn from_state(state: DeliveryState, failures: u32) -> Self {
        match (state, failures) {
            (DeliveryState::Pending, 0) => Self::Pending,
            (DeliveryState::Pending, _) => Self::Retrying,
            (DeliveryState::Succeeded, _) => Self::Succeeded,
            (DeliveryState::Failed, _) => Self::Failed,
        }
    }

    /// Whether a list that is filtered by this status contains deliveries with the status `status`.
    /// A list of failed deliveries also contains those that are retried.
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

/// Maximum number of webhook endpoints of one organization, and of one application.
pub const MAX_ENDPOINTS: u32 = 50;

/// The data of a connection that decides which events the connection's application receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionAccess {
    pub connection: ConnectionId,
    /// The account that the connection is bound to, or `None` if it is not bound to one account.
    pub account: Option<AccountId>,
    pub scopes: ScopeSet,
    /// The end of the connection's key, if the organization has set an end.
    pub ends_at: Option<Timestamp>,
    /// The earlier periods in which the key had ended. The application never gets the events of
    /// these periods.
    pub closed: ClosedPeriods,
}

impl ConnectionAccess {
    /// Whether the connection's application may receive an event. The event has this `kind`,
    /// happened at `at`, and is about this account and this connection. Most kinds require a scope
    /// of the connection. Of events about connections, the application receives only those about
    /// its own connection. The application receives no events about the plan or about webhook
    /// endpoints. After the end of its key, it receives only events about its own connection.
    #[must_use]
    pub fn permits(
        &self,
        kind: EventKind,
        account: Option<AccountId>,
        connection: Option<ConnectionId>,
        at: Timestamp,
    ) -> bool {
        let has_ended = self.ends_at.is_some_and(|end| end <= at) || self.closed.contain(at);
        let is_near =
            kind.concerns_all_numbers() || self.account.is_none() || self.account == account;
        let near = is_near && !has_ended;
        match kind.topic() {
            Topic::Message(_)
            | Topic::MessageRevision
            | Topic::ScheduledMessage
            | Topic::ConversationWindow
            | Topic::Conversation(_)
            | Topic::Contact
            | Topic::ContactUpdate
            | Topic::ContactMerge
            | Topic::ContactDeletion
            | Topic::ConversationUpdate
            | Topic::Note
            | Topic::Handover
            | Topic::Turn => near && self.scopes.contains(Scope::ConversationsRead),
            // Every key can read the data of its account with `GET /me`, so no scope is required.
            Topic::Account => near,
            Topic::Template | Topic::TemplateChange => {
                near && self.scopes.contains(Scope::TemplatesRead)
            }
            Topic::Connection | Topic::Key => connection == Some(self.connection),
            Topic::Plan | Topic::Endpoint | Topic::EndpointHealth => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use std::time::Duration;

    #[test]
    fn what_is_retried_has_failed_and_is_not_given_up() {
        let status = DeliveryStatus::from_state;
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
            ends_at: None,
            closed: ClosedPeriods::default(),
        };
        let bound = through("conversations.read", Some(one));
        assert!(bound.permits(EventKind::MessageReceived, Some(one), None, at));
        assert!(!bound.permits(EventKind::MessageReceived, Some(other), None, at));
        assert!(!bound.permits(EventKind::TemplateApproved, Some(one), None, at));
        let reads = through("conversations.read templates.read", Some(one));
        assert!(reads.permits(EventKind::TemplateApproved, Some(other), None, at));
        assert!(through("conversations.read", None).permits(
            EventKind::MessageSent,
            Some(other),
            None,
            at
        ));
        let ended = EventKind::ConnectionDisconnected;
        assert!(bound.permits(ended, Some(one), Some(own), at));
        assert!(!bound.permits(ended, Some(one), Some(foreign), at));
        let sends = through("messages.send", None);
        let permitted = |kind: &&EventKind| sends.permits(**kind, Some(one), Some(own), at);
        let permitted: Vec<EventKind> = EventKind::ALL.iter().filter(permitted).copied().collect();
        // With the scope `messages.send` only, the application gets the events about the beginning
        // and the end of the connection, the end of the key, and the account. It can read the
        // account with `GET /me`.
        let created = EventKind::ConnectionCreated;
        let expiring = EventKind::KeyExpiring;
        assert_eq!(permitted, [EventKind::AccountUpdated, created, ended, expiring]);
    }

    #[test]
    fn after_the_end_of_its_key_a_connection_receives_only_what_happens_to_itself() {
        let end = Timestamp::from_seconds(1_800_000_000);
        let (account, own) = (AccountId::new(end, [1; 10]), ConnectionId::new(end, [1; 10]));
        let access = ConnectionAccess {
            connection: own,
            account: None,
            scopes: ScopeSet::parse(Scope::ALL.iter().map(|it| it.as_str())).unwrap(),
            ends_at: Some(end),
            closed: ClosedPeriods::default(),
        };
        let permitted = |access: &ConnectionAccess, at: Timestamp| -> Vec<EventKind> {
            let permitted =
                |kind: &&EventKind| access.permits(**kind, Some(account), Some(own), at);
            EventKind::ALL.iter().filter(permitted).copied().collect()
        };
        let before = end.minus(Duration::from_micros(1));
        assert!(permitted(&access, before).contains(&EventKind::MessageReceived));
        let (created, ended) = (EventKind::ConnectionCreated, EventKind::ConnectionDisconnected);
        let own = [created, ended, EventKind::KeyExpiring];
        assert_eq!(permitted(&access, end), own);
        // The business set a later end an hour after the first end. The events of that hour stay
        // hidden.
        let later = end.plus(Duration::from_hours(1));
        let closed = format!("{}..{}", end.micros(), later.micros());
        let closed = ClosedPeriods::stored(&closed).unwrap();
        let access = ConnectionAccess { ends_at: None, closed, ..access };
        assert!(permitted(&access, before).contains(&EventKind::MessageReceived));
        assert_eq!(permitted(&access, end), own);
        assert!(permitted(&access, later).contains(&EventKind::MessageReceived));
    }
}
