//! The ids and times that rows are derived from.

use domain::event::{EventKind, event_id};
use domain::id::{
    AccountId, ApplicationId, ConnectionId, ContactId, ConversationId, DeliveryId, EventId, KeyId,
    MessageId, OrganizationId, PlanId, SubjectId, TemplateId, VerdictId, WebhookEndpointId,
};
use domain::time::Timestamp;

use super::ids::{self, CONNECTION_KEYS};
use super::row::Rows;
use super::shape::{Shape, Told};
use super::site::Site;

/// A table, or a part of its rows.
pub struct Table {
    pub name: &'static str,
    /// The columns that are filled; the others keep their defaults.
    pub columns: &'static [&'static str],
    pub rows: i64,
    pub write: fn(&World, i64, &mut Rows),
}

/// Creates a [`Table`] of columns of `tables::schema`, so that a column that does not exist is a
/// compile error.
macro_rules! table {
    ($table:ident ($($column:ident),+), $rows:expr, $write:expr) => {
        $crate::fill::world::Table {
            name: stringify!($table),
            columns: &[$(<$table::$column as diesel::Column>::NAME),+],
            rows: $rows,
            write: $write,
        }
    };
}
pub(super) use table;

/// The data that rows are derived from.
pub struct World {
    /// The positions and times of messages and events.
    pub shape: Shape,
    /// The rows that the command line created.
    pub site: Site,
    /// The id of the organizations' plan.
    pub plan: PlanId,
}

/// The number of the conversation that has the same contact as conversation 0, but is on the Cloud
/// API account.
const TWICE: i64 = 19;

impl World {
    /// Returns the id of the organization that is filled.
    pub fn organization(&self) -> OrganizationId {
        self.site.organization
    }

    /// Returns the account of a conversation: one of ten is on the Cloud API.
    pub fn account(&self, conversation: i64) -> AccountId {
        if conversation % 10 == 9 { self.site.meta } else { self.site.sandbox }
    }

    pub fn message(&self, i: i64) -> MessageId {
        ids::id(i, self.shape.accepted(i))
    }

    /// Returns the channel's id of a message.
    pub fn channel_name(&self, i: i64) -> String {
        format!("wamid.sandbox.{:032x}", self.message(i).uuid().as_u128())
    }

    /// Returns a conversation's id. Its contact was created at the same time.
    pub fn conversation(&self, k: i64) -> ConversationId {
        ids::id(k, self.began(k))
    }

    pub fn contact(&self, k: i64) -> ContactId {
        ids::id(k, self.began(k))
    }

    /// Returns the time at which a conversation began.
    pub fn began(&self, k: i64) -> i64 {
        self.shape.accepted(self.shape.message_at(k, 1))
    }

    /// Returns the phone number of a conversation's contact. The contact of the long conversation
    /// has a second conversation, with the account on the Cloud API.
    pub fn phone_number(k: i64) -> String {
        let k = if k == TWICE { 0 } else { k };
        format!("+4915{:09}", 200_000_000 + k)
    }

    /// Returns the name of a template. Each name exists in two languages.
    pub fn template_name(n: i64) -> String {
        format!("order_update_{}", n / 2)
    }

    /// Returns the reviewer's id of a template.
    pub const fn template_number(n: i64) -> i64 {
        5_000_000_000_000 + n
    }

    pub fn template(&self, n: i64) -> TemplateId {
        ids::id(n, self.made(n))
    }

    /// Returns an endpoint's id. The organization's own endpoints come first.
    pub fn endpoint(&self, n: i64) -> WebhookEndpointId {
        ids::id(n, self.made(n))
    }

    pub fn delivery(&self, e: i64) -> DeliveryId {
        ids::id(e, self.delivered(e))
    }

    /// Returns the time at which the delivery of event `e` was created.
    pub fn delivered(&self, e: i64) -> i64 {
        self.shape.event(e).1 + self.shape.step() / 2
    }

    pub fn key(&self, n: i64) -> KeyId {
        ids::id(n, self.made(n))
    }

    pub fn application(&self, n: i64) -> ApplicationId {
        ids::id(n, self.made(n))
    }

    /// Returns a connection's id. Numbers below `applications` are the connections of the
    /// organization with `application(n)`. The numbers from there on are the connections of other
    /// organizations with the hub.
    pub fn connection(&self, n: i64) -> ConnectionId {
        ids::id(n, self.made(n))
    }

    pub fn connection_key(&self, n: i64) -> KeyId {
        ids::id(CONNECTION_KEYS + n, self.made(n))
    }

    /// Returns the id of one of the other organizations.
    pub fn other(&self, n: i64) -> OrganizationId {
        ids::id(n, self.made(n))
    }

    /// Returns the creation time of row number `n` of a kind that people create by hand. It is one
    /// second after that of the previous row.
    pub fn made(&self, n: i64) -> i64 {
        self.shape.begin() + n * 1_000_000
    }

    /// Returns the id of a template's verdict.
    pub fn verdict(&self, n: i64, at: i64) -> VerdictId {
        ids::id(n, at)
    }

    /// Returns the kind, the subject and the account of event `e`.
    pub fn told(&self, e: i64) -> (EventKind, SubjectId, AccountId) {
        let (kind, message) = match self.shape.event(e).0 {
            Told::AgentPaused(k) => {
                let subject = SubjectId::from_uuid(*self.conversation(k).uuid());
                return (EventKind::ConversationAgentPaused, subject, self.account(k));
            }
            Told::Received(i) => (EventKind::MessageReceived, i),
            Told::Queued(i) => (EventKind::MessageQueued, i),
            Told::Sent(i) => (EventKind::MessageSent, i),
            Told::Delivered(i) => (EventKind::MessageDelivered, i),
            Told::Read(i) => (EventKind::MessageRead, i),
        };
        let subject = SubjectId::from_uuid(*self.message(message).uuid());
        (kind, subject, self.account(self.shape.place(message).0))
    }

    pub fn event(&self, e: i64) -> EventId {
        let (_, subject, _) = self.told(e);
        let at = Timestamp::from_micros(self.shape.event(e).1);
        event_id(at, subject.uuid(), self.sequence(e))
    }

    pub fn sequence(&self, e: i64) -> i64 {
        self.shape.forgotten() + e + 1
    }
}
