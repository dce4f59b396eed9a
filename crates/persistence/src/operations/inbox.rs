//! Operations on the inbox and on notes.
use super::{DbFuture, OperatorDb, OrganizationDb, any_node_query, tenant_query};
use crate::records::{
    InboxConversation, InboxMemberChange, InboxMemberSettings, InboxUpdate, Note, RequestedHandOver,
};
use domain::id::{AccountId, ConversationId, MemberId, MessageId, OrganizationId};
use domain::inbox::{AgentPause, InboxChange, PauseCause};
use domain::recent_events::StreamedEvent;
use domain::time::Timestamp;
use domain::words::SoughtWord;

impl<'a> OrganizationDb<'a> {
    /// Returns the sequence up to which the inbox reflects the organization's events, and the
    /// sequence of the last event.
    pub fn inbox_sequences(self) -> DbFuture<'a, (i64, i64)> {
        tenant_query!(self.organization, read, inbox_events::inbox_sequences())
    }

    /// Applies up to `most` of the organization's next events to the inbox. Returns how many there
    /// were.
    pub fn advance_inbox(self, most: i64, now: Timestamp) -> DbFuture<'a, usize> {
        tenant_query!(self.organization, write_after, inbox_events::advance_inbox(most, now))
    }

    /// Returns the sequence of the organization's last event, or 0 if there is none.
    pub fn last_sequence(self) -> DbFuture<'a, i64> {
        tenant_query!(self.organization, read, events::last_sequence())
    }

    /// Returns up to `most` of the organization's events after a sequence, each with the
    /// conversation that it concerns.
    pub fn streamed_events(self, after: i64, most: i64) -> DbFuture<'a, Vec<StreamedEvent>> {
        tenant_query!(self.organization, read, events::streamed_events(after, most))
    }

    /// Changes the inbox entry of a conversation. Returns the conversation after the change.
    pub fn update_inbox(
        self,
        id: ConversationId,
        change: InboxChange,
        now: Timestamp,
    ) -> DbFuture<'a, InboxUpdate> {
        tenant_query!(self.organization, write, inbox::update_inbox(id, change, now))
    }

    /// Unassigns some conversations of a member who may no longer use the inbox. Returns whether
    /// there may be more.
    pub fn unassign_conversations(self, member: MemberId, at: Timestamp) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write_after, assignees::unassign_conversations(member, at))
    }

    /// Ends the snooze of a conversation and the pause of its agent, each if its time is over.
    pub fn wake_inbox_entry(self, id: ConversationId, now: Timestamp) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, inbox_wakes::wake_inbox_entry(id, now))
    }

    /// Pauses the agent in a conversation and calls for a person, because an answer of the agent
    /// was refused. `cause` is the reason for the pause.
    pub fn stop_agent(
        self,
        conversation: ConversationId,
        cause: PauseCause,
        now: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, agent_sends::stop_agent(conversation, cause, now))
    }

    /// Ends the pause of an agent that was paused because the contact had opted out. With the given
    /// message, the contact has opted in again.
    pub fn resume_after_opt_in(
        self,
        account: AccountId,
        channel_message_id: String,
        now: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write_after,
            inbox_wakes::resume_after_opt_in(account, channel_message_id, now)
        )
    }

    pub fn pause_agent(
        self,
        id: ConversationId,
        pause: AgentPause,
        now: Timestamp,
    ) -> DbFuture<'a, Option<InboxConversation>> {
        tenant_query!(self.organization, write, inbox::pause_agent(id, pause, now))
    }

    /// Hands a conversation over to a person, because an AI agent asks for it over the API. Returns
    /// the conversation after the change.
    pub fn hand_over_as_agent(
        self,
        id: ConversationId,
        new: RequestedHandOver,
        now: Timestamp,
    ) -> DbFuture<'a, Option<InboxConversation>> {
        tenant_query!(self.organization, write, agent_sends::hand_over_as_agent(id, new, now))
    }

    /// Resumes the AI agent in a conversation. The agent then also answers the contact's newest
    /// message, if nobody has answered it. The agent does not answer the message `left`, because
    /// that message would pause it again.
    pub fn resume_agent(
        self,
        id: ConversationId,
        left: Option<MessageId>,
        now: Timestamp,
    ) -> DbFuture<'a, Option<InboxConversation>> {
        tenant_query!(self.organization, write, agent_resumes::resume_agent(id, left, now))
    }

    /// Returns the unanswered message of the conversation that the AI agent would answer if it were
    /// resumed.
    pub fn find_waiting_message(
        self,
        id: ConversationId,
        now: Timestamp,
    ) -> DbFuture<'a, Option<MessageId>> {
        tenant_query!(self.organization, read, agent_resumes::find_waiting_message(id, now))
    }

    /// Changes a member's state of a conversation: read mark, draft, and when the member last
    /// looked or typed.
    pub fn update_member_state(
        self,
        conversation: ConversationId,
        member: MemberId,
        change: InboxMemberChange,
    ) -> DbFuture<'a, ()> {
        tenant_query!(
            self.organization,
            write,
            inbox_members::update_member_state(conversation, member, change)
        )
    }

    /// Stores a member's settings of the inbox.
    pub fn set_inbox_member_settings(self, settings: InboxMemberSettings) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, inbox_members::set_inbox_member_settings(settings))
    }

    /// Adds the words of the next messages to the search. Returns whether there may be more
    /// messages.
    pub fn advance_words(self, most_events: i64, most_messages: i64) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write_after,
            conversation_words::advance_words(most_events, most_messages)
        )
    }

    /// Returns conversations that have, for each of these parts of a search, a word that begins with
    /// one of its texts.
    pub fn conversations_with_words(
        self,
        sought: Vec<SoughtWord>,
    ) -> DbFuture<'a, Vec<ConversationId>> {
        tenant_query!(self.organization, read, conversation_words::conversations_with_words(sought))
    }

    /// Stores a note. Returns the note, or `None` if there is no such conversation.
    pub fn insert_note(self, note: Note) -> DbFuture<'a, Option<Note>> {
        tenant_query!(self.organization, write, notes::insert_note(note))
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns organizations after `after` whose inbox does not reflect all their events.
    pub fn lagging_inboxes(
        self,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<OrganizationId>> {
        any_node_query!(self, read, inbox_events::lagging_inboxes(after, limit))
    }

    /// Returns organizations after `after` with messages whose words are not in the search yet.
    pub fn lagging_words(
        self,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> DbFuture<'a, Vec<OrganizationId>> {
        any_node_query!(self, read, conversation_words::lagging_words(after, limit))
    }

    /// Returns members who may no longer use the inbox and still have conversations.
    pub fn list_former_assignees(
        self,
        limit: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, MemberId)>> {
        any_node_query!(self, read, assignees::list_former_assignees(limit))
    }

    /// Returns conversations whose snooze or whose agent's pause is over.
    pub fn due_inbox_entries(
        self,
        now: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, ConversationId)>> {
        any_node_query!(self, read, inbox_events::due_inbox_entries(now, limit))
    }
}
