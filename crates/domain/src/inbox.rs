//! The inbox: what members and programs decide about a conversation
//! (`docs/contract.md#conversations`).

mod pause;

pub use pause::{
    AgentPause, AgentStatus, AgentStep, PauseCause, PauseEnd, PauseNews, PausingMessage,
};

use crate::id::{AiAgentId, MemberId};
use crate::invisible::hides;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::collections::BTreeSet;
use std::time::Duration;

/// Maximum number of labels on a conversation.
pub const MAX_LABELS: usize = 20;
/// Maximum number of characters in a label.
pub const MAX_LABEL_LENGTH: usize = 50;
/// Maximum number of characters in a note.
pub const MAX_NOTE_LENGTH: usize = 4096;
/// Maximum number of characters in the reason that somebody gives for a pause of the AI agent.
pub const MAX_PAUSE_REASON_LENGTH: usize = 200;
/// Maximum time for which a conversation can be snoozed, and for which the AI agent can be paused.
pub const MAX_SNOOZE: Duration = Duration::from_hours(365 * 24);

keywords! {
    /// The status of a conversation in the inbox.
    pub enum ConversationStatus {
        /// A person has to look at the conversation.
        Open = "open",
        /// The organization has answered, and waits for the contact's answer.
        Waiting = "waiting",
        /// The conversation is put aside, and opens again at a time that was chosen.
        Snoozed = "snoozed",
        /// The conversation is done. A new message of the contact opens it again.
        Closed = "closed",
    }
}

/// The status of a conversation in the inbox. The status of a snoozed conversation includes the
/// time at which the conversation opens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxStatus {
    Open,
    Waiting,
    SnoozedUntil(Timestamp),
    Closed,
}

impl InboxStatus {
    #[must_use]
    pub const fn keyword(self) -> ConversationStatus {
        match self {
            Self::Open => ConversationStatus::Open,
            Self::Waiting => ConversationStatus::Waiting,
            Self::SnoozedUntil(_) => ConversationStatus::Snoozed,
            Self::Closed => ConversationStatus::Closed,
        }
    }

    /// Returns the time at which a snoozed conversation opens again, or `None` for any other
    /// status.
    #[must_use]
    pub const fn snoozed_until(self) -> Option<Timestamp> {
        match self {
            Self::SnoozedUntil(until) => Some(until),
            Self::Open | Self::Waiting | Self::Closed => None,
        }
    }

    /// Parses the status that a caller sets at `now`. The status `snoozed` requires a time, which
    /// must be after `now`. With any other status, no time is allowed.
    pub fn parse(
        status: ConversationStatus,
        snoozed_until: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self, InvalidSnooze> {
        match (status, snoozed_until) {
            (ConversationStatus::Snoozed, None) => Err(InvalidSnooze::Missing),
            (ConversationStatus::Snoozed, Some(until)) => {
                check_end(until, now).map(|()| Self::SnoozedUntil(until))
            }
            (_, Some(_)) => Err(InvalidSnooze::NotSnoozed),
            (ConversationStatus::Open, None) => Ok(Self::Open),
            (ConversationStatus::Waiting, None) => Ok(Self::Waiting),
            (ConversationStatus::Closed, None) => Ok(Self::Closed),
        }
    }
}

/// Checks the end of a snooze, or of a pause of the AI agent. The end must be after `now`, by at
/// most [`MAX_SNOOZE`].
pub fn check_end(until: Timestamp, now: Timestamp) -> Result<(), InvalidSnooze> {
    if until <= now {
        Err(InvalidSnooze::Past)
    } else if until > now.plus(MAX_SNOOZE) {
        Err(InvalidSnooze::TooFar)
    } else {
        Ok(())
    }
}

/// The reason why the end of a snooze (`snoozed_until`) or of a pause is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSnooze {
    #[error("is required with the status snoozed")]
    Missing,
    #[error("is only allowed with the status snoozed")]
    NotSnoozed,
    #[error("must be in the future")]
    Past,
    #[error("must be within the next 365 days")]
    TooFar,
}

/// The labels of a conversation: at most [`MAX_LABELS`], each of them once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeSet<String>);

/// The reason why a label is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLabel {
    #[error("a label needs at least one character")]
    Empty,
    #[error("a label has at most {MAX_LABEL_LENGTH} characters")]
    TooLong,
    #[error("a label has no control or invisible characters")]
    Unreadable,
}

/// The error for more than [`MAX_LABELS`] labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a conversation has at most {MAX_LABELS} labels")]
pub struct TooManyLabels;

impl Labels {
    /// Creates the set of labels. Each label must be one that [`parse_label`] returned.
    pub fn new(labels: impl IntoIterator<Item = String>) -> Result<Self, TooManyLabels> {
        let labels: BTreeSet<String> = labels.into_iter().collect();
        if labels.len() > MAX_LABELS { Err(TooManyLabels) } else { Ok(Self(labels)) }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    #[must_use]
    pub fn contains(&self, label: &str) -> bool {
        self.0.contains(label)
    }

    fn changed(mut self, change: LabelChange) -> Self {
        match change {
            LabelChange::Replace(labels) => return labels,
            LabelChange::Add(label) if self.0.len() < MAX_LABELS => {
                self.0.insert(label);
            }
            LabelChange::Add(_) => {}
            LabelChange::Remove(label) => {
                self.0.remove(&label);
            }
        }
        self
    }
}

/// Parses a label. White space at both ends is removed.
pub fn parse_label(text: &str) -> Result<String, InvalidLabel> {
    let text = text.trim();
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return Err(InvalidLabel::Empty);
    }
    if letters.len() > MAX_LABEL_LENGTH {
        return Err(InvalidLabel::TooLong);
    }
    if letters.iter().enumerate().any(|(at, letter)| letter.is_control() || hides(&letters, at)) {
        return Err(InvalidLabel::Unreadable);
    }
    Ok(text.to_owned())
}

/// The inbox entry of a conversation: what members and programs have decided about it, and what the
/// inbox counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxState {
    pub status: InboxStatus,
    /// The time at which a member or a program last set the status, or `None` if nobody did.
    pub status_set_at: Option<Timestamp>,
    /// The member to whom the conversation is assigned.
    pub assignee: Option<MemberId>,
    pub labels: Labels,
    /// The time since which a person at the organization has to answer, or `None` if no person has
    /// to answer.
    pub needs_person_since: Option<Timestamp>,
    /// Number of messages that the contact has written.
    pub inbound_count: i64,
    /// The value of `inbound_count` when a person, a program or the AI agent last answered.
    pub answered_count: i64,
}

/// The part of a conversation that a member has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadMark {
    /// Number of messages of the contact that the member has read.
    pub read_count: i64,
    /// Whether the member marked the conversation as unread.
    pub marked_unread: bool,
}

/// A change that a member or a program makes to an inbox entry. A field that is `None` is not
/// changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxChange {
    pub status: Option<InboxStatus>,
    /// The new assignee. `Some(None)` removes the assignee.
    pub assignee: Option<Option<MemberId>>,
    pub labels: Option<LabelChange>,
    /// Whether the change says that no person has to answer anymore.
    pub is_handled: bool,
}

/// A change of the labels of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelChange {
    Replace(Labels),
    /// Adds a label that [`parse_label`] returned. If there are [`MAX_LABELS`] labels already,
    /// nothing is added.
    Add(String),
    Remove(String),
}

keywords! {
    /// A field of an inbox entry that changed.
    pub enum ChangedField {
        Status = "status",
        SnoozedUntil = "snoozed_until",
        AssigneeId = "assignee_id",
        Labels = "labels",
        NeedsPersonSince = "needs_person_since",
    }
}

/// A message that was added to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedMessage {
    pub author: MessageAuthor,
    /// The time at which the service recorded the message.
    pub at: Timestamp,
    /// Whether the message is a reply of a person or a program. A template that a program sends is
    /// not a reply, because it may be part of a campaign.
    pub is_reply: bool,
}

/// The author of a message, as the inbox distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageAuthor {
    Contact,
    /// A person or a program of the organization: a member, a program, or a person on the
    /// organization's phone.
    Person,
    /// The AI agent of the organization.
    Agent,
}

impl InboxState {
    /// Returns the inbox entry of a conversation about which nobody has decided anything.
    #[must_use]
    pub fn new() -> Self {
        Self {
            status: InboxStatus::Open,
            status_set_at: None,
            assignee: None,
            labels: Labels::default(),
            needs_person_since: None,
            inbound_count: 0,
            answered_count: 0,
        }
    }

    /// Applies a change that is made at `now`. A change that closes the conversation also means
    /// that no person has to answer anymore.
    #[must_use]
    pub fn apply(self, change: InboxChange, now: Timestamp) -> Self {
        let InboxChange { status, assignee, labels, is_handled } = change;
        let ends_call = is_handled || status == Some(InboxStatus::Closed);
        Self {
            status: status.unwrap_or(self.status),
            status_set_at: if status.is_some() { Some(now) } else { self.status_set_at },
            assignee: assignee.unwrap_or(self.assignee),
            labels: match labels {
                Some(change) => self.labels.changed(change),
                None => self.labels,
            },
            needs_person_since: self.needs_person_since.filter(|_| !ends_call),
            ..self
        }
    }

    /// Applies a new message. A message of the contact opens the conversation, unless somebody set
    /// the status after the message was recorded. A reply of a person or a program ends an earlier
    /// call for a person.
    #[must_use]
    pub fn after(self, message: AddedMessage) -> Self {
        let AddedMessage { author, at, is_reply } = message;
        match author {
            MessageAuthor::Contact => {
                let opens = self.status_set_at.is_none_or(|set| set <= at);
                let status = if opens { InboxStatus::Open } else { self.status };
                Self { status, inbound_count: self.inbound_count.saturating_add(1), ..self }
            }
            MessageAuthor::Person if !is_reply => self,
            MessageAuthor::Person => {
                let is_answered = self.needs_person_since.is_some_and(|since| since <= at);
                let needs_person_since = self.needs_person_since.filter(|_| !is_answered);
                Self { needs_person_since, answered_count: self.inbound_count, ..self }
            }
            MessageAuthor::Agent => Self { answered_count: self.inbound_count, ..self },
        }
    }

    /// Returns the inbox entry after a call for a person, which opens the conversation. If a person
    /// had to answer already, the time of the earlier call stays.
    #[must_use]
    pub fn calling_person(self, now: Timestamp) -> Self {
        Self {
            status: InboxStatus::Open,
            needs_person_since: self.needs_person_since.or(Some(now)),
            ..self
        }
    }

    /// Returns the inbox entry after its call for a person has ended.
    #[must_use]
    pub fn calling_nobody(self) -> Self {
        Self { needs_person_since: None, ..self }
    }

    /// Returns the inbox entry after another conversation was merged into this one. Messages that
    /// were unanswered in the other conversation stay unanswered. If the other conversation was
    /// open and had unanswered messages or a call for a person, this conversation is opened.
    #[must_use]
    pub fn joined(self, merged: &Self) -> Self {
        let unanswered = merged.inbound_count.saturating_sub(merged.answered_count).max(0);
        let waits = unanswered > 0 || merged.needs_person_since.is_some();
        let opens = waits && merged.status == InboxStatus::Open;
        let added = merged.labels.iter().map(str::to_owned).map(LabelChange::Add);
        let labels = added.fold(self.labels, Labels::changed);
        let since = self.needs_person_since.into_iter().chain(merged.needs_person_since).min();
        Self {
            status: if opens { InboxStatus::Open } else { self.status },
            assignee: self.assignee.or(merged.assignee),
            labels,
            needs_person_since: since,
            inbound_count: self.inbound_count.saturating_add(unanswered),
            ..self
        }
    }

    /// Returns the number of the contact's messages that nobody has answered and that the member
    /// has not read. The number is at least 1 if the member marked the conversation as unread. It
    /// is also at least 1 if a person has to answer and the member has not read all messages. The
    /// reason is that an agent's text with a hand-over counts as an answer, although a person still
    /// has to answer.
    #[must_use]
    pub fn unread_count(&self, mark: ReadMark) -> i64 {
        let read = self.answered_count.max(mark.read_count);
        let unread = self.inbound_count.saturating_sub(read).max(0);
        let needs_person =
            self.needs_person_since.is_some() && mark.read_count < self.inbound_count;
        if mark.marked_unread || needs_person { unread.max(1) } else { unread }
    }

    /// Returns the read mark of a member who has read all messages of the contact.
    #[must_use]
    pub const fn all_read(&self) -> ReadMark {
        ReadMark { read_count: self.inbound_count, marked_unread: false }
    }

    /// Opens a snoozed conversation if its snooze has ended at `now`.
    #[must_use]
    pub fn woken(self, now: Timestamp) -> Self {
        match self.status {
            InboxStatus::SnoozedUntil(until) if until <= now => {
                Self { status: InboxStatus::Open, ..self }
            }
            _ => self,
        }
    }

    /// Returns the fields of this inbox entry that differ from the earlier entry `before`.
    #[must_use]
    pub fn changed_since(&self, before: &Self) -> Vec<ChangedField> {
        let differs = [
            (ChangedField::Status, self.status.keyword() != before.status.keyword()),
            (
                ChangedField::SnoozedUntil,
                self.status.snoozed_until() != before.status.snoozed_until(),
            ),
            (ChangedField::AssigneeId, self.assignee != before.assignee),
            (ChangedField::Labels, self.labels != before.labels),
            (ChangedField::NeedsPersonSince, self.needs_person_since != before.needs_person_since),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
    }
}

impl Default for InboxState {
    fn default() -> Self {
        Self::new()
    }
}

keywords! {
    /// The type of a note's author.
    pub enum NoteAuthorKind {
        Member = "member",
        /// A program, which is named by its key.
        Key = "key",
        /// An AI agent.
        Agent = "agent",
        /// The channel's own agent.
        Channel = "channel",
    }
}

/// The author of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteAuthor {
    Member {
        id: MemberId,
        name: String,
    },
    /// A program, which is named by its key.
    Key {
        client_id: String,
        name: String,
    },
    Agent {
        id: AiAgentId,
        name: String,
    },
    /// The channel's own agent.
    Channel {
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + seconds)
    }

    fn member() -> MemberId {
        MemberId::new(at(0), [7; 10])
    }

    fn from_contact(seconds: i64) -> AddedMessage {
        AddedMessage { author: MessageAuthor::Contact, at: at(seconds), is_reply: false }
    }

    fn status() -> impl Strategy<Value = InboxStatus> {
        prop_oneof![
            Just(InboxStatus::Open),
            Just(InboxStatus::Waiting),
            Just(InboxStatus::Closed),
            (1..100_i64).prop_map(|it| InboxStatus::SnoozedUntil(at(it))),
        ]
    }

    #[test]
    fn a_snoozed_conversation_needs_a_later_time() {
        let parse = |status, until: Option<i64>| InboxStatus::parse(status, until.map(at), at(0));
        assert_eq!(
            parse(ConversationStatus::Snoozed, Some(1)),
            Ok(InboxStatus::SnoozedUntil(at(1)))
        );
        assert_eq!(parse(ConversationStatus::Snoozed, Some(0)), Err(InvalidSnooze::Past));
        assert_eq!(parse(ConversationStatus::Snoozed, None), Err(InvalidSnooze::Missing));
        assert_eq!(parse(ConversationStatus::Closed, Some(1)), Err(InvalidSnooze::NotSnoozed));
        let two_years = 2 * 365 * 24 * 3600;
        assert_eq!(parse(ConversationStatus::Snoozed, Some(two_years)), Err(InvalidSnooze::TooFar));
    }

    #[test]
    fn labels_are_short_visible_and_few() {
        assert_eq!(parse_label("  VIP 👩‍👩‍👧 "), Ok("VIP 👩‍👩‍👧".to_owned()));
        assert_eq!(parse_label(" "), Err(InvalidLabel::Empty));
        assert_eq!(parse_label(&"x".repeat(51)), Err(InvalidLabel::TooLong));
        assert_eq!(parse_label("a\u{202e}b"), Err(InvalidLabel::Unreadable));
        let many = |count: usize| Labels::new((0..count).map(|it| it.to_string()));
        assert!(many(MAX_LABELS).is_ok());
        assert_eq!(many(MAX_LABELS + 1), Err(TooManyLabels));
    }

    #[test]
    fn a_person_answers_the_call_for_a_person() {
        let calling = InboxState { needs_person_since: Some(at(5)), ..InboxState::new() };
        let since = |author, is_reply| {
            let message = AddedMessage { author, at: at(9), is_reply };
            calling.clone().after(message).needs_person_since
        };
        assert_eq!(since(MessageAuthor::Agent, true), Some(at(5)));
        assert_eq!(since(MessageAuthor::Contact, false), Some(at(5)));
        assert_eq!(since(MessageAuthor::Person, true), None);
        // A template of a campaign is not a reply, so a person still has to answer.
        assert_eq!(since(MessageAuthor::Person, false), Some(at(5)));
    }

    #[test]
    fn a_call_for_a_person_ends_when_somebody_says_so() {
        let calling = InboxState::new().calling_person(at(5));
        let set = |status| {
            let change = InboxChange { status: Some(status), ..InboxChange::default() };
            calling.clone().apply(change, at(6)).needs_person_since
        };
        assert_eq!(set(InboxStatus::Closed), None);
        for status in [InboxStatus::Open, InboxStatus::Waiting, InboxStatus::SnoozedUntil(at(9))] {
            assert_eq!(set(status), Some(at(5)), "{status:?}");
        }
        assert_eq!(calling.calling_nobody().needs_person_since, None);
    }

    #[test]
    fn a_conversation_that_needs_a_person_is_unread_after_the_agents_answer() {
        let agent = AddedMessage { author: MessageAuthor::Agent, at: at(2), is_reply: false };
        let person = AddedMessage { author: MessageAuthor::Person, at: at(9), is_reply: true };
        let nothing = ReadMark::default();
        let answered = InboxState::new().after(from_contact(1)).after(agent);
        assert_eq!(answered.unread_count(nothing), 0);
        let calling = answered.calling_person(at(2));
        assert_eq!(calling.unread_count(nothing), 1);
        assert_eq!(calling.unread_count(calling.all_read()), 0);
        assert_eq!(calling.after(person).unread_count(nothing), 0);
        // Without messages of the contact, there is nothing to read.
        assert_eq!(InboxState::new().calling_person(at(2)).unread_count(nothing), 0);
    }

    #[test]
    fn a_call_for_a_person_that_is_handled_changes_nothing_else() {
        let before = InboxState::new().after(from_contact(1));
        let calling = before.clone().calling_person(at(2));
        let handled = InboxChange { is_handled: true, ..InboxChange::default() };

        let after = calling.clone().apply(handled, at(3));

        assert_eq!(after.changed_since(&calling), [ChangedField::NeedsPersonSince]);
        assert_eq!(after, before);
    }

    #[test]
    fn a_merge_keeps_what_nobody_has_answered() {
        let reply = AddedMessage { author: MessageAuthor::Person, at: at(2), is_reply: true };
        let kept = InboxState::new().after(from_contact(1)).after(reply);
        let closed = InboxChange { status: Some(InboxStatus::Closed), ..InboxChange::default() };
        let kept = kept.apply(closed, at(3));
        let label = InboxChange {
            labels: Some(LabelChange::Add("vip".to_owned())),
            ..InboxChange::default()
        };
        let merged = InboxState::new().after(from_contact(4)).apply(label, at(5));

        let joined = kept.joined(&merged);

        assert_eq!(joined.unread_count(ReadMark::default()), 1);
        assert_eq!(joined.status, InboxStatus::Open);
        assert_eq!(joined.labels.iter().collect::<Vec<_>>(), ["vip"]);
    }

    #[test]
    fn a_merge_of_an_answered_conversation_opens_nothing() {
        let closed = InboxChange { status: Some(InboxStatus::Closed), ..InboxChange::default() };
        let kept = InboxState::new().apply(closed, at(3));
        assert_eq!(kept.clone().joined(&InboxState::new()).status, InboxStatus::Closed);
        // The other conversation has a call for a person, so this conversation is opened.
        let joined = kept.joined(&InboxState::new().calling_person(at(4)));
        assert_eq!(joined.status, InboxStatus::Open);
        assert_eq!(joined.needs_person_since, Some(at(4)));
    }

    #[test]
    fn a_message_is_unread_until_somebody_answers_or_the_member_reads_it() {
        let nothing = ReadMark::default();
        let two = InboxState::new().after(from_contact(1)).after(from_contact(2));
        assert_eq!(two.unread_count(nothing), 2);
        assert_eq!(two.unread_count(two.all_read()), 0);
        let three = two.clone().after(from_contact(3));
        assert_eq!(three.unread_count(two.all_read()), 1);
        let answered =
            three.after(AddedMessage { author: MessageAuthor::Person, at: at(4), is_reply: true });
        assert_eq!(answered.unread_count(nothing), 0);
        let marked = ReadMark { read_count: 0, marked_unread: true };
        assert_eq!(answered.unread_count(marked), 1);
    }

    proptest! {
        #[test]
        fn a_later_message_of_the_contact_opens(status in status(), set in 0..50_i64, message in 0..50_i64) {
            let change = InboxChange { status: Some(status), ..InboxChange::default() };
            let state = InboxState::new().apply(change, at(set)).after(from_contact(message));
            let expected = if message >= set { InboxStatus::Open } else { status };
            prop_assert_eq!(state.status, expected);
        }

        #[test]
        fn a_snooze_ends_at_its_time_and_nothing_else_does(status in status(), now in 0..200_i64) {
            let change = InboxChange { status: Some(status), ..InboxChange::default() };
            let state = InboxState::new().apply(change, at(0)).woken(at(now));
            let is_over = status.snoozed_until().is_some_and(|until| until <= at(now));
            prop_assert_eq!(state.status, if is_over { InboxStatus::Open } else { status });
        }

        #[test]
        fn a_change_lists_exactly_what_differs(status in status(), assigned in any::<bool>(), labeled in any::<bool>()) {
            let before = InboxState::new();
            let labels = Labels::new(labeled.then(|| "vip".to_owned())).unwrap();
            let change = InboxChange {
                status: Some(status),
                assignee: Some(assigned.then(member)),
                labels: Some(LabelChange::Replace(labels)),
                is_handled: false,
            };
            let changed = before.clone().apply(change, at(1)).changed_since(&before);
            prop_assert_eq!(changed.contains(&ChangedField::Status), status != InboxStatus::Open);
            prop_assert_eq!(changed.contains(&ChangedField::SnoozedUntil), status.snoozed_until().is_some());
            prop_assert_eq!(changed.contains(&ChangedField::AssigneeId), assigned);
            prop_assert_eq!(changed.contains(&ChangedField::Labels), labeled);
        }
    }
}
