//! The inbox: entries of conversations, and notes.
use super::UnreadableRow;
use super::{Contact, Conversation};
use crate::schema::{
    conversation_words, inbox_entries, inbox_member_settings, inbox_member_states, inbox_positions,
    notes, saved_replies, word_positions,
};
use crate::types::Document;
use domain::conversation::{Agent, MessageSource, THREAD_IDLE_AFTER};
use domain::event::NoteSnapshot;
use domain::id::{
    AccountId, ContactId, ConversationId, MemberId, MessageId, NoteId, OrganizationId, SavedReplyId,
};
use domain::inbox::{
    AgentStatus, ConversationStatus, InboxState, InboxStatus, Labels, NoteAuthor, PauseCause,
    PausingMessage, ReadMark,
};
use domain::time::Timestamp;

record! {
    /// A conversation in the inbox.
    #[derive(diesel::QueryableByName)]
    pub struct InboxEntry of inbox_entries {
        pub organization_id: OrganizationId,
        pub conversation_id: ConversationId,
        pub account_id: AccountId,
        pub last_message_at: Timestamp,
        pub status: ConversationStatus,
        pub status_set_at: Option<Timestamp>,
        pub snoozed_until: Option<Timestamp>,
        pub assignee_id: Option<MemberId>,
        /// A JSON array of strings.
        pub labels: Document,
        pub needs_person_since: Option<Timestamp>,
        pub inbound_count: i64,
        pub answered_count: i64,
        pub agent_pause_cause: Option<PauseCause>,
        pub agent_pause_reason: Option<String>,
        pub agent_paused_by: Option<MemberId>,
        pub agent_paused_at: Option<Timestamp>,
        pub agent_paused_until: Option<Timestamp>,
        /// The time at which to report that the customer service window is about to close.
        pub window_closing_at: Option<Timestamp>,
        /// The time at which the channel last reported that its own agent takes part.
        pub channel_agent_at: Option<Timestamp>,
        /// The time of the last change of control of the conversation.
        pub channel_control_at: Option<Timestamp>,
        /// The number of messages that the conversation had when it was last closed. An AI agent is
        /// not shown these messages.
        pub agent_context_from: Option<i64>,
    }
}

record! {
    /// A word of a conversation's messages.
    pub struct ConversationWord of conversation_words {
        pub organization_id: OrganizationId,
        pub word: String,
        pub conversation_id: ConversationId,
    }
}

record! {
    /// The progress of adding the words of an organization's messages to the search. New messages
    /// are added by following the organization's events. The messages that are older than the first
    /// followed event (the older messages) are added in a second pass.
    pub struct WordPosition of word_positions {
        pub organization_id: OrganizationId,
        /// The last event whose message was added.
        pub sequence: i64,
        /// The last older message that was added.
        pub last_message: Option<MessageId>,
        /// Whether all older messages are added.
        pub has_all: bool,
        /// The last contact whose names were added without an event about it.
        pub last_contact: Option<ContactId>,
        /// Whether the names of all contacts are added that are older than the first followed
        /// event.
        pub has_contacts: bool,
        /// The last event whose contact was added. Servers of earlier versions advance `sequence`
        /// only.
        pub named_sequence: i64,
    }
}

impl WordPosition {
    /// Returns the last event that was followed for messages and for contacts.
    #[must_use]
    pub fn followed(&self) -> i64 {
        self.sequence.min(self.named_sequence)
    }
}

impl InboxEntry {
    /// Returns the entry of a conversation in its initial state.
    #[must_use]
    pub fn new(conversation: &Conversation) -> Self {
        Self {
            organization_id: conversation.organization_id,
            conversation_id: conversation.id,
            account_id: conversation.account_id,
            last_message_at: conversation.last_message_at,
            status: ConversationStatus::Open,
            status_set_at: None,
            snoozed_until: None,
            assignee_id: None,
            labels: Document("[]".to_owned()),
            needs_person_since: None,
            inbound_count: 0,
            answered_count: 0,
            agent_pause_cause: None,
            agent_pause_reason: None,
            agent_paused_by: None,
            agent_paused_at: None,
            agent_paused_until: None,
            window_closing_at: None,
            channel_agent_at: None,
            channel_control_at: None,
            agent_context_from: None,
        }
    }

    /// Returns the state of the conversation in the inbox.
    pub fn state(&self) -> Result<InboxState, UnreadableRow> {
        let wrong = |why: String| UnreadableRow::new("inbox entry", &self.conversation_id, why);
        let status = match (self.status, self.snoozed_until) {
            (ConversationStatus::Open, _) => InboxStatus::Open,
            (ConversationStatus::Waiting, _) => InboxStatus::Waiting,
            (ConversationStatus::Closed, _) => InboxStatus::Closed,
            (ConversationStatus::Snoozed, Some(until)) => InboxStatus::SnoozedUntil(until),
            (ConversationStatus::Snoozed, None) => {
                return Err(wrong("it is snoozed without a time".to_owned()));
            }
        };
        Ok(InboxState {
            status,
            status_set_at: self.status_set_at,
            assignee: self.assignee_id,
            labels: parse_labels(self.conversation_id, &self.labels)?,
            needs_person_since: self.needs_person_since,
            inbound_count: self.inbound_count,
            answered_count: self.answered_count,
        })
    }

    /// Returns this entry with another state.
    pub fn with_state(self, state: &InboxState) -> Result<Self, UnreadableRow> {
        let labels: Vec<&str> = state.labels.iter().collect();
        let labels = serde_json::to_string(&labels)
            .map_err(|why| UnreadableRow::new("inbox entry", &self.conversation_id, why))?;
        Ok(Self {
            status: state.status.keyword(),
            status_set_at: state.status_set_at,
            snoozed_until: state.status.snoozed_until(),
            assignee_id: state.assignee,
            labels: Document(labels),
            needs_person_since: state.needs_person_since,
            inbound_count: state.inbound_count,
            answered_count: state.answered_count,
            ..self
        })
    }

    /// Returns the place of the conversation in the list.
    #[must_use]
    pub const fn position(&self) -> InboxCursor {
        let (last_message_at, conversation) = (self.last_message_at, self.conversation_id);
        InboxCursor { last_message_at, conversation }
    }

    /// Whether the channel's own agent answers in the conversation, as far as the agent is not
    /// paused. After the contact has been silent for a while (`THREAD_IDLE_AFTER`), the channel
    /// decides again who answers.
    #[must_use]
    pub fn has_channel_agent(&self, now: Timestamp) -> bool {
        self.channel_agent_at.is_some_and(|at| now.since(at) < THREAD_IDLE_AFTER)
    }

    /// Returns the status of an agent in this state. `message` is the message that paused the agent,
    /// if one did.
    #[must_use]
    pub fn agent_status(&self, agent: Agent, message: Option<PausingMessage>) -> AgentStatus {
        let until = self.agent_paused_until;
        match (agent, message) {
            (Agent::Running, _) => AgentStatus::new(agent),
            (Agent::Paused, Some(message)) => {
                AgentStatus { until, ..AgentStatus::paused_by(message) }
            }
            (Agent::Paused, None) => AgentStatus {
                agent,
                cause: self.agent_pause_cause,
                reason: self.agent_pause_reason.clone(),
                by: self.agent_paused_by,
                since: self.agent_paused_at,
                until,
            },
        }
    }

    /// Returns this entry with a status of the agent. If a message paused the agent, the entry
    /// holds only the end of the pause.
    #[must_use]
    pub fn with_agent_status(self, status: &AgentStatus, by_message: bool) -> Self {
        if by_message {
            return Self { agent_paused_until: status.until, ..self.resumed() };
        }
        Self {
            agent_pause_cause: status.cause,
            agent_pause_reason: status.reason.clone(),
            agent_paused_by: status.by,
            agent_paused_at: status.since,
            agent_paused_until: status.until,
            ..self
        }
    }

    /// Returns this entry without a pause of the agent.
    fn resumed(self) -> Self {
        Self {
            agent_pause_cause: None,
            agent_pause_reason: None,
            agent_paused_by: None,
            agent_paused_at: None,
            agent_paused_until: None,
            ..self
        }
    }
}

/// Parses the stored labels of a conversation.
pub fn parse_labels(of: ConversationId, stored: &Document) -> Result<Labels, UnreadableRow> {
    let wrong = |why: String| UnreadableRow::new("inbox entry", &of, why);
    let labels: Vec<String> =
        serde_json::from_str(&stored.0).map_err(|error| wrong(error.to_string()))?;
    Labels::new(labels).map_err(|error| wrong(error.to_string()))
}

/// A conversation with its contact and its entry in the inbox.
#[derive(Clone, Debug)]
pub struct InboxConversation {
    pub entry: InboxEntry,
    pub conversation: Conversation,
    pub contact: Contact,
    /// The source and the time of the message that paused the agent, if a message did.
    pub paused_by_message: Option<(MessageSource, Timestamp)>,
    /// The member who sent that message, as far as it was looked up.
    pub paused_by_member: Option<MemberId>,
    /// The state of the conversation for the member who asks, if a member asks.
    pub member_state: Option<InboxMemberState>,
}

impl InboxConversation {
    #[must_use]
    pub const fn agent(&self) -> Agent {
        self.conversation.agent()
    }

    /// Returns whether the agent answers, and why not.
    #[must_use]
    pub fn agent_status(&self) -> AgentStatus {
        let by = self.paused_by_member;
        let message = self.paused_by_message.map(|(source, at)| PausingMessage { source, at, by });
        self.entry.agent_status(self.agent(), message)
    }

    /// Returns the time since which the agent is paused, if it is paused.
    #[must_use]
    pub fn paused_since(&self) -> Option<Timestamp> {
        let since = self.paused_by_message.map(|(_, at)| at).or(self.entry.agent_paused_at);
        since.filter(|_| self.agent() == Agent::Paused)
    }

    /// Returns the number of messages that the member of `member_state` has not read.
    pub fn unread_count(&self) -> Result<i64, UnreadableRow> {
        let mark = self.member_state.as_ref().map(InboxMemberState::mark).unwrap_or_default();
        Ok(self.entry.state()?.unread_count(mark))
    }
}

record! {
    /// A member's state of a conversation.
    pub struct InboxMemberState of inbox_member_states {
        pub organization_id: OrganizationId,
        pub conversation_id: ConversationId,
        pub member_id: MemberId,
        pub read_count: i64,
        pub marked_unread: bool,
        pub draft: Option<String>,
        pub viewed_at: Option<Timestamp>,
        pub typed_at: Option<Timestamp>,
    }
}

impl InboxMemberState {
    #[must_use]
    pub const fn mark(&self) -> ReadMark {
        ReadMark { read_count: self.read_count, marked_unread: self.marked_unread }
    }
}

/// A change of a member's state of a conversation. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxMemberChange {
    pub mark: Option<ReadMark>,
    /// Whether the conversation becomes marked as unread, while the number of read messages stays.
    pub marks_unread: bool,
    /// `Some(None)` deletes the draft.
    pub draft: Option<Option<String>>,
    pub viewed_at: Option<Timestamp>,
    pub typed_at: Option<Timestamp>,
}

/// Selects conversations of the inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxFilter {
    pub account: Option<AccountId>,
    pub status: Option<ConversationStatus>,
    /// `Some(None)` selects conversations without an assignee.
    pub assignee: Option<Option<MemberId>>,
    pub label: Option<String>,
    pub agent: Option<Agent>,
    pub needs_person: Option<bool>,
    /// Selects conversations whose last message is from this time or later.
    pub since: Option<Timestamp>,
    /// Selects only conversations that this member has not read.
    pub unread_by: Option<MemberId>,
    /// Selects only conversations that are assigned to this member or to nobody.
    pub own_or_unassigned: Option<MemberId>,
    /// Selects only these conversations.
    pub among: Option<Vec<ConversationId>>,
}

impl InboxFilter {
    /// Whether an index can answer all conditions.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let Self {
            account,
            assignee,
            label,
            agent,
            needs_person,
            unread_by,
            own_or_unassigned,
            ..
        } = self;
        account.is_none()
            && *assignee != Some(None)
            && label.is_none()
            && agent.is_none()
            && *needs_person != Some(false)
            && unread_by.is_none()
            && own_or_unassigned.is_none()
    }
}

/// The place of a conversation in the list: the time of its last message, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InboxCursor {
    pub last_message_at: Timestamp,
    pub conversation: ConversationId,
}

/// The result of a change of a conversation.
#[derive(Clone, Debug)]
pub enum InboxUpdate {
    Changed(Box<InboxConversation>),
    /// The conversation does not exist.
    NotFound,
    /// The assignee is not a member who may use the inbox.
    NoSuchAssignee,
}

/// A page of the inbox.
#[derive(Clone, Debug)]
pub struct InboxPart {
    pub found: Vec<InboxConversation>,
    /// The last conversation that was read, if more may follow.
    pub next: Option<InboxCursor>,
}

/// Counts of the conversations that need a member's attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxAttention {
    /// Conversations that wait for a person of the organization.
    pub needs_person: usize,
    /// Conversations that the member has not read.
    pub unread: usize,
}

record! {
    /// The last event that was applied to the inbox of an organization.
    pub struct InboxPosition of inbox_positions {
        pub organization_id: OrganizationId,
        pub sequence: i64,
    }
}

record! {
    /// A member's settings of the inbox.
    pub struct InboxMemberSettings of inbox_member_settings {
        pub organization_id: OrganizationId,
        pub member_id: MemberId,
        pub reads_when_opened: bool,
    }
}

record! {
    /// A text that members often send.
    pub struct SavedReply of saved_replies {
        pub organization_id: OrganizationId,
        pub id: SavedReplyId,
        pub name: String,
        pub text: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

record! {
    /// A note about a conversation.
    pub struct Note of notes {
        pub organization_id: OrganizationId,
        pub id: NoteId,
        pub conversation_id: ConversationId,
        pub text: String,
        pub member_id: Option<MemberId>,
        pub client_id: Option<String>,
        pub author_name: String,
        pub created_at: Timestamp,
    }
}

impl Note {
    /// Returns the note as events and the API show it.
    #[must_use]
    pub fn snapshot(&self) -> NoteSnapshot {
        NoteSnapshot {
            id: self.id,
            conversation: self.conversation_id,
            text: self.text.clone(),
            author: self.author(),
            created_at: self.created_at,
        }
    }

    /// Returns the author of the note.
    #[must_use]
    pub fn author(&self) -> NoteAuthor {
        let name = self.author_name.clone();
        if let Some(id) = self.member_id {
            return NoteAuthor::Member { id, name };
        }
        let Some(client_id) = self.client_id.clone() else { return NoteAuthor::Channel { name } };
        // The column for a key's client id contains the agent's id if an AI agent wrote the note.
        match client_id.parse() {
            Ok(id) => NoteAuthor::Agent { id, name },
            Err(_) => NoteAuthor::Key { client_id, name },
        }
    }
}
