//! A conversation: the 24-hour window and the AI agent (`docs/contract.md#messages`).

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// Whether the AI agent answers in a conversation.
    pub enum Agent {
        /// It answers.
        Running = "running",
        /// A person, or somebody's code, has taken over.
        Paused = "paused",
    }
}

keywords! {
    /// Who wrote a message.
    pub enum Source {
        /// The REST API.
        Api = "api",
        /// A member, in the inbox.
        Inbox = "inbox",
        /// The AI agent.
        Agent = "agent",
        /// Somebody at the business, from the phone.
        Phone = "phone",
        /// The person on the other side.
        Customer = "customer",
    }
}

keywords! {
    /// In which order messages are read.
    pub enum Order {
        /// The oldest first.
        Asc = "asc",
        /// The newest first.
        Desc = "desc",
    }
}

/// How long after a person's last message the channel takes free-form ones.
pub const WINDOW: Duration = Duration::from_hours(24);

/// When the window closes that the last inbound message opened.
#[must_use]
pub fn window_expires_at(last_inbound_at: Option<Timestamp>) -> Option<Timestamp> {
    last_inbound_at.map(|at| at.plus(WINDOW))
}

/// Whether free-form messages are sure to be taken at `now`.
#[must_use]
pub fn window_is_open(last_inbound_at: Option<Timestamp>, now: Timestamp) -> bool {
    window_expires_at(last_inbound_at).is_some_and(|end| now < end)
}

keywords! {
    /// What a sender should know although the message was accepted.
    pub enum Warning {
        /// The channel may refuse a free-form message by now.
        WindowClosed = "window_closed",
    }
}

/// What to warn of when a message is accepted at `now`.
#[must_use]
pub fn warnings(
    free_form: bool,
    last_inbound_at: Option<Timestamp>,
    now: Timestamp,
) -> Vec<Warning> {
    if free_form && !window_is_open(last_inbound_at, now) {
        vec![Warning::WindowClosed]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_open_for_24_hours_after_an_inbound_message() {
        let inbound = Timestamp::from_seconds(1_000_000);
        let end = inbound.plus(WINDOW);
        assert!(window_is_open(Some(inbound), end.minus(Duration::from_micros(1))));
        assert!(!window_is_open(Some(inbound), end));
        assert!(!window_is_open(None, end));
        assert_eq!(warnings(true, None, end), [Warning::WindowClosed]);
        assert_eq!(warnings(false, None, end), []);
    }
}
