//! The health of an account: whether it can send (`docs/contract.md#health-of-a-number`).

use super::ChannelKind;
use super::pace::{Pace, Rate};
use crate::id::AccountId;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

/// While an account is held, one of its messages is sent as a test in each interval of this length.
pub const PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// How long the channel is assumed to refuse messages to some countries. After that time, the next
/// message to a contact in such a country shows whether the channel still refuses it.
pub const COUNTRY_RESTRICTION: Duration = Duration::from_hours(24);
/// The channel reports times in whole seconds. A message that is reported as sent ends a hold only
/// if the report is more than one second later than the start of the hold.
const SECOND: Duration = Duration::from_secs(1);
/// Maximum number of stored characters of the explanation that the channel gives.
const MAX_MESSAGE_LENGTH: usize = 500;
/// Maximum number of stored characters of the keyword with which the channel names an account's
/// limit.
const MAX_LIMIT_LENGTH: usize = 50;

keywords! {
    /// Whether an account can send messages.
    pub enum HealthState {
        /// The account can send.
        Ok = "ok",
        /// The channel refuses the account as a whole, not only a single message. The account's
        /// messages wait.
        Held = "held",
        /// The account can send, but the channel has set limits.
        Restricted = "restricted",
    }
}

keywords! {
    /// The reason why an account is held or restricted.
    pub enum HealthReason {
        /// The channel refuses the access token, for example because it has expired or was
        /// withdrawn.
        TokenRefused = "token_refused",
        /// The access token lacks a permission that sending needs.
        PermissionMissing = "permission_missing",
        /// The channel has blocked the account because of its messages.
        PolicyViolation = "policy_violation",
        /// The channel does not let the account write to contacts in some country.
        CountryRestricted = "country_restricted",
        AccountLocked = "account_locked",
        /// The organization has not paid the channel's bill.
        PaymentRequired = "payment_required",
        /// The number is not registered with the channel.
        NotRegistered = "not_registered",
        /// The channel has not yet approved the name that contacts see for the number.
        NameNotApproved = "name_not_approved",
        /// At the channel, the account was disconnected from this service or from the channel's
        /// API.
        Disconnected = "disconnected",
        /// The channel has disabled the account, or has announced that it will.
        AccountDisabled = "account_disabled",
        /// The channel has restricted the account.
        AccountRestricted = "account_restricted",
        /// The channel has raised a critical alert about the account.
        Alert = "alert",
    }
}

keywords! {
    /// The quality of an account's messages, as the channel measures it.
    pub enum AccountQuality {
        Ok = "ok",
        /// Too many recipients blocked or reported the account's number.
        Low = "low",
    }
}

/// The state of an account that the channel refuses. The account's messages wait until the hold
/// ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    pub reason: HealthReason,
    /// The explanation that the channel gives for the refusal.
    pub message: String,
    pub since: Timestamp,
    /// Whether the hold comes from a message that the channel first accepted and later reported as
    /// failed. If so, an accepted message does not prove that the account can send again. A message
    /// that is reported as sent does.
    pub by_status: bool,
}

/// A limit that the channel put on what an account may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    pub reason: HealthReason,
    /// The explanation that the channel gives for the restriction.
    pub message: String,
    pub since: Timestamp,
    /// The end of the restriction, if the channel has given one.
    pub until: Option<Timestamp>,
}

/// The known health of an account. A hold and a restriction are independent of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHealth {
    /// The hold, or `None` if the account is not held.
    pub hold: Option<Hold>,
    /// The restriction, which may have ended already. [`AccountHealth::restriction_at`] returns it
    /// only while it applies.
    pub restriction: Option<Restriction>,
    /// The channel's last notice about the account. The notice is shown only while the account is
    /// neither held nor restricted.
    pub notice: Option<String>,
    /// The end of the last hold or restriction, or `None` if there was none.
    pub well_since: Option<Timestamp>,
    /// The quality, or `None` if the channel has not reported it yet.
    pub quality: Option<AccountQuality>,
    /// The limit for the number of new contacts to which the account may write in 24 hours, as the
    /// channel's keyword, such as `TIER_1K`.
    pub limit: Option<String>,
    /// The send rate to which the channel slowed the account down, if it did.
    pub pace: Option<Pace>,
}

/// The health of an account at one time, as the API and the pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSummary {
    pub state: HealthState,
    /// The reason if the account is held or restricted.
    pub reason: Option<HealthReason>,
    /// The channel's explanation or notice.
    pub message: Option<String>,
    /// The start of the current state, or `None` if the account has always been in that state.
    pub since: Option<Timestamp>,
    /// The quality, or `None` if the channel has not reported it yet.
    pub quality: Option<AccountQuality>,
    /// The limit for the number of new contacts to which the account may write in 24 hours, as the
    /// channel's keyword, such as `TIER_1K`.
    pub limit: Option<String>,
    /// The current limit of the send rate, if the channel slowed the account down.
    pub pace: Option<Rate>,
}

/// A report about the health of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthReport {
    /// The channel refused a message because of the account, or refuses the whole account, with
    /// this reason and the channel's explanation.
    Refused(HealthReason, String),
    /// A message that the channel had accepted failed later because of the account, with this
    /// reason and the channel's explanation.
    FailedLater(HealthReason, String),
    /// The channel accepted a message, or refused it for a reason that lies in the message itself.
    Answered,
    /// The channel reported a message as sent.
    Sent,
    /// The channel restricted the account, with this reason, the channel's explanation, and the end
    /// if it is known.
    Restricted(HealthReason, String, Option<Timestamp>),
    /// The time at which the restriction ends has passed.
    RestrictionEnded,
    /// The channel withdrew the restriction of the account before its end.
    RestrictionLifted,
    /// The channel lifted its measures against the account.
    Reinstated,
    /// An operator declared the account healthy.
    Reconnected,
    /// The channel sent a notice that does not change whether the account can send.
    Notice(String),
    /// The channel reported the quality, the limit for new contacts, or both.
    Rated(Option<AccountQuality>, Option<String>),
}

/// An account as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSnapshot {
    pub id: AccountId,
    pub phone_number: String,
    /// The name of the account that contacts see.
    pub display_name: String,
    pub channel: ChannelKind,
    pub health: HealthSummary,
}

impl HealthReason {
    /// Whether a hold or restriction for this reason is a measure of the channel against the
    /// account. [`HealthReport::Reinstated`] ends such a measure.
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
    /// Whether a refusal for this reason follows from the hold. A disconnected account is also
    /// refused because of its token and its number. In that case, `Disconnected` stays the reason
    /// of the hold.
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
    /// Whether the restriction still applies at `now`.
    #[must_use]
    pub fn holds_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

impl AccountHealth {
    /// The health of an account about which nothing is known.
    pub const UNKNOWN: Self = Self {
        hold: None,
        restriction: None,
        notice: None,
        well_since: None,
        quality: None,
        limit: None,
        pace: None,
    };

    /// Returns the restriction that applies at `now`.
    #[must_use]
    pub fn restriction_at(&self, now: Timestamp) -> Option<&Restriction> {
        self.restriction.as_ref().filter(|it| it.holds_at(now))
    }

    /// Returns the health shown at `now`. A hold takes precedence over a restriction.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> HealthSummary {
        let pace = self.pace.and_then(|pace| pace.at(now));
        HealthSummary { pace, ..self.with(self.restriction_at(now)) }
    }

    /// Returns the health as the database records it. The result does not depend on the current
    /// time: a restriction counts until a worker records its end, at most a minute too late.
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

    /// Applies a report that was made at `at`. Returns `None` if the report changes nothing.
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
                let message = truncate(&message, MAX_MESSAGE_LENGTH);
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
                    next.notice = Some(truncate(&message, MAX_MESSAGE_LENGTH));
                }
            }
            HealthReport::Rated(quality, limit) => {
                next.quality = quality.or(next.quality);
                next.limit = limit.map(|it| truncate(&it, MAX_LIMIT_LENGTH)).or(next.limit);
            }
        }
        (next != *self).then_some(next)
    }

    fn refuse(&mut self, reason: HealthReason, message: &str, at: Timestamp) {
        // The explanations are not compared. The channel's explanations about a token contain the
        // current time, so they always differ.
        let is_known = self.hold.as_ref().is_some_and(|hold| hold.explains(reason));
        if is_known || self.bars_a_country(reason, at) {
            return;
        }
        let since = self.hold.as_ref().map_or(at, |hold| hold.since);
        let message = truncate(message, MAX_MESSAGE_LENGTH);
        self.hold = Some(Hold { reason, message, since, by_status: false });
        self.notice = None;
    }

    /// Holds the account because an accepted message failed later. Does nothing if the account is
    /// already held, if the failure is not newer than the last recovery, or if the reason is the
    /// recipient's country.
    fn fail_later(&mut self, reason: HealthReason, message: &str, at: Timestamp) {
        let is_late = self.well_since.is_some_and(|since| at <= since);
        if is_late || self.hold.is_some() || reason == HealthReason::CountryRestricted {
            return;
        }
        let message = truncate(message, MAX_MESSAGE_LENGTH);
        self.hold = Some(Hold { reason, message, since: at, by_status: true });
        self.notice = None;
    }

    /// Whether a message was refused because of its recipient's country, and the account is already
    /// restricted because of countries.
    fn bars_a_country(&self, reason: HealthReason, at: Timestamp) -> bool {
        let country = HealthReason::CountryRestricted;
        reason == country && self.restriction_at(at).is_some_and(|it| it.reason == country)
    }

    fn end_hold(&mut self, at: Timestamp) {
        let Some(hold) = self.hold.take() else { return };
        self.well_since = Some(at);
        // The hold has ended because a message was accepted, so the account can reach contacts in
        // other countries. The account is therefore restricted, not held. From then on, a refusal
        // for a country concerns only its message.
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

/// Shortens a text to `most` characters, and replaces NUL characters, which PostgreSQL cannot
/// store.
fn truncate(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it == '\0' { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests;
