//! Whether a number can send (`docs/contract.md#health-of-a-number`).

use super::ChannelKind;
use crate::id::AccountId;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

/// While a number is held, one message is tried this often.
pub const PROBE_INTERVAL: Duration = Duration::from_mins(1);
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

/// How a number is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
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
}

/// What the channel reports of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthReport {
    /// It is refused.
    Refused(HealthReason, String),
    /// It is limited.
    Restricted(HealthReason, String),
    /// It is as before.
    Reinstated,
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
    pub health: Health,
}

impl Health {
    /// Of a number of which nothing is known.
    pub const UNKNOWN: Self = Self {
        state: HealthState::Ok,
        reason: None,
        message: None,
        since: None,
        quality: None,
        limit: None,
    };

    /// What a report of `at` makes of it; none where that changes nothing.
    #[must_use]
    pub fn after(&self, report: HealthReport, at: Timestamp) -> Option<Self> {
        let mut next = self.clone();
        match report {
            // Meta's sentences of a token name the time, and so differ each time.
            HealthReport::Refused(reason, _)
                if self.state == HealthState::Held && self.reason == Some(reason) =>
            {
                return None;
            }
            HealthReport::Refused(reason, message) => {
                next.come_to(HealthState::Held, Some((reason, message)), at);
            }
            // What is held stays so until a message gets through.
            HealthReport::Restricted(..) if self.state == HealthState::Held => return None,
            HealthReport::Restricted(reason, message) => {
                next.come_to(HealthState::Restricted, Some((reason, message)), at);
            }
            HealthReport::Reinstated => next.come_to(HealthState::Ok, None, at),
            HealthReport::Notice(message) => next.message = Some(cut(&message, MAX_MESSAGE_LENGTH)),
            HealthReport::Rated(quality, limit) => {
                next.quality = quality.or(next.quality);
                next.limit = limit.map(|it| cut(&it, MAX_LIMIT_LENGTH)).or(next.limit);
            }
        }
        (next != *self).then_some(next)
    }

    fn come_to(&mut self, state: HealthState, why: Option<(HealthReason, String)>, at: Timestamp) {
        if self.state != state {
            (self.state, self.since) = (state, Some(at));
        }
        (self.reason, self.message) = why.unzip();
        self.message = self.message.take().map(|it| cut(&it, MAX_MESSAGE_LENGTH));
    }
}

/// PostgreSQL keeps no NUL.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).map(|it| if it == '\0' { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> HealthReport {
        HealthReport::Refused(HealthReason::TokenRefused, "Session has expired".to_owned())
    }

    #[test]
    fn a_number_is_held_until_something_gets_through() {
        let at = Timestamp::from_seconds;
        let held = Health::UNKNOWN.after(refused(), at(1)).unwrap();
        assert_eq!((held.state, held.since), (HealthState::Held, Some(at(1))));
        let again = HealthReport::Refused(HealthReason::TokenRefused, "Another minute".to_owned());
        assert_eq!(held.after(again, at(2)), None, "a repeat changes nothing");
        let restricted = HealthReport::Restricted(HealthReason::Alert, String::new());
        assert_eq!(held.after(restricted.clone(), at(2)), None);
        let other = HealthReport::Refused(HealthReason::AccountLocked, "Locked".to_owned());
        let other = held.after(other, at(2)).unwrap();
        assert_eq!((other.since, other.reason), (Some(at(1)), Some(HealthReason::AccountLocked)));
        let well = held.after(HealthReport::Reinstated, at(3)).unwrap();
        assert_eq!((well.state, well.reason, well.message.as_ref()), (HealthState::Ok, None, None));
        assert_eq!(well.since, Some(at(3)));
        let limited = well.after(restricted, at(4)).unwrap();
        assert_eq!(limited.state, HealthState::Restricted);
        assert!(limited.after(refused(), at(5)).is_some());
    }

    #[test]
    fn quality_and_limit_are_kept_apart_from_the_state() {
        let at = Timestamp::from_seconds(1);
        let rated = HealthReport::Rated(Some(AccountQuality::Low), None);
        let low = Health::UNKNOWN.after(rated.clone(), at).unwrap();
        assert_eq!((low.quality, low.state), (Some(AccountQuality::Low), HealthState::Ok));
        assert_eq!(low.after(rated, at), None);
        let limit = HealthReport::Rated(None, Some("TIER_1K".to_owned()));
        let limited = low.after(limit, at).unwrap();
        let limit = limited.limit.as_deref();
        assert_eq!((limited.quality, limit), (Some(AccountQuality::Low), Some("TIER_1K")));
        let noted = limited.after(HealthReport::Notice("x\0".repeat(500)), at).unwrap();
        assert_eq!(noted.message.unwrap(), "x\u{fffd}".repeat(250));
    }
}
