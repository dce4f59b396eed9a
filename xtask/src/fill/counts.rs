//! How many rows of what there are.

use anyhow::{Result, bail};

/// Blocks of four messages, three out and one in, of which this many events tell.
pub const EVENTS_IN_BLOCK: i64 = 13;
/// Messages in a block.
pub const BLOCK: i64 = 4;
/// So many events are of a type that is seldom.
pub const RARE: i64 = 5;
/// Endpoints of the organization itself. It may have 50: one is left for whoever tries something out.
pub const OWN_ENDPOINTS: i64 = 49;
/// One message in so many belongs to the long conversation.
pub const LONG: i64 = 100;

/// How many of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the organization, one in a hundred of them in one conversation.
    pub messages: i64,
    /// Its conversations, each with a contact.
    pub conversations: i64,
    /// Its events, and as many deliveries of them.
    pub events: i64,
    /// Webhook endpoints: its own, and those of applications that it is connected with.
    pub endpoints: i64,
    /// Its templates.
    pub templates: i64,
    /// Its keys.
    pub keys: i64,
    /// Organizations beside it, each connected with one application.
    pub organizations: i64,
}

impl Counts {
    /// In proportion to the messages, as the full size has them; never so few that a page of a list is not full.
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

    /// Whether rows can be made of them.
    pub fn check(&self) -> Result<()> {
        if self.messages % LONG != 0 || self.messages < LONG {
            bail!("the number of messages is a multiple of {LONG}");
        }
        let most = self.messages / BLOCK * EVENTS_IN_BLOCK;
        if self.events <= RARE || self.events > most {
            bail!("{} messages have {} to {most} events", self.messages, RARE + 1);
        }
        if self.conversations < 2 || self.conversations > self.messages / 2 {
            bail!("{} messages make 2 to {} conversations", self.messages, self.messages / 2);
        }
        if self.endpoints <= OWN_ENDPOINTS {
            bail!("there are more than {OWN_ENDPOINTS} endpoints");
        }
        Ok(())
    }

    /// Applications with an endpoint each.
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
        assert_eq!((counts.conversations, counts.endpoints), (100_000, 1000));
        assert_eq!((counts.templates, counts.keys, counts.organizations), (50_000, 10_000, 10_000));
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
