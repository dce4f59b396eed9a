//! The channel's callbacks: the kinds of their parts, the result of each part, and the time of the
//! next attempt at a part.

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// The subject of a part of a callback. The keywords are labels of metrics, so they are ours
    /// and never the channel's.
    pub enum CallbackKind {
        /// A message from a contact.
        Message = "message",
        /// The status of a message that we sent.
        Status = "status",
        /// An error that the channel reports in addition to messages.
        Error = "error",
        /// A template was approved, rejected, paused or disabled.
        TemplateStatus = "template_status",
        /// Another change of a template: its quality, its category or its components.
        Template = "template",
        /// The organization's business account at the channel.
        Account = "account",
        /// A connected number.
        PhoneNumber = "phone_number",
        /// A change of a contact: preferences or a new user id.
        Person = "person",
        /// A message that the organization sent through another client, such as its phone.
        Echo = "echo",
        /// A change of who controls a conversation.
        Handover = "handover",
        /// Messages and contacts from before the account was connected.
        History = "history",
        Flow = "flow",
        Call = "call",
        /// A group, or something in one.
        Group = "group",
        /// A kind that this version does not know.
        Unknown = "unknown",
        /// No part of the callback could be read.
        Unreadable = "unreadable",
    }
}

keywords! {
    /// The result of a part of a callback.
    pub enum CallbackOutcome {
        /// The report has been applied, now or earlier.
        Worked = "worked",
        /// The part is kept as a dead letter.
        DeadLettered = "dead_lettered",
        /// The part is about a feature that this service does not offer.
        Ignored = "ignored",
    }
}

keywords! {
    /// The reason why a part of a callback is kept as a dead letter.
    pub enum DeadLetterReason {
        /// The part is not JSON of the shape that the channel documents.
        Unreadable = "unreadable",
        /// The part has a kind or contains a word that this version does not know.
        NotUnderstood = "not_understood",
        /// The contact's phone number is missing.
        NoPhoneNumber = "no_phone_number",
        /// The number or the business account is not connected.
        UnknownAccount = "unknown_account",
        UnknownMessage = "unknown_message",
        UnknownContact = "unknown_contact",
        UnknownTemplate = "unknown_template",
    }
}

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// Maximum time for which dead letters are kept.
pub const DEAD_LETTER_RETENTION: Duration = Duration::from_hours(90 * 24);

/// Maximum number of look-ups of the message that a status names. The channel's id of the message
/// may not be stored yet.
pub const MAX_LOOKUPS: u32 = 6;
/// Time between two look-ups.
pub const LOOKUP_DELAY: Duration = Duration::from_secs(10);

/// How long a change of a message waits for that message. The channel reports changes in any order,
/// and for the same time it repeats callbacks that were not answered.
const CHANGE_WAIT: Duration = Duration::from_hours(24);
/// Maximum time between two look-ups of the message that a change names.
const LONGEST_LOOKUP_DELAY: Duration = Duration::from_mins(10);

/// Returns the time of the next look-up of the message that a change names. The change was received
/// at `received_at`, and its message has been looked up `lookups` times. Returns nothing if the
/// change has waited long enough.
#[must_use]
pub fn next_lookup_of_changed(
    received_at: Timestamp,
    lookups: u32,
    now: Timestamp,
) -> Option<Timestamp> {
    let delay = LOOKUP_DELAY.saturating_mul(1 << lookups.min(10)).min(LONGEST_LOOKUP_DELAY);
    (now.since(received_at) < CHANGE_WAIT).then(|| now.plus(delay))
}

/// Returns the time of the next attempt for a callback, after `attempts` failed ones. A callback is
/// never given up. The waits double from one second to thirty seconds. Each is shortened at random
/// by up to a quarter (`jitter`).
#[must_use]
pub fn next_attempt(attempts: u32, jitter: u8, now: Timestamp) -> Timestamp {
    let doubled = FIRST.saturating_mul(1 << attempts.min(5));
    let wait = doubled.min(LONGEST);
    now.plus(wait.saturating_sub(wait / 4 * u32::from(jitter) / 255))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_change_waits_for_its_message_for_a_day() {
        let received_at = Timestamp::from_seconds(1_800_000_000);
        let (mut now, mut lookups) = (received_at, 0);
        while let Some(next) = next_lookup_of_changed(received_at, lookups, now) {
            let delay = next.since(now);
            assert!(delay >= LOOKUP_DELAY && delay <= LONGEST_LOOKUP_DELAY);
            (now, lookups) = (next, lookups + 1);
        }
        assert!(now.since(received_at) >= CHANGE_WAIT && lookups < 200, "{lookups}");
    }

    proptest! {
        #[test]
        fn waits_grow_to_thirty_seconds_and_never_end(attempts: u32, jitter: u8) {
            let now = Timestamp::from_seconds(1_800_000_000);
            let wait = next_attempt(attempts, jitter, now).since(now);
            prop_assert!(wait >= Duration::from_millis(750) && wait <= LONGEST);
            prop_assert!(attempts < 5 || wait >= LONGEST * 3 / 4);
        }
    }
}
