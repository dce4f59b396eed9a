//! Operations on messages, conversations and the outbox.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, run, tenant_query,
    unscoped_query,
};
use crate::records::{
    Addressee, CancelOutcome, Claim, ConversationWithContact, DraftSend, Idempotent, Message,
    MessageSubmission, OrganizationTurn, PersonKey, RenderTogether, RevisedMessage,
    RevisionOutcome, ScheduledCursor, ScheduledMessage, StoredAnswer, SubmissionOutcome,
    TogetherOutcome,
};
use crate::{Db, Error};
use domain::contact::{Address, Identity};
use domain::conversation::{AgentAnswer, SeenPart};
use domain::id::{AccountId, ConversationId, MessageId};
use domain::time::Timestamp;
use std::collections::BTreeSet;

impl Db {
    /// Accepts an answer of an AI agent, unless a person has taken the conversation over or the
    /// contact has written again. If the result says that the message is accepted, it is stored
    /// durably.
    pub fn send_as_agent(
        &self,
        new: MessageSubmission,
        answer: AgentAnswer,
    ) -> DbFuture<'_, SubmissionOutcome> {
        Box::pin(async move {
            let again = new.clone();
            let outcome = match run!(self, write, agent_sends::send_as_agent(new, answer)) {
                // Another instance has answered the same request in the meantime. The second
                // attempt returns its answer.
                Err(error) if error.is_duplicate() => {
                    run!(self, write, agent_sends::send_as_agent(again, answer))
                }
                outcome => outcome,
            };
            match outcome {
                Err(Error::AgentRefused(refusal)) => Ok(SubmissionOutcome::AgentRefused(refusal)),
                outcome => outcome,
            }
        })
    }

    /// Accepts a member's answer, unless the organization has sent another answer that the member
    /// had not seen. If the result says that the message is accepted, it is stored durably.
    pub fn send_after(
        &self,
        new: MessageSubmission,
        seen: SeenPart,
    ) -> DbFuture<'_, SubmissionOutcome> {
        Box::pin(async move {
            match run!(self, write, member_sends::send_after(new, seen)) {
                Err(Error::AnsweredMeanwhile(answer)) => {
                    Ok(SubmissionOutcome::AnsweredMeanwhile(answer))
                }
                outcome => outcome,
            }
        })
    }

    /// Accepts a draft of an AI agent that a member sends, unless the organization has sent another
    /// answer that the member had not seen, or the draft was sent before. If the result says that
    /// the message is accepted, it is stored durably.
    pub fn send_draft(
        &self,
        new: MessageSubmission,
        draft: DraftSend,
    ) -> DbFuture<'_, SubmissionOutcome> {
        Box::pin(async move {
            match run!(self, write, member_sends::send_draft(new, draft)) {
                Err(Error::AnsweredMeanwhile(answer)) => {
                    Ok(SubmissionOutcome::AnsweredMeanwhile(answer))
                }
                outcome => outcome,
            }
        })
    }

    /// Accepts a copy of a failed message, unless a member has sent another copy that has not
    /// failed. If the result says that the message is accepted, it is stored durably.
    pub fn send_again(
        &self,
        new: MessageSubmission,
        failed: MessageId,
    ) -> DbFuture<'_, SubmissionOutcome> {
        Box::pin(async move {
            match run!(self, write, member_sends::send_again(new, failed)) {
                Err(Error::AnsweredMeanwhile(other)) => {
                    Ok(SubmissionOutcome::AnsweredMeanwhile(other))
                }
                outcome => outcome,
            }
        })
    }

    /// Accepts several messages of one request in one commit, and stores the messages that are
    /// scheduled for later. If the result says that messages are accepted, they are stored durably.
    pub fn send_together(
        &self,
        batch: Vec<MessageSubmission>,
        later: Vec<ScheduledMessage>,
        once: Option<(Idempotent, RenderTogether)>,
    ) -> DbFuture<'_, TogetherOutcome> {
        Box::pin(async move {
            let again = (batch.clone(), later.clone(), once.clone());
            match run!(self, write, batches::send_together(batch, later, once)) {
                // Another instance has answered the same request in the meantime. The second
                // attempt returns its answer.
                Err(error) if error.is_duplicate() => {
                    let (batch, later, once) = again;
                    run!(self, write, batches::send_together(batch, later, once))
                }
                outcome => outcome,
            }
        })
    }

    /// Stores a message that is sent later. If the same request was answered before, returns the
    /// stored answer and stores nothing.
    pub fn schedule(
        &self,
        new: ScheduledMessage,
        once: Option<(Idempotent, String)>,
    ) -> DbFuture<'_, Option<StoredAnswer>> {
        Box::pin(async move {
            let again = (new.clone(), once.clone());
            match run!(self, write, scheduled::schedule(new, once)) {
                // Another instance has answered the same request in the meantime. The second
                // attempt returns its answer.
                Err(error) if error.is_duplicate() => {
                    let (new, once) = again;
                    run!(self, write, scheduled::schedule(new, once))
                }
                outcome => outcome,
            }
        })
    }

    /// Applies an edit or a deletion of a message that the channel reports. A repeated report
    /// changes nothing.
    pub fn revise(&self, new: RevisedMessage) -> DbFuture<'_, RevisionOutcome> {
        unscoped_query!(self, write, revisions::revise(new))
    }
}

impl<'a> OrganizationDb<'a> {
    /// Returns the contact with this contact id, conversation id, number or user id.
    pub fn addressee(self, named: PersonKey) -> DbFuture<'a, Option<Addressee>> {
        tenant_query!(self.organization, read, conversations::addressee(named))
    }

    /// Records whether a contact wants marketing messages. Returns `false` if there is no such
    /// contact.
    pub fn set_preference(
        self,
        account: AccountId,
        who: Identity,
        wants: bool,
        at: Timestamp,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write,
            preferences::set_preference(account, who, wants, at, now)
        )
    }

    /// Returns a scheduled message, which may be canceled.
    pub fn scheduled_message(
        self,
        account: Option<AccountId>,
        id: MessageId,
    ) -> DbFuture<'a, Option<ScheduledMessage>> {
        tenant_query!(self.organization, read, scheduled::scheduled_message(account, id))
    }

    /// Lists the messages that wait for their time, in the order in which they are sent.
    pub fn list_scheduled(
        self,
        account: Option<AccountId>,
        after: Option<ScheduledCursor>,
        limit: i64,
    ) -> DbFuture<'a, Vec<ScheduledMessage>> {
        tenant_query!(self.organization, read, scheduled::list_scheduled(account, after, limit))
    }

    /// Counts the messages that wait for their time, up to `most`.
    pub fn count_scheduled(self, most: i64) -> DbFuture<'a, usize> {
        tenant_query!(self.organization, read, scheduled::count_scheduled(most))
    }

    /// Cancels a scheduled message.
    pub fn cancel_message(
        self,
        account: Option<AccountId>,
        id: MessageId,
        now: Timestamp,
    ) -> DbFuture<'a, CancelOutcome> {
        tenant_query!(self.organization, write, scheduled::cancel(account, id, now))
    }

    /// Returns the scheduled messages that are due, in the order in which they are sent.
    pub fn list_due_scheduled(
        self,
        now: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<ScheduledMessage>> {
        tenant_query!(self.organization, read, scheduled::list_due_scheduled(now, limit))
    }

    /// Accepts scheduled messages that are due. Returns how many were removed from the schedule.
    pub fn release_scheduled(self, batch: Vec<MessageSubmission>) -> DbFuture<'a, usize> {
        tenant_query!(self.organization, write, scheduled::release(batch))
    }

    /// Whether a contact has opted out of marketing messages from the organization.
    pub fn has_opted_out(self, account: AccountId, to: Address) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, read, preferences::has_opted_out(account, to))
    }

    /// Returns the conversations with a contact.
    pub fn list_conversations(
        self,
        named: PersonKey,
    ) -> DbFuture<'a, Vec<ConversationWithContact>> {
        tenant_query!(self.organization, read, conversations::list_conversations(named))
    }

    /// Returns the messages of a conversation in a range of positions, newest or oldest first.
    pub fn part(
        self,
        conversation: ConversationId,
        from: i64,
        to: i64,
        oldest_first: bool,
    ) -> DbFuture<'a, Vec<Message>> {
        tenant_query!(
            self.organization,
            read,
            conversations::part(conversation, from, to, oldest_first)
        )
    }

    /// Returns a page of the messages of several conversations, newest or oldest first.
    pub fn list_conversation_messages(
        self,
        within: Vec<ConversationId>,
        oldest_first: bool,
        limit: i64,
        offset: i64,
    ) -> DbFuture<'a, Vec<Message>> {
        tenant_query!(
            self.organization,
            long_read,
            conversations::list_conversation_messages(within, oldest_first, limit, offset)
        )
    }

    /// Returns the conversations whose next message is due, except those that this instance is
    /// already working on. The instance must have claimed the organization. On SQLite this read
    /// runs on the writing thread, because that thread has the pages in its cache.
    pub fn organization_turn(
        self,
        claim: Claim,
        look: i64,
        in_progress: BTreeSet<ConversationId>,
        most: usize,
        now: Timestamp,
    ) -> DbFuture<'a, OrganizationTurn> {
        tenant_query!(
            self.organization,
            write_after,
            outbox::organization_turn(claim, look, in_progress, most, now)
        )
    }

    /// Returns a message of the organization. If an account is given, only a message of that
    /// account is returned.
    pub fn message(
        self,
        account: Option<AccountId>,
        id: MessageId,
    ) -> DbFuture<'a, Option<Message>> {
        tenant_query!(self.organization, read, conversations::message(account, id))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes scheduled messages that were canceled before `cutoff`, and returns how many.
    pub fn delete_expired_scheduled_messages(
        self,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_scheduled_messages(cutoff, portion)
        )
    }

    /// Returns how many messages wait in the outbox, and when the oldest of them was accepted.
    pub fn outbox_depth(self) -> DbFuture<'a, (i64, Option<Timestamp>)> {
        any_node_query!(self, read, outbox::outbox_depth())
    }
}
