//! The health of an account: whether it can send (`docs/contract.md#health-of-a-number`).

use super::ChannelKind;
use super::pace::{Pace, Rate};
use crate::id::AccountId;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

/// The interval at which one message is sent as a test while an account is held.
pub const PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// How long a country restriction is assumed to last. After that, a send tests it again.
pub const COUNTRY_RESTRICTION: Duration = Duration::from_hours(24);
/// The resolution of the channel's times. The status of a message proves that a hold has ended only
/// if it is later by more than this.
const SECOND: Duration = Duration::from_secs(1);
/// Maximum number of stored characters of the channel's explanation.
const MAX_MESSAGE_LENGTH: usize = 500;
/// Maximum number of stored characters of the channel's name for a limit.
const MAX_LIMIT_LENGTH: usize = 50;

keywords! {
    /// Whether an account can send.
    pub enum HealthState {
        /// The account can send.
        Ok = "ok",
        /// The channel refuses the account, not a single message. The account's messages wait.
        Held = "held",
        /// The account can send, with limits set by the channel.
        Restricted = "restricted",
    }
}

keywords! {
    /// The reason why an account is held or restricted.
    pub enum HealthReason {
        /// The access token has expired, was withdrawn, or is not a token.
        TokenRefused = "token_refused",
        /// The token lacks a permission.
        PermissionMissing = "permission_missing",
        /// The channel has blocked the account because of its messages.
        PolicyViolation = "policy_violation",
        /// The account may not write to contacts in some country.
        CountryRestricted = "country_restricted",
        AccountLocked = "account_locked",
        /// The channel's bill is unpaid.
        PaymentRequired = "payment_required",
        /// The number is not registered with the channel.
        NotRegistered = "not_registered",
        /// The channel has not approved the name of the number yet.
        NameNotApproved = "name_not_approved",
        /// The account was disconnected at the channel, from this service or from the channel's
        /// API.
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
    /// The quality of an account's messages, as the channel measures it.
    pub enum AccountQuality {
        Ok = "ok",
        /// Too many recipients blocked or reported the account.
        Low = "low",
    }
}

/// The refusal of an account by the channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    pub reason: HealthReason,
    /// The channel's explanation.
    pub message: String,
    pub since: Timestamp,
    /// Whether the hold comes from a message that the channel first accepted and then reported as
    /// failed. If so, an accepted message does not prove that the account can send again.
    pub by_status: bool,
}

/// A limit that the channel put on what an account may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    pub reason: HealthReason,
    /// The channel's explanation.
    pub message: String,
    pub since: Timestamp,
    /// The end of the restriction, if the channel has given one.
    pub until: Option<Timestamp>,
}

/// The known health of an account. A hold and a restriction are independent of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHealth {
    /// The hold, while the account is held.
    pub hold: Option<Hold>,
    /// The restriction, which may have ended. [`AccountHealth::restriction_at`] checks that.
    pub restriction: Option<Restriction>,
    /// The channel's last notice, if the account is neither held nor restricted.
    pub notice: Option<String>,
    /// The end of the last hold or restriction, or nothing if there was none.
    pub well_since: Option<Timestamp>,
    /// The quality, once the channel has reported it.
    pub quality: Option<AccountQuality>,
    /// How many new contacts the account may write to in 24 hours, as the channel's keyword, such
    /// as `TIER_1K`.
    pub limit: Option<String>,
    /// The reduced send rate, if the channel slowed the account down.
    pub pace: Option<Pace>,
}

/// The health of an account at one time, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSummary {
    pub state: HealthState,
    /// The reason if the account is held or restricted.
    pub reason: Option<HealthReason>,
    /// The channel's explanation or notice.
    pub message: Option<String>,
    /// The start of the current state, or nothing if the account has always been in it.
    pub since: Option<Timestamp>,
    /// The quality, once the channel has reported it.
    pub quality: Option<AccountQuality>,
    /// How many new contacts the account may write to in 24 hours, as the channel's keyword, such
    /// as `TIER_1K`.
    pub limit: Option<String>,
    /// The current send rate, if the account is slowed down.
    pub pace: Option<Rate>,
}

/// A report about the health of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthReport {
    /// The channel refused a message or the whole account, with this reason and explanation.
    Refused(HealthReason, String),
    /// A message that the channel had accepted failed later, with this reason and explanation.
    FailedLater(HealthReason, String),
    /// The channel accepted a message, or refused it for a reason of the message itself.
    Answered,
    /// The channel reports a message as sent.
    Sent,
    /// The account is restricted, with this reason and explanation, and an end if one is known.
    Restricted(HealthReason, String, Option<Timestamp>),
    /// The end of the restriction has passed.
    RestrictionEnded,
    /// The channel withdrew the restriction of the account.
    RestrictionLifted,
    /// The channel lifted its measures against the account.
    Reinstated,
    /// An operator declared the account healthy.
    Reconnected,
    /// A notice that does not change the state.
    Notice(String),
    /// The quality and the limit, as far as the channel named them.
    Rated(Option<AccountQuality>, Option<String>),
}

/// An account as events show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSnapshot {
    pub id: AccountId,
    pub phone_number: String,
    /// The name that contacts see.
    pub display_name: String,
    pub channel: ChannelKind,
    pub health: HealthSummary,
}

impl HealthReason {
    /// Whether a hold or restriction for this reason is the channel's measure against the account,
    /// which a reinstatement ends.
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
    /// Whether the hold already explains a refusal for this reason. A disconnected account is also
    /// refused because of its token and its number. `Disconnected` then stays the reason of the
    /// hold.
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
    /// Whether the restriction applies at `now`.
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

    /// Returns the health that is stored. It does not depend on the time: a worker records the end
    /// of a restriction within a minute.
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

    /// Applies a report made at `at`. Returns nothing if the report changes nothing.
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
        // The text is not compared, because the channel's texts about a token contain the time.
        let is_known = self.hold.as_ref().is_some_and(|hold| hold.explains(reason));
        if is_known || self.bars_a_country(reason, at) {
            return;
        }
        let since = self.hold.as_ref().map_or(at, |hold| hold.since);
        let message = truncate(message, MAX_MESSAGE_LENGTH);
        self.hold = Some(Hold { reason, message, since, by_status: false });
        self.notice = None;
    }

    /// Holds the account, unless the failure is from before the last recovery or is due to the
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

    /// Whether the refusal is for the recipient's country and the account is already restricted
    /// because of countries.
    fn bars_a_country(&self, reason: HealthReason, at: Timestamp) -> bool {
        let country = HealthReason::CountryRestricted;
        reason == country && self.restriction_at(at).is_some_and(|it| it.reason == country)
    }

    fn end_hold(&mut self, at: Timestamp) {
        let Some(hold) = self.hold.take() else { return };
        self.well_since = Some(at);
        // The account can reach contacts in other countries. It is therefore restricted instead of
        // held, and a refusal for a country is only about its message.
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

/// Shortens a text to `most` characters and replaces NUL, which PostgreSQL cannot store.
fn truncate(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it == '\0' { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests;
