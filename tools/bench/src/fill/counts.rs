//! The number of rows of each kind.

use anyhow::{Result, bail};

/// The number of events of a block. A block is four messages in a row: three outbound ones with
/// four events each, and an inbound one with one event.
pub const EVENTS_IN_BLOCK: i64 = 13;
/// The number of messages in a block. All blocks are alike.
pub const BLOCK: i64 = 4;
/// The number of events of the rare type: the AI agent of a conversation was paused.
pub const RARE: i64 = 5;
/// The number of the organization's own endpoints. The limit is 50, so one more can be added for
/// experiments.
pub const OWN_ENDPOINTS: i64 = 49;
/// One of this many messages belongs to the long conversation.
pub const LONG: i64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the organization. One of a hundred is in the long conversation.
    pub messages: i64,
    /// Conversations of the organization, each with a contact.
    pub conversations: i64,
    /// Events of the organization, and the same number of deliveries.
    pub events: i64,
    /// Webhook endpoints: the organization's own, and those of its connected applications.
    pub endpoints: i64,
    pub templates: i64,
    pub keys: i64,
    /// Other organizations, each connected with one application.
    pub organizations: i64,
}

impl Counts {
    /// Derives the counts from the number of messages, in the proportions of the full size. The
    /// minimums are large enough to fill a page of each list.
    pub fn of(messages: i64) -> Self {
        Self {
            messages,
            conversations: (messages / 100).max(2),
            events: messages,
            endpoints: (messages / 10_000).max(OWN_ENDPOINTS + 110),
            templates: (messages / 200).max(500),
            keys: (messages / 1000).max(100),
            organizations: (messages / 1000).max(120),
        }
    }

    /// Checks that rows can be made from the counts.
    pub fn check(&self) -> Result<()> {
        if self.messages % LONG != 0 || self.messages < LONG {
            bail!("the number of messages must be a multiple of {LONG}");
        }
        let most = self.messages / BLOCK * EVENTS_IN_BLOCK;
        if self.events <= RARE || self.events > most {
            bail!("{} messages must have {} to {most} events", self.messages, RARE + 1);
        }
        if self.conversations < 2 || self.conversations > self.messages / 2 {
            bail!("{} messages must have 2 to {} conversations", self.messages, self.messages / 2);
        }
        if self.endpoints <= OWN_ENDPOINTS {
            bail!("there must be more than {OWN_ENDPOINTS} endpoints");
        }
        Ok(())
    }

    /// Returns the number of applications, each with one endpoint.
    pub const fn applications(&self) -> i64 {
        self.endpoints - OWN_ENDPOINTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_size_is_what_was_asked_for() {
        let counts = Counts::of(10_000_000);
        assert_eq!(counts.conversations, 100_000);
        assert_eq!(counts.endpoints, 1000);
        assert_eq!(counts.templates, 50_000);
        assert_eq!(counts.keys, 10_000);
        assert_eq!(counts.organizations, 10_000);
        assert_eq!(counts.applications(), 951);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Counts::of(10_000).check().is_ok());
        assert!(Counts::of(10_001).check().is_err());
        assert!(Counts::of(0).check().is_err());
        assert!(Counts { events: 32_501, ..Counts::of(10_000) }.check().is_err());
        assert!(Counts { endpoints: 49, ..Counts::of(10_000) }.check().is_err());
        assert!(Counts { conversations: 1, ..Counts::of(10_000) }.check().is_err());
    }
}
