//! What the rows follow from: the ids of everything, and when it was.

use super::ids::{self, Id, Kind};
use super::row::Rows;
use super::shape::{Shape, Told};
use super::site::Site;

/// A table, or a part of its rows.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The columns that are filled; the others keep their defaults.
    pub columns: &'static str,
    /// How many rows.
    pub rows: i64,
    /// Writes the values of one of them.
    pub write: fn(&World, i64, &mut Rows),
}

/// Everything that the rows follow from.
pub struct World {
    /// Which message belongs where.
    pub shape: Shape,
    /// What the command line made.
    pub site: Site,
    /// The number of the organizations' plan.
    pub plan: Id,
}

/// The other conversation of the person of conversation 0, with the number at Meta.
const TWICE: i64 = 19;

impl World {
    /// The id of the organization that all is filled for.
    pub fn organization(&self) -> &Id {
        &self.site.organization
    }

    /// The number of a conversation: one in ten is on Meta's.
    pub fn account(&self, conversation: i64) -> &Id {
        if conversation % 10 == 9 { &self.site.meta } else { &self.site.sandbox }
    }

    /// A message.
    pub fn message(&self, i: i64) -> Id {
        ids::id(Kind::Message, i, self.shape.accepted(i))
    }

    /// What the channel calls a message.
    pub fn channel_name(&self, i: i64) -> String {
        format!("wamid.sandbox.{:032x}", u128::from_be_bytes(self.message(i)))
    }

    /// A conversation; its contact was made with it.
    pub fn conversation(&self, k: i64) -> Id {
        ids::id(Kind::Conversation, k, self.began(k))
    }

    /// The contact of a conversation.
    pub fn contact(&self, k: i64) -> Id {
        ids::id(Kind::Contact, k, self.began(k))
    }

    /// When a conversation began.
    pub fn began(&self, k: i64) -> i64 {
        self.shape.accepted(self.shape.message_at(k, 1))
    }

    /// The phone number of a conversation's person. That of the long conversation wrote to the number at Meta as well.
    pub fn phone_number(k: i64) -> String {
        let k = if k == TWICE { 0 } else { k };
        format!("+4915{:09}", 200_000_000 + k)
    }

    /// The name of a template, which there is in two languages.
    pub fn template_name(n: i64) -> String {
        format!("order_update_{}", n / 2)
    }

    /// What the reviewer calls it.
    pub const fn template_number(n: i64) -> i64 {
        5_000_000_000_000 + n
    }

    /// A template.
    pub fn template(&self, n: i64) -> Id {
        ids::id(Kind::Template, n, self.made(n))
    }

    /// An endpoint: first the organization's own.
    pub fn endpoint(&self, n: i64) -> Id {
        ids::id(Kind::Endpoint, n, self.made(n))
    }

    /// A delivery.
    pub fn delivery(&self, e: i64) -> Id {
        ids::id(Kind::Delivery, e, self.delivered(e))
    }

    /// When event `e` was put on its way.
    pub fn delivered(&self, e: i64) -> i64 {
        self.shape.event(e).1 + self.shape.step() / 2
    }

    /// A key.
    pub fn key(&self, n: i64) -> Id {
        ids::id(Kind::Key, n, self.made(n))
    }

    /// An application.
    pub fn application(&self, n: i64) -> Id {
        ids::id(Kind::Application, n, self.made(n))
    }

    /// Connections 0 and up are the organization's with `application(n)`, those from `applications` on are those of other
    /// organizations with the one application that has many.
    pub fn connection(&self, n: i64) -> Id {
        ids::id(Kind::Connection, n, self.made(n))
    }

    /// The key of a connection.
    pub fn connection_key(&self, n: i64) -> Id {
        ids::id(Kind::ConnectionKey, n, self.made(n))
    }

    /// An organization beside it.
    pub fn other(&self, n: i64) -> Id {
        ids::id(Kind::Organization, n, self.made(n))
    }

    /// When row number `n` of something that was made by hand was made: a second after the one before.
    pub fn made(&self, n: i64) -> i64 {
        self.shape.begin() + n * 1_000_000
    }

    /// What event `e` tells of: its kind, its subject, the number.
    pub fn told(&self, e: i64) -> (&'static str, Id, &Id) {
        let told = self.shape.event(e).0;
        let (kind, message) = match told {
            Told::AgentPaused(k) => {
                return ("conversation.agent_paused", self.conversation(k), self.account(k));
            }
            Told::Received(i) => ("message.received", i),
            Told::Queued(i) => ("message.queued", i),
            Told::Sent(i) => ("message.sent", i),
            Told::Delivered(i) => ("message.delivered", i),
            Told::Read(i) => ("message.read", i),
        };
        (kind, self.message(message), self.account(self.shape.place(message).0))
    }

    /// The id of event `e`.
    pub fn event(&self, e: i64) -> Id {
        let (_, subject, _) = self.told(e);
        ids::event_id(self.shape.event(e).1, &subject, self.sequence(e))
    }

    /// The sequence of event `e`.
    pub fn sequence(&self, e: i64) -> i64 {
        self.shape.forgotten() + e + 1
    }
}
