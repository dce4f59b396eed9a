//! Conversations, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::inbox::{self, InboxError, MemberConversation};
use domain::id::{ConversationId, TurnId};
use domain::inbox::{AgentPause, InboxChange, NoteAuthor, PauseCause};
use domain::role::{MemberAction, VisibleConversations};
use persistence::Reader;
use persistence::records::{InboxConversation, Note};

pub struct MemberInbox<'a> {
    actor: Actor<'a>,
    reader: Reader,
    conversation: ConversationId,
}

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn inbox(self, reader: Reader, conversation: ConversationId) -> MemberInbox<'a> {
        MemberInbox { actor: self, reader, conversation }
    }
}

type ConversationResult = Result<InboxConversation, ActionError<InboxError>>;

impl MemberInbox<'_> {
    /// Finds the conversation, if the member may see it.
    pub async fn find(&self) -> Result<InboxConversation, InboxError> {
        let found = inbox::find(self.actor.deps, self.reader, None, self.conversation).await?;
        if self.actor.visible().includes(found.entry.assignee_id) {
            Ok(found)
        } else {
            Err(InboxError::NotFound)
        }
    }

    /// Runs `work` if the member may see the conversation.
    async fn on_visible<T>(
        &self,
        work: impl Future<Output = Result<T, InboxError>>,
    ) -> Result<T, InboxError> {
        if self.actor.visible() != VisibleConversations::All {
            self.find().await?;
        }
        work.await
    }

    /// Finds the conversation for the member who looks at it, and records that they do.
    pub async fn view(&self) -> Result<MemberConversation, InboxError> {
        let member = self.actor.member;
        self.on_visible(inbox::view(self.actor.deps, self.reader, member, self.conversation)).await
    }

    /// Changes the status, the assignee or the labels.
    pub async fn update(&self, change: InboxChange) -> ConversationResult {
        let work = inbox::update(self.actor.deps, self.reader, None, self.conversation, change);
        let work = self.on_visible(work);
        self.actor.perform(MemberAction::ConversationUpdated, work, |it| Some(object(it))).await
    }

    /// Pauses the AI agent, so that a person answers.
    pub async fn pause_agent(&self) -> ConversationResult {
        let by = Some(self.actor.member);
        let pause = AgentPause { cause: PauseCause::Member, reason: None, by, until: None };
        let work = inbox::pause_agent(self.actor.deps, self.reader, None, self.conversation, pause);
        let work = self.on_visible(work);
        self.actor.perform(MemberAction::AgentPaused, work, |it| Some(object(it))).await
    }

    /// Lets the AI agent answer again.
    pub async fn resume_agent(&self) -> ConversationResult {
        let work = inbox::resume_agent(self.actor.deps, self.reader, None, self.conversation);
        let work = self.on_visible(work);
        self.actor.perform(MemberAction::AgentResumed, work, |it| Some(object(it))).await
    }

    /// Writes a note. `name` is the member's name, which the note keeps. Events and the API show it,
    /// so it is not the email address; without a name the note says "A member".
    pub async fn create_note(
        &self,
        text: String,
        name: String,
    ) -> Result<Note, ActionError<InboxError>> {
        let name = if name.is_empty() { "A member".to_owned() } else { name };
        let author = NoteAuthor::Member { id: self.actor.member, name };
        let (deps, reader, id) = (self.actor.deps, self.reader, self.conversation);
        let work = inbox::create_note(deps, reader, None, id, text, author);
        let created =
            |note: &Note| Some(AuditObject::new(note.id, note.conversation_id.to_string()));
        let work = self.on_visible(work);
        self.actor.perform(MemberAction::NoteCreated, work, created).await
    }

    /// Stores what the member is writing. This is not in the audit log.
    pub async fn save_draft(&self, text: &str) -> Result<(), ActionError<InboxError>> {
        self.actor.authority.check(MemberAction::NoteCreated)?;
        let (deps, reader, id) = (self.actor.deps, self.reader, self.conversation);
        let work = inbox::save_draft(deps, reader, self.actor.member, id, text);
        let saved = self.on_visible(work).await;
        saved.map_err(ActionError::Failed)
    }

    /// Discards a draft of the AI agent. This is not in the audit log.
    pub async fn discard_agent_draft(&self, turn: TurnId) -> Result<(), ActionError<InboxError>> {
        self.actor.authority.check(MemberAction::ConversationUpdated)?;
        let (deps, reader, id) = (self.actor.deps, self.reader, self.conversation);
        let work = inbox::discard_agent_draft(deps, reader, self.actor.member, id, turn);
        let discarded = self.on_visible(work).await;
        discarded.map_err(ActionError::Failed)
    }

    /// Marks the conversation as read or as unread for the member. This is not in the audit log.
    pub async fn mark(&self, is_read: bool) -> Result<(), ActionError<InboxError>> {
        self.actor.authority.check(MemberAction::ConversationUpdated)?;
        let (deps, reader, id) = (self.actor.deps, self.reader, self.conversation);
        let work = inbox::mark(deps, reader, self.actor.member, id, is_read);
        let marked = self.on_visible(work).await;
        marked.map_err(ActionError::Failed)
    }
}

fn object(found: &InboxConversation) -> AuditObject {
    let contact = &found.contact;
    let name = contact.name.clone().or_else(|| contact.phone_number.clone());
    AuditObject::new(found.conversation.id, name.unwrap_or_default())
}
