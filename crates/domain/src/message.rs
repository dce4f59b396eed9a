//! Messages to send: the recipient, the parsed request, and the status of the message
//! (`docs/contract.md#messages`).

use crate::contact::ChannelUserId;
use crate::content::{Content, TemplateContent};
use crate::id::{ContactId, ConversationId, MessageId};
use crate::keyword::keywords;
use crate::phone::PhoneNumber;
use crate::time::Timestamp;
use crate::violation::{Fault, Field, Violations};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

keywords! {
    pub enum Direction {
        /// The message is from the organization to a contact.
        Outbound = "outbound",
        /// The message is from a contact to the organization.
        Inbound = "inbound",
    }
}

/// The recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// A phone number. There need not be a contact with this number yet.
    Phone(PhoneNumber),
    /// A user id of the channel. There need not be a contact with this id yet.
    User(ChannelUserId),
    /// A contact of one of the organization's accounts, named by its id.
    Contact(ContactId),
    /// A conversation of one of the organization's accounts, whose contact gets the message.
    Conversation(ConversationId),
}

impl fmt::Display for Recipient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phone(number) => number.fmt(out),
            Self::User(id) => id.fmt(out),
            Self::Contact(id) => id.fmt(out),
            Self::Conversation(id) => id.fmt(out),
        }
    }
}

/// The fields of a request that name the recipient of a message, or the conversation to read.
/// Exactly one must be set.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecipientFields<'a> {
    pub phone_number: Option<&'a str>,
    pub channel_user_id: Option<&'a str>,
    pub contact_id: Option<&'a str>,
    pub conversation_id: Option<&'a str>,
}

impl Recipient {
    /// Parses the fields that name the recipient. Exactly one of the four must be set.
    pub fn parse(fields: &RecipientFields<'_>, faults: &mut Violations) -> Option<Self> {
        let RecipientFields { phone_number, channel_user_id, contact_id, conversation_id } =
            *fields;
        let given = [phone_number, channel_user_id, contact_id, conversation_id];
        if given.iter().flatten().count() != 1 {
            let message = "exactly one of phone_number, channel_user_id, contact_id and conversation_id is required";
            let fault = if given.iter().flatten().next().is_none() {
                Fault::Required
            } else {
                Fault::NotAllowed
            };
            faults.add(&Field::root("phone_number"), fault, message);
            return None;
        }
        if let Some(text) = phone_number {
            return Self::phone(&Field::root("phone_number"), text, faults);
        }
        if let Some(text) = channel_user_id {
            let at = Field::root("channel_user_id");
            let parsed = ChannelUserId::parse(text);
            let parsed =
                parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string()));
            return parsed.ok().map(Self::User);
        }
        // A malformed id becomes an id that belongs to nothing. A later step then answers the
        // request with 404.
        let nobody = || MessageId::new(Timestamp::from_micros(0), [0; 10]);
        if let Some(text) = contact_id {
            let id = text.parse().unwrap_or_else(|_| ContactId::from_uuid(*nobody().uuid()));
            return Some(Self::Contact(id));
        }
        let id = conversation_id?.parse();
        let id = id.unwrap_or_else(|_| ConversationId::from_uuid(*nobody().uuid()));
        Some(Self::Conversation(id))
    }

    /// Parses the text that `Display` writes for a recipient.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if let Ok(id) = text.parse() {
            return Some(Self::Contact(id));
        }
        if let Ok(id) = text.parse() {
            return Some(Self::Conversation(id));
        }
        if text.starts_with('+') {
            return PhoneNumber::parse(text).ok().map(Self::Phone);
        }
        ChannelUserId::parse(text).ok().map(Self::User)
    }

    /// Parses a phone number as the recipient.
    pub fn phone(at: &Field<'_>, text: &str, faults: &mut Violations) -> Option<Self> {
        let parsed = PhoneNumber::parse(text);
        parsed
            .map_err(|wrong| faults.add(at, Fault::InvalidFormat, wrong.to_string()))
            .ok()
            .map(Self::Phone)
    }
}

/// Maximum number of messages in one request that sends a batch.
pub const MAX_BATCH: usize = 100;
/// Maximum number of characters in the field `client_ref`.
pub const MAX_CLIENT_REF_LENGTH: usize = 512;
pub const MAX_METADATA_KEYS: usize = 20;
/// Maximum number of characters in a key of the field `metadata`.
pub const MAX_METADATA_KEY_LENGTH: usize = 40;
/// Maximum number of characters in a value of the field `metadata`.
pub const MAX_METADATA_VALUE_LENGTH: usize = 500;

/// Checks the field `metadata`. It may have at most 20 keys. A key may have at most 40 characters,
/// and a value at most 500.
pub fn check_metadata(metadata: &BTreeMap<String, String>, faults: &mut Violations) {
    let at = Field::root("metadata");
    if metadata.len() > MAX_METADATA_KEYS {
        let message =
            format!("has {} keys; at most {MAX_METADATA_KEYS} are allowed", metadata.len());
        faults.add(&at, Fault::TooLong, message);
    }
    for (key, value) in metadata {
        if key.is_empty() || key.chars().count() > MAX_METADATA_KEY_LENGTH {
            let message = format!("a key has 1 to {MAX_METADATA_KEY_LENGTH} characters");
            faults.add(&at.key(key), Fault::TooLong, message);
        }
        if value.chars().count() > MAX_METADATA_VALUE_LENGTH {
            let message = format!("a value has at most {MAX_METADATA_VALUE_LENGTH} characters");
            faults.add(&at.key(key), Fault::TooLong, message);
        }
    }
}

/// A request to send a message, with all of its fields parsed and within their bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub recipient: Recipient,
    pub content: Content,
    /// The earlier message to which this message replies.
    pub reply_to: Option<MessageId>,
    /// The sender's own id of the message.
    pub client_ref: Option<String>,
    /// The sender's own data about the message.
    pub metadata: BTreeMap<String, String>,
    /// The template message that is sent instead if the customer service window is closed.
    pub fallback: Option<TemplateContent>,
}

/// Maximum time from now to the time for which a message is scheduled.
pub const MAX_SCHEDULE_AHEAD: Duration = Duration::from_hours(30 * 24);

/// Checks the time for which a message is scheduled. It must be after `now`, by at most
/// [`MAX_SCHEDULE_AHEAD`].
pub fn check_send_at(at: Timestamp, now: Timestamp, faults: &mut Violations) {
    let field = Field::root("send_at");
    if at <= now {
        faults.add(&field, Fault::OutOfRange, "must be in the future");
    }
    if at > now.plus(MAX_SCHEDULE_AHEAD) {
        faults.add(&field, Fault::OutOfRange, "must be at most 30 days ahead");
    }
}

keywords! {
    /// The state of a scheduled message.
    pub enum ScheduleState {
        /// The message waits until it is due.
        Scheduled = "scheduled",
        /// The message was canceled before it was due.
        Canceled = "canceled",
    }
}

keywords! {
    /// The status of a message.
    pub enum MessageStatus {
        /// The message is accepted and waits for the channel.
        Queued = "queued",
        /// The channel accepted the message.
        Sent = "sent",
        /// The message reached the contact's device.
        Delivered = "delivered",
        /// The contact read the message.
        Read = "read",
        /// The message failed, and will not reach the contact.
        Failed = "failed",
        /// The contact sent the message to the organization.
        Received = "received",
    }
}

keywords! {
    /// The reason why a message failed.
    pub enum Failure {
        /// The message was free-form, but the contact's last message was more than 24 hours old.
        WindowClosed = "window_closed",
        /// The recipient's phone number is not in use on the channel.
        RecipientUnreachable = "recipient_unreachable",
        /// The recipient does not want messages from this organization.
        RecipientOptedOut = "recipient_opted_out",
        /// The channel limits how many messages of this kind the recipient gets, and the limit is
        /// reached for now.
        ChannelCapped = "channel_capped",
        /// The channel's rate limit was exceeded at every attempt.
        ChannelRateLimited = "channel_rate_limited",
        /// The parameters in the message do not match the template.
        TemplateParamsMismatch = "template_params_mismatch",
        /// The channel does not know the template.
        TemplateNotFound = "template_not_found",
        TemplatePaused = "template_paused",
        TemplateDisabled = "template_disabled",
        /// The channel could not fetch the message's file, or did not accept the file.
        MediaFailed = "media_failed",
        /// The channel has locked the organization's account.
        AccountLocked = "account_locked",
        /// The channel requires the contact's phone number for this message, but the number is not
        /// known.
        PhoneNumberRequired = "phone_number_required",
        /// The AI agent was paused, for example because a person took over, before its answer was
        /// sent.
        AgentPaused = "agent_paused",
        /// The message was scheduled, and its template was not approved when the message was due.
        TemplateNotApproved = "template_not_approved",
        /// The message was scheduled, and the plan's limit was reached when the message was due.
        PlanLimitExceeded = "plan_limit_exceeded",
        /// The contact was deleted before the message was sent.
        ContactDeleted = "contact_deleted",
        /// Any failure for which there is no other keyword.
        ChannelError = "channel_error",
    }
}

impl Failure {
    /// Returns a short title that tells people what happened.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::WindowClosed => "The 24-hour window was closed",
            Self::RecipientUnreachable => "The recipient can’t be reached",
            Self::RecipientOptedOut => "The recipient opted out",
            Self::ChannelCapped => "The recipient gets too many marketing messages",
            Self::ChannelRateLimited => "The number sent too fast",
            Self::TemplateParamsMismatch => "The parameters don’t match the template",
            Self::TemplateNotFound => "The channel doesn’t know the template",
            Self::TemplatePaused => "The template is paused",
            Self::TemplateDisabled => "The template is disabled",
            Self::MediaFailed => "The file couldn’t be delivered",
            Self::AccountLocked => "The channel has locked the account",
            Self::PhoneNumberRequired => "A phone number is needed",
            Self::AgentPaused => "A person answered first",
            Self::TemplateNotApproved => "The template wasn’t approved",
            Self::PlanLimitExceeded => "The plan’s limit was reached",
            Self::ContactDeleted => "The contact was deleted",
            Self::ChannelError => "The channel refused the message",
        }
    }

    /// Returns full sentences that tell people why the message failed and what to do.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::WindowClosed => {
                "A free-form message is only delivered within 24 hours of the customer’s last \
                 message. Send an approved template instead; the window opens again when the \
                 customer answers."
            }
            Self::RecipientUnreachable => {
                "The number has no account on the channel, or runs a version that’s too old. Ask \
                 the customer for another number, or write by email. Resending helps only if the \
                 number was set up since."
            }
            Self::RecipientOptedOut => {
                "The customer asked not to get such messages from you. Don’t resend it. They get \
                 marketing again after they opt in."
            }
            Self::ChannelCapped => {
                "The channel limits how many marketing messages a person gets, from all businesses \
                 together. Wait a day before you try again, or send a utility template."
            }
            Self::ChannelRateLimited => {
                "The channel’s rate limit was exceeded at every attempt for 24 hours. Send more \
                 slowly, or ask the channel for a higher limit, then resend."
            }
            Self::TemplateParamsMismatch => {
                "The number or the type of the parameters differs from the approved template. \
                 Compare them with the template’s variables, then send the message again."
            }
            Self::TemplateNotFound => {
                "It may have been deleted at the channel, or doesn’t exist in this language. Check \
                 the name and the language, or submit the template again."
            }
            Self::TemplatePaused => {
                "The channel paused the template because of its quality. It resumes by itself after \
                 the pause; use another template until then."
            }
            Self::TemplateDisabled => {
                "The channel disabled the template because of its quality. Create a new template."
            }
            Self::MediaFailed => {
                "The channel couldn’t fetch the file, or doesn’t accept its type or size. Check that \
                 the link opens without signing in, or upload the file again."
            }
            Self::AgentPaused => {
                "The AI agent wrote this, and a person took the conversation over before it was \
                 sent. The customer has not seen it."
            }
            Self::TemplateNotApproved => {
                "When the time of this scheduled message came, its template wasn’t approved. Send it \
                 again when the template is approved."
            }
            Self::PlanLimitExceeded => {
                "When the time of this scheduled message came, the plan allowed no more messages. \
                 Send it again next month, or with a larger plan."
            }
            Self::ContactDeleted => {
                "The contact was deleted before the message was sent, so it was withdrawn."
            }
            Self::AccountLocked => {
                "The channel doesn’t accept messages from this account. Open the channel’s business \
                 settings to see why; resend when the lock is lifted."
            }
            Self::PhoneNumberRequired => {
                "The channel delivers this message to a phone number only, and the customer’s is not \
                 known. Ask them for it."
            }
            Self::ChannelError => {
                "The channel’s own explanation is below. If it’s about the content, correct it and \
                 send the message again; otherwise resend it later."
            }
        }
    }
}

/// The failure of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageError {
    pub failure: Failure,
    /// The explanation of the failure, as the channel gives it.
    pub message: String,
    /// The channel's error code. `None` if the message failed without an answer of the channel.
    pub channel_code: Option<i64>,
}

/// The progress of an outbound message: its status and the times of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageProgress {
    pub status: MessageStatus,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub error: Option<MessageError>,
}

/// A status report about an outbound message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The channel accepted the message.
    Sent,
    /// The message reached the contact's device.
    Delivered,
    /// The contact read the message.
    Read,
    /// The message failed, and will not reach the contact.
    Failed(MessageError),
}

impl MessageProgress {
    /// The progress of a message that the service has just accepted.
    pub const QUEUED: Self = Self {
        status: MessageStatus::Queued,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        error: None,
    };

    /// Applies a report that was made at `at`. Returns `None` if the report is late, repeated or
    /// impossible. The status only moves forward. Only a message that is `queued` or `sent` can
    /// become `failed`.
    ///
    /// Before the reported step, the earlier steps must have happened. If no report came for an
    /// earlier step, the step gets the time of this report.
    #[must_use]
    pub fn after(&self, report: Report, at: Timestamp) -> Option<Self> {
        let place = |status: MessageStatus| match status {
            MessageStatus::Queued => Some(0),
            MessageStatus::Sent => Some(1),
            MessageStatus::Delivered => Some(2),
            MessageStatus::Read => Some(3),
            MessageStatus::Failed | MessageStatus::Received => None,
        };
        let from = place(self.status)?;
        let mut next = self.clone();
        match report {
            Report::Failed(_) if from > 1 => return None,
            Report::Failed(error) => {
                next.status = MessageStatus::Failed;
                next.error = Some(error);
                return Some(next);
            }
            Report::Sent => next.status = MessageStatus::Sent,
            Report::Delivered => next.status = MessageStatus::Delivered,
            Report::Read => next.status = MessageStatus::Read,
        }
        let to = place(next.status)?;
        if to <= from {
            return None;
        }
        next.sent_at = next.sent_at.or(Some(at));
        if to >= 2 {
            next.delivered_at = next.delivered_at.or(Some(at));
        }
        if to >= 3 {
            next.read_at = next.read_at.or(Some(at));
        }
        Some(next)
    }

    /// Returns the progress that the message had when it reached `status`. This can be computed,
    /// because the status only moves forward and the times of the steps never change.
    #[must_use]
    pub fn when(self, status: MessageStatus) -> Self {
        let (sent, delivered, read) = match status {
            MessageStatus::Queued | MessageStatus::Received => (false, false, false),
            MessageStatus::Sent | MessageStatus::Failed => (true, false, false),
            MessageStatus::Delivered => (true, true, false),
            MessageStatus::Read => (true, true, true),
        };
        Self {
            status,
            sent_at: self.sent_at.filter(|_| sent),
            delivered_at: self.delivered_at.filter(|_| delivered),
            read_at: self.read_at.filter(|_| read),
            error: self.error.filter(|_| status == MessageStatus::Failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn report(number: u8) -> Report {
        match number % 4 {
            0 => Report::Sent,
            1 => Report::Delivered,
            2 => Report::Read,
            _ => Report::Failed(MessageError {
                failure: Failure::RecipientUnreachable,
                message: "no".into(),
                channel_code: Some(131_026),
            }),
        }
    }

    #[test]
    fn one_name_of_a_person_and_no_more() {
        let (mut faults, none) = (Violations::default(), RecipientFields::default());
        let number = RecipientFields { phone_number: Some("+12025550100"), ..none };
        let user = RecipientFields { channel_user_id: Some("US.13491208655302741918"), ..none };
        assert!(matches!(Recipient::parse(&number, &mut faults), Some(Recipient::Phone(_))));
        assert!(matches!(Recipient::parse(&user, &mut faults), Some(Recipient::User(_))));
        let wrong = RecipientFields { channel_user_id: Some("13491208655302741918"), ..none };
        let both = RecipientFields { contact_id: Some("x"), ..number };
        let two = RecipientFields { channel_user_id: user.channel_user_id, ..number };
        for fields in [none, both, two, wrong] {
            assert!(Recipient::parse(&fields, &mut faults).is_none());
        }
        assert_eq!(faults.len(), 4);
    }

    #[test]
    fn metadata_keeps_to_its_bounds() {
        let faults = |pairs: &[(String, String)]| {
            let mut faults = Violations::default();
            check_metadata(&pairs.iter().cloned().collect(), &mut faults);
            faults.len()
        };
        let pair = |key: usize, value: usize| ("é".repeat(key), "é".repeat(value));
        let keys = |many: usize| (0..many).map(|it| (it.to_string(), String::new()));
        assert_eq!(faults(&[pair(1, 0), pair(40, 500)]), 0);
        assert_eq!(faults(&[pair(0, 1)]), 1);
        assert_eq!(faults(&[pair(41, 1)]), 1);
        assert_eq!(faults(&[pair(1, 501)]), 1);
        assert_eq!(faults(&[pair(41, 501)]), 2);
        assert_eq!(faults(&keys(20).collect::<Vec<_>>()), 0);
        assert_eq!(faults(&keys(21).collect::<Vec<_>>()), 1);
    }

    #[test]
    fn a_report_moves_a_message_on_and_what_was_skipped_has_happened() {
        let at = Timestamp::from_seconds;
        let next = |from: &MessageProgress, number, second| from.after(report(number), at(second));
        let sent = next(&MessageProgress::QUEUED, 0, 1).unwrap();
        assert_eq!(sent.status, MessageStatus::Sent);
        assert_eq!(sent.sent_at, Some(at(1)));
        assert_eq!(sent.delivered_at, None);
        let read = next(&sent, 2, 2).unwrap();
        assert_eq!(read.status, MessageStatus::Read);
        assert_eq!(read.sent_at, Some(at(1)));
        assert_eq!(read.delivered_at, Some(at(2)));
        assert_eq!(read.read_at, Some(at(2)));
        let delivered = next(&MessageProgress::QUEUED, 1, 3).unwrap();
        assert_eq!(delivered.status, MessageStatus::Delivered);
        assert_eq!(delivered.sent_at, Some(at(3)));
        assert_eq!(delivered.delivered_at, Some(at(3)));
        assert_eq!(delivered.read_at, None);
        for from in [&MessageProgress::QUEUED, &sent] {
            assert_eq!(next(from, 3, 4).unwrap().status, MessageStatus::Failed);
        }
        for from in [&delivered, &read] {
            assert_eq!(next(from, 3, 4), None);
        }
        assert_eq!(next(&delivered, 0, 4), None);
        assert_eq!(next(&read, 1, 4), None);
    }

    proptest! {
        /// The channel may send reports in any order, and may repeat them. The status never moves
        /// back.
        #[test]
        fn a_status_only_moves_forward(reports in proptest::collection::vec(0_u8..4, 0..12)) {
            let mut progress = MessageProgress::QUEUED;
            let mut stages = vec![progress.clone()];
            for (second, number) in reports.into_iter().enumerate() {
                let at = Timestamp::from_seconds(i64::try_from(second).unwrap() + 1);
                let Some(next) = progress.after(report(number), at) else { continue };
                let allowed = match (progress.status, next.status) {
                    (MessageStatus::Queued | MessageStatus::Sent, MessageStatus::Failed) => true,
                    (before, after) => before < after && after <= MessageStatus::Read,
                };
                prop_assert!(allowed, "{:?} to {:?}", progress.status, next.status);
                prop_assert!(next.after(report(number), at).is_none(), "a repeat changes nothing");
                prop_assert_eq!(next.status == MessageStatus::Failed, next.error.is_some());
                prop_assert!(next.sent_at <= next.delivered_at || next.delivered_at.is_none());
                prop_assert!(next.delivered_at <= next.read_at || next.read_at.is_none());
                stages.push(next.clone());
                progress = next;
            }
            for stage in stages {
                prop_assert_eq!(progress.clone().when(stage.status), stage);
            }
        }
    }
}
