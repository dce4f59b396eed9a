//! The channel's callbacks: the kinds of their parts, the result of processing each part, and the
//! time of the next attempt to process a part.

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// The subject of a part of a callback. The keywords are labels of metrics. All labels are
    /// fixed here. A word that the channel sent never becomes a label.
    pub enum CallbackKind {
        /// A message from a contact.
        Message = "message",
        /// A change of the status of a message that the organization sent.
        Status = "status",
        /// An error that the channel reports besides messages and statuses.
        Error = "error",
        /// A template was approved, rejected, paused or disabled.
        TemplateStatus = "template_status",
        /// Another change of a template: its quality, its category or its components.
        Template = "template",
        /// A report about the organization's business account at the channel.
        Account = "account",
        /// A report about a connected number.
        PhoneNumber = "phone_number",
        /// A change of a contact: the marketing preference or the user id.
        Person = "person",
        /// A message that the organization sent through another client, such as its phone.
        Echo = "echo",
        /// A change of control of a conversation.
        Handover = "handover",
        /// Messages and contacts from before the account was connected.
        History = "history",
        Flow = "flow",
        Call = "call",
        /// A report about a group, or about something in a group.
        Group = "group",
        /// The part has a kind that this version of Switchboard does not know.
        Unknown = "unknown",
        /// The callback as a whole. None of its parts could be read.
        Unreadable = "unreadable",
    }
}

keywords! {
    /// The result of processing a part of a callback.
    pub enum CallbackOutcome {
        /// The report has been applied, by this attempt or an earlier one.
        Worked = "worked",
        /// The part could not be processed, and is kept as a dead letter.
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
        /// The part has a kind, or contains a keyword, that this version of Switchboard does not
        /// know.
        NotUnderstood = "not_understood",
        /// The part does not contain the contact's phone number, which this report needs.
        NoPhoneNumber = "no_phone_number",
        /// The part names a number or a business account that is not connected here.
        UnknownAccount = "unknown_account",
        UnknownMessage = "unknown_message",
        UnknownContact = "unknown_contact",
        UnknownTemplate = "unknown_template",
    }
}

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// How long dead letters are kept.
pub const DEAD_LETTER_RETENTION: Duration = Duration::from_hours(90 * 24);

/// Maximum number of times that the message named in a status report is looked up. A look-up fails
/// while the channel's id of the message is not stored yet.
pub const MAX_LOOKUPS: u32 = 6;
/// The time between two look-ups of the message that a status report names.
pub const LOOKUP_DELAY: Duration = Duration::from_secs(10);

/// How long a reported edit or deletion of a message waits for the message itself. The channel may
/// report the change before the message. The channel also repeats a callback for 24 hours if it
/// gets no answer.
const CHANGE_WAIT: Duration = Duration::from_hours(24);
/// Maximum time between two look-ups of the message that was edited or deleted.
const LONGEST_LOOKUP_DELAY: Duration = Duration::from_mins(10);

/// Returns the time of the next look-up of the message that a reported edit or deletion is about.
/// The report was received at `received_at`, and its message was looked up `lookups` times. Returns
/// `None` if the report has waited for the maximum time.
#[must_use]
pub fn next_lookup_of_changed(
    received_at: Timestamp,
    lookups: u32,
    now: Timestamp,
) -> Option<Timestamp> {
    let delay = LOOKUP_DELAY.saturating_mul(1 << lookups.min(10)).min(LONGEST_LOOKUP_DELAY);
    (now.since(received_at) < CHANGE_WAIT).then(|| now.plus(delay))
}

/// Returns the time of the next attempt to process a callback, after `attempts` failed attempts.
/// Attempts never end. The wait doubles from one second to thirty seconds, and is shortened by a
/// random part of up to a quarter. `jitter` (0 to 255) is the random number.
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
