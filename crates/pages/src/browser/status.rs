//! States of objects as pages show them: an icon and a word. The color adds no information.

use crate::icons::{Icon, icon};
use std::borrow::Cow;

/// A state with its icon, its color and its usual word. The same state has the same icon on every
/// page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectState {
    Queued,
    Scheduled,
    Sent,
    Delivered,
    Read,
    Received,
    Failed,
    Rejected,
    Retrying,
    Held,
    Paused,
    Failing,
    Canceled,
    Disabled,
    Active,
    Approved,
    Ok,
    Draft,
    InReview,
    Rotating,
    ExpiresSoon,
    NeedsPerson,
    Agent,
    ConnectedApp,
    Verified,
    NotReviewed,
}

impl ObjectState {
    /// Every state, for the page that shows all components.
    pub const ALL: &[Self] = &[
        Self::Queued,
        Self::Scheduled,
        Self::Sent,
        Self::Delivered,
        Self::Read,
        Self::Received,
        Self::Failed,
        Self::Rejected,
        Self::Retrying,
        Self::Held,
        Self::Paused,
        Self::Failing,
        Self::Canceled,
        Self::Disabled,
        Self::Active,
        Self::Approved,
        Self::Ok,
        Self::Draft,
        Self::InReview,
        Self::Rotating,
        Self::ExpiresSoon,
        Self::NeedsPerson,
        Self::Agent,
        Self::ConnectedApp,
        Self::Verified,
        Self::NotReviewed,
    ];

    /// Returns the CSS class of the color, the icon and the usual word.
    const fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Queued => ("info", "clock", "Queued"),
            Self::Scheduled => ("info", "calendar-clock", "Scheduled"),
            Self::Sent => ("", "check", "Sent"),
            Self::Delivered => ("ok", "check-check", "Delivered"),
            Self::Read => ("ok", "eye", "Read"),
            Self::Received => ("", "arrow-down-left", "Received"),
            Self::Failed => ("bad", "circle-x", "Failed"),
            Self::Rejected => ("bad", "circle-x", "Rejected"),
            Self::Retrying => ("warn", "rotate-cw", "Retrying"),
            Self::Held => ("warn", "circle-pause", "Held"),
            Self::Paused => ("warn", "circle-pause", "Paused"),
            Self::Failing => ("warn", "triangle-alert", "Failing"),
            Self::Canceled => ("off", "ban", "Canceled"),
            Self::Disabled => ("off", "ban", "Disabled"),
            Self::Active => ("ok", "circle-check", "Active"),
            Self::Approved => ("ok", "circle-check", "Approved"),
            Self::Ok => ("ok", "circle-check", "OK"),
            Self::Draft => ("", "circle-dashed", "Draft"),
            Self::InReview => ("info", "clock", "In review"),
            Self::Rotating => ("info", "rotate-cw", "Rotating"),
            Self::ExpiresSoon => ("warn", "clock-alert", "Expires soon"),
            Self::NeedsPerson => ("warn", "hand", "Needs a person"),
            Self::Agent => ("ai", "bot", "AI agent"),
            Self::ConnectedApp => ("", "plug", "Connected app"),
            Self::Verified => ("ok", "shield-check", "Verified"),
            Self::NotReviewed => ("warn", "circle-alert", "Not reviewed"),
        }
    }

    /// Returns the label with the usual word.
    #[must_use]
    pub const fn label(self) -> StateLabel {
        StateLabel { state: self, word: Cow::Borrowed(self.look().2) }
    }

    /// Returns the label with another text, for example `Retrying · 503`.
    #[must_use]
    pub fn saying(self, word: impl Into<Cow<'static, str>>) -> StateLabel {
        StateLabel { state: self, word: word.into() }
    }
}

/// A state with its text, for the macros `status` and `badge`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLabel {
    state: ObjectState,
    pub word: Cow<'static, str>,
}

impl StateLabel {
    /// Returns the CSS class of the color.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        self.state.look().0
    }

    #[must_use]
    pub fn icon(&self) -> Icon {
        icon(self.state.look().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_an_icon_and_a_word() {
        for state in ObjectState::ALL {
            let label = state.label();
            assert!(label.icon().to_string().contains("<svg") && !label.word.is_empty());
        }
        let label = ObjectState::Retrying.saying("Retrying · 503");
        assert_eq!(label.class(), "warn");
        assert_eq!(label.word.as_ref(), "Retrying · 503");
    }
}
