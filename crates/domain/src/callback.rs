//! Callbacks of the channel: what their parts are, the result of each, and when one is retried.

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// What a part of a callback is about. These are our words: a label of a metric is never one of the
    /// channel's own.
    pub enum CallbackKind {
        /// A message from a person.
        Message = "message",
        /// The status of a message of ours.
        Status = "status",
        /// An error that the channel reports beside messages.
        Error = "error",
        /// A template was approved, rejected, paused, disabled.
        TemplateStatus = "template_status",
        /// Something else about a template: its quality, its category, its components.
        Template = "template",
        /// The business's account at the channel.
        Account = "account",
        /// A connected number.
        PhoneNumber = "phone_number",
        /// Something about a person: preferences, a new id.
        Person = "person",
        /// A message that the business sent from elsewhere.
        Echo = "echo",
        /// Messages and contacts from before the number was connected.
        History = "history",
        /// A flow.
        Flow = "flow",
        /// A call.
        Call = "call",
        /// A group, or something in one.
        Group = "group",
        /// Of a kind that this version does not know.
        Unknown = "unknown",
        /// Nothing of it could be read.
        Unreadable = "unreadable",
    }
}

keywords! {
    /// The result of a part of a callback.
    pub enum CallbackOutcome {
        /// What it says has been done, or had been before.
        Worked = "worked",
        /// It is kept as a dead letter.
        DeadLettered = "dead_lettered",
        /// It is about something that this service does not do.
        Ignored = "ignored",
    }
}

keywords! {
    /// Why a part of a callback is kept as a dead letter.
    pub enum DeadLetterReason {
        /// It is not JSON of the shape that the channel documents.
        Unreadable = "unreadable",
        /// It is of a kind, or holds a word, that this version does not know.
        NotUnderstood = "not_understood",
        /// It comes from a person whose phone number it does not tell.
        NoPhoneNumber = "no_phone_number",
        /// Its number or its business is not connected.
        UnknownAccount = "unknown_account",
        /// Its message is not known.
        UnknownMessage = "unknown_message",
        /// Its person is not known.
        UnknownContact = "unknown_contact",
        /// Its template is not known.
        UnknownTemplate = "unknown_template",
    }
}

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// How long dead letters are kept at most.
pub const DEAD_LETTER_RETENTION: Duration = Duration::from_hours(90 * 24);

/// How often a message is looked up that a status names: its id on the channel may be about to be stored.
pub const MAX_LOOKUPS: u32 = 6;
/// How long to wait between two look-ups.
pub const LOOKUP_DELAY: Duration = Duration::from_secs(10);

/// How long a change of a message waits for the message: the channel reports in no order, and repeats for as long what was
/// not answered.
const CHANGE_WAIT: Duration = Duration::from_hours(24);
/// How long to wait at most between two look-ups of a message that was changed.
const LONGEST_LOOKUP_DELAY: Duration = Duration::from_mins(10);

/// When to look again for the message that a change names, which was received at `received_at` and has been looked up so
/// often; nothing if it has waited for long enough.
#[must_use]
pub fn next_lookup_of_changed(
    received_at: Timestamp,
    lookups: u32,
    now: Timestamp,
) -> Option<Timestamp> {
    let delay = LOOKUP_DELAY.saturating_mul(1 << lookups.min(10)).min(LONGEST_LOOKUP_DELAY);
    (now.since(received_at) < CHANGE_WAIT).then(|| now.plus(delay))
}

/// When to try a callback again that could not be processed after so many attempts. It is never given up:
/// the waits double from one second to thirty, of which up to a quarter is left to chance (`jitter`).
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
