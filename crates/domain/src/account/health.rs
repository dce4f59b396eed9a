//! Whether a number can send (`docs/contract.md#health-of-a-number`).

use super::ChannelKind;
use super::pace::{Pace, Rate};
use crate::id::AccountId;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

/// While a number is held, one message is tried this often.
pub const PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// How long it is known that a number may not write to people in some country, before that is found out again.
pub const COUNTRY_RESTRICTION: Duration = Duration::from_hours(24);
/// The channel tells whole seconds, of which the end is taken.
const SECOND: Duration = Duration::from_secs(1);
/// Maximum number of characters that are kept of the channel's sentence.
const MAX_MESSAGE_LENGTH: usize = 500;
/// Maximum number of characters that are kept of the channel's word for a limit.
const MAX_LIMIT_LENGTH: usize = 50;

keywords! {
    /// Whether a number can send.
    pub enum HealthState {
        /// It can.
        Ok = "ok",
        /// The channel refuses the account and not a message, so that its messages wait.
        Held = "held",
        /// It can, with limits that the channel has set.
        Restricted = "restricted",
    }
}

keywords! {
    /// Why a number is held or restricted.
    pub enum HealthReason {
        /// The access token has expired, was withdrawn, or is none.
        TokenRefused = "token_refused",
        /// The token lacks a permission.
        PermissionMissing = "permission_missing",
        /// The channel has blocked the account for what it sent.
        PolicyViolation = "policy_violation",
        /// The account may not write to people in a country.
        CountryRestricted = "country_restricted",
        /// The account is locked.
        AccountLocked = "account_locked",
        /// The channel has not been paid.
        PaymentRequired = "payment_required",
        /// The number is not registered with the channel.
        NotRegistered = "not_registered",
        /// The channel has not approved the name of the number yet.
        NameNotApproved = "name_not_approved",
        /// The account was disconnected at the channel: from us, or from its API.
        Disconnected = "disconnected",
        /// The channel has disabled the account, or is going to.
        AccountDisabled = "account_disabled",
        /// The channel has restricted the account.
        AccountRestricted = "account_restricted",
        /// The channel has raised a critical alert.
        Alert = "alert",
    }
}

keywords! {
    /// What people make of a number's messages, by the channel's measure.
    pub enum AccountQuality {
        /// Nothing is wrong with it.
        Ok = "ok",
        /// Too many people blocked or reported it.
        Low = "low",
    }
}

/// That the channel refuses a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Why.
    pub reason: HealthReason,
    /// The same in the channel's sentence.
    pub message: String,
    /// Since when.
    pub since: Timestamp,
    /// Whether it was found out by a message that the channel had taken and then reported as failed. Then it proves
    /// nothing that the channel takes one.
    pub by_status: bool,
}

/// That the channel limits what a number may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// Why.
    pub reason: HealthReason,
    /// The same in the channel's sentence.
    pub message: String,
    /// Since when.
    pub since: Timestamp,
    /// When it ends; none if the channel has not said.
    pub until: Option<Timestamp>,
}

/// What is known of a number. Whether it is held and whether it is restricted do not depend on each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// While it is held: why.
    pub hold: Option<Hold>,
    /// While it is restricted: why.
    pub restriction: Option<Restriction>,
    /// What the channel said last of a number with which nothing is wrong.
    pub notice: Option<String>,
    /// When it was found to be well again; none if it has always been.
    pub well_since: Option<Timestamp>,
    /// What people make of its messages; none until the channel has said so.
    pub quality: Option<AccountQuality>,
    /// How many people it may write to first in 24 hours, in the channel's word, such as `TIER_1K`.
    pub limit: Option<String>,
    /// How fast it sends since the channel slowed it down.
    pub pace: Option<Pace>,
}

/// How a number is at some time, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSummary {
    /// Whether it can send.
    pub state: HealthState,
    /// Why it cannot, or not freely.
    pub reason: Option<HealthReason>,
    /// The same in the channel's sentence.
    pub message: Option<String>,
    /// Since when it is in its state; none if it has always been.
    pub since: Option<Timestamp>,
    /// What people make of its messages; none until the channel has said so.
    pub quality: Option<AccountQuality>,
    /// How many people it may write to first in 24 hours, in the channel's word, such as `TIER_1K`.
    pub limit: Option<String>,
    /// How fast it may send; none where it is not slowed down.
    pub pace: Option<Rate>,
}

/// What is found out of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthReport {
    /// A message of it was refused, or all of it is, for this reason and in these words.
    Refused(HealthReason, String),
    /// The same of a message that the channel had taken.
    FailedLater(HealthReason, String),
    /// The channel has taken a message, or refused it as a message.
    Answered,
    /// The channel reports a message as sent.
    Sent,
    /// It is limited for this reason and in these words, perhaps until a time.
    Restricted(HealthReason, String, Option<Timestamp>),
    /// A limit has come to its end.
    RestrictionEnded,
    /// The channel takes back that it restricted the account.
    RestrictionLifted,
    /// The channel takes back what it did to the account.
    Reinstated,
    /// An operator says that all is well.
    Reconnected,
    /// Something to know, which changes nothing.
    Notice(String),
    /// What people make of it, and what it may do from now on.
    Rated(Option<AccountQuality>, Option<String>),
}

/// A number as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSnapshot {
    /// Its id.
    pub id: AccountId,
    /// The number.
    pub phone_number: String,
    /// What people see it called.
    pub display_name: String,
    /// The network behind it.
    pub channel: ChannelKind,
    /// How it is.
    pub health: HealthSummary,
}

impl HealthReason {
    /// Whether it is the account that the channel has acted against, which it can take back.
    const fn is_of_the_account(self) -> bool {
        matches!(
            self,
            Self::AccountDisabled
                | Self::AccountLocked
                | Self::AccountRestricted
                | Self::Disconnected
                | Self::PolicyViolation
        )
    }
}

impl Hold {
    /// Whether a refusal for this reason says nothing new: of an account that was disconnected, tokens and numbers are
    /// refused, and why it was disconnected stays known.
    fn explains(&self, reason: HealthReason) -> bool {
        let follows = matches!(
            reason,
            HealthReason::TokenRefused
                | HealthReason::PermissionMissing
                | HealthReason::NotRegistered
        );
        self.reason == reason || (self.reason == HealthReason::Disconnected && follows)
    }
}

impl Restriction {
    /// Whether it still holds.
    #[must_use]
    pub fn holds_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

impl Health {
    /// Of a number of which nothing is known.
    pub const UNKNOWN: Self = Self {
        hold: None,
        restriction: None,
        notice: None,
        well_since: None,
        quality: None,
        limit: None,
        pace: None,
    };

    /// The limit that holds at this time.
    #[must_use]
    pub fn restriction_at(&self, now: Timestamp) -> Option<&Restriction> {
        self.restriction.as_ref().filter(|it| it.holds_at(now))
    }

    /// As it is shown at this time: held before restricted before well.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> HealthSummary {
        let pace = self.pace.and_then(|pace| pace.at(now));
        HealthSummary { pace, ..self.with(self.restriction_at(now)) }
    }

    /// The same as it is recorded: that a restriction has come to its end is noted within a minute.
    #[must_use]
    pub fn recorded(&self) -> HealthSummary {
        self.with(self.restriction.as_ref())
    }

    fn with(&self, restriction: Option<&Restriction>) -> HealthSummary {
        let (state, reason, message, since) = match (&self.hold, restriction) {
            (Some(Hold { reason, message, since, .. }), _) => {
                (HealthState::Held, Some(*reason), Some(message.clone()), Some(*since))
            }
            (None, Some(Restriction { reason, message, since, .. })) => {
                (HealthState::Restricted, Some(*reason), Some(message.clone()), Some(*since))
            }
            (None, None) => {
                let ended = self.restriction.as_ref().and_then(|it| it.until);
                (HealthState::Ok, None, self.notice.clone(), ended.max(self.well_since))
            }
        };
        HealthSummary {
            state,
            reason,
            message,
            since,
            quality: self.quality,
            limit: self.limit.clone(),
            pace: None,
        }
    }

    /// What a report of `at` makes of it; none where that changes nothing.
    #[must_use]
    pub fn after(&self, report: HealthReport, at: Timestamp) -> Option<Self> {
        let mut next = self.clone();
        match report {
            HealthReport::Refused(reason, message) => next.refuse(reason, &message, at),
            HealthReport::FailedLater(reason, message) => next.fail_later(reason, &message, at),
            HealthReport::Answered => {
                if self.hold.as_ref().is_some_and(|hold| !hold.by_status) {
                    next.end_hold(at);
                }
            }
            HealthReport::Sent => {
                let newer = |hold: &Hold| hold.by_status && at > hold.since.plus(SECOND);
                if self.hold.as_ref().is_some_and(newer) {
                    next.end_hold(at);
                }
            }
            HealthReport::Restricted(reason, message, until) => {
                let same = self.restriction_at(at).filter(|it| it.reason == reason);
                let since = same.map_or(at, |it| it.since);
                let message = cut(&message, MAX_MESSAGE_LENGTH);
                let new = Restriction { reason, message, since, until };
                if new.holds_at(at) {
                    next.restriction = Some(new);
                }
            }
            HealthReport::RestrictionEnded => {
                if self.restriction.as_ref().is_some_and(|it| !it.holds_at(at)) {
                    next.end_restriction(at);
                }
            }
            HealthReport::RestrictionLifted => {
                let is_theirs = |it: &Restriction| it.reason == HealthReason::AccountRestricted;
                if self.restriction.as_ref().is_some_and(is_theirs) {
                    next.end_restriction(at);
                }
            }
            HealthReport::Reinstated => {
                if self.hold.as_ref().is_some_and(|it| it.reason.is_of_the_account()) {
                    next.end_hold(at);
                }
                if self.restriction.as_ref().is_some_and(|it| it.reason.is_of_the_account()) {
                    next.end_restriction(at);
                }
            }
            HealthReport::Reconnected => {
                (next.hold, next.restriction, next.notice) = (None, None, None);
                if self.hold.is_some() || self.restriction.is_some() {
                    next.well_since = Some(at);
                }
            }
            HealthReport::Notice(message) => {
                if self.hold.is_none() && self.restriction_at(at).is_none() {
                    next.notice = Some(cut(&message, MAX_MESSAGE_LENGTH));
                }
            }
            HealthReport::Rated(quality, limit) => {
                next.quality = quality.or(next.quality);
                next.limit = limit.map(|it| cut(&it, MAX_LIMIT_LENGTH)).or(next.limit);
            }
        }
        (next != *self).then_some(next)
    }

    fn refuse(&mut self, reason: HealthReason, message: &str, at: Timestamp) {
        // The channel's sentences of a token name the time, and so differ each time.
        let is_known = self.hold.as_ref().is_some_and(|hold| hold.explains(reason));
        if is_known || self.bars_a_country(reason, at) {
            return;
        }
        let since = self.hold.as_ref().map_or(at, |hold| hold.since);
        let message = cut(message, MAX_MESSAGE_LENGTH);
        self.hold = Some(Hold { reason, message, since, by_status: false });
        self.notice = None;
    }

    /// What failed before the number was well again says nothing of now, nor what a person's country does.
    fn fail_later(&mut self, reason: HealthReason, message: &str, at: Timestamp) {
        let is_late = self.well_since.is_some_and(|since| at <= since);
        if is_late || self.hold.is_some() || reason == HealthReason::CountryRestricted {
            return;
        }
        let message = cut(message, MAX_MESSAGE_LENGTH);
        self.hold = Some(Hold { reason, message, since: at, by_status: true });
        self.notice = None;
    }

    /// Whether that is the reason, and it is known already that the number may not write to some country.
    fn bars_a_country(&self, reason: HealthReason, at: Timestamp) -> bool {
        let country = HealthReason::CountryRestricted;
        reason == country && self.restriction_at(at).is_some_and(|it| it.reason == country)
    }

    fn end_hold(&mut self, at: Timestamp) {
        let Some(hold) = self.hold.take() else { return };
        self.well_since = Some(at);
        // Who is elsewhere can be written to: from now on it is a matter of single messages.
        if hold.reason == HealthReason::CountryRestricted && self.restriction_at(at).is_none() {
            let until = Some(at.plus(COUNTRY_RESTRICTION));
            let Hold { reason, message, .. } = hold;
            self.restriction = Some(Restriction { reason, message, since: at, until });
        }
    }

    fn end_restriction(&mut self, at: Timestamp) {
        if let Some(ended) = self.restriction.take() {
            self.well_since = self.well_since.max(Some(ended.until.map_or(at, |it| it.min(at))));
            self.notice = None;
        }
    }
}

/// PostgreSQL keeps no NUL.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it == '\0' { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests;
