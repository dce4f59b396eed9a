//! Accepts the messages that members send (`docs/contract.md#inbox`).
use super::agents::agent_of_account;
use super::inbox::find_inbox_conversation;
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{DraftSend, MessageSubmission, SubmissionOutcome};
use crate::schema::{conversations, messages, turns};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::agent::{DraftConditions, TurnState};
use domain::content::MessageKind;
use domain::conversation::{MessageSource, SeenPart, UnseenAnswer};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::message::Direction;
use domain::time::Timestamp;

/// The maximum number of the newest messages that are searched for an answer that the member had
/// not seen, or for a copy of a failed message.
const MAX_UNSEEN: i64 = 100;

/// Accepts a member's answer, unless the organization has sent another answer that the member had
/// not seen.
///
/// # Errors
///
/// [`Error::AnsweredMeanwhile`] if there is such an answer. Nothing was done.
pub async fn send_after(
    conn: &mut Conn,
    new: MessageSubmission,
    seen: SeenPart,
) -> Result<SubmissionOutcome> {
    conn.transaction(async |conn| accept(conn, &new, Some(seen)).await).await
}

/// Accepts a draft of an AI agent that a member sends, unchanged or edited. The agent keeps
/// running. A draft is sent once: if it was sent before, the text counts as the member's own
/// message and pauses the agent.
///
/// # Errors
///
/// [`Error::AnsweredMeanwhile`] if the organization has sent another answer that the member had not
/// seen. Also [`Error::AnsweredMeanwhile`] if the draft was sent before and it is unknown which
/// messages the member had seen. Nothing was done.
pub async fn send_draft(
    conn: &mut Conn,
    new: MessageSubmission,
    draft: DraftSend,
) -> Result<SubmissionOutcome> {
    conn.transaction(async |conn| {
        let organization = new.organization;
        let row = || turns::table.find((Col(organization), Col(draft.turn)));
        let drafted = row()
            .filter(turns::conversation_id.eq(Col(draft.conversation)))
            .filter(turns::state.eq(Col(TurnState::Drafted)))
            .select(turns::sent_message_id);
        // The turn is locked before the rows of the send. If another member sends the same draft,
        // that send is either committed and seen here, or waits for this lock.
        let sent: Option<Option<Col<MessageId>>> =
            for_update!(drafted).get_result(conn).await.optional()?;
        if let (Some(Some(sent)), None) = (sent, draft.seen)
            && let Some(answer) = sent_answer(conn, organization, sent.0).await?
        {
            return Err(answer.into());
        }
        let keeps_agent = match sent {
            Some(sent) => {
                let conditions = draft_conditions(conn, &new, draft, sent.is_some()).await?;
                conditions.is_some_and(DraftConditions::keep_agent_running)
            }
            None => false,
        };
        let pauses_agent = new.pauses_agent && !keeps_agent;
        let new = MessageSubmission { pauses_agent, ..new };
        let outcome = accept(conn, &new, draft.seen).await?;
        if let (SubmissionOutcome::Accepted(_), Some(None)) = (&outcome, sent) {
            let sent = turns::sent_message_id.eq(Some(Col(new.message)));
            diesel::update(row()).set(sent).execute(conn).await?;
        }
        Ok::<_, Error>(outcome)
    })
    .await
}

/// Reads the conditions that decide whether the agent keeps running after a member has sent its
/// draft. Returns `None` if the conversation is not in the inbox.
async fn draft_conditions(
    conn: &mut Conn,
    new: &MessageSubmission,
    draft: DraftSend,
    is_sent: bool,
) -> Result<Option<DraftConditions>> {
    let organization = new.organization;
    let found = find_inbox_conversation(conn, organization, draft.conversation).await?;
    let Some(found) = found else { return Ok(None) };
    let agent = agent_of_account(conn, organization, found.conversation.account_id).await?;
    Ok(Some(DraftConditions {
        is_sent,
        mode: agent.map(|it| it.mode),
        has_channel_agent: found.entry.has_channel_agent(new.at),
    }))
}

/// Returns the message that was already sent from a draft, as the answer that the member had not
/// seen.
async fn sent_answer(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
) -> Result<Option<UnseenAnswer>> {
    let row = messages::table
        .find((Col(organization), Col(message)))
        .select((messages::source, messages::created_at));
    let found: Option<(Col<MessageSource>, Col<Timestamp>)> =
        row.get_result(conn).await.optional()?;
    Ok(found.map(|(by, at)| UnseenAnswer { message, by: by.0, at: at.0 }))
}

/// Inserts a member's message, and checks that the organization has not sent another answer that
/// the member had not seen.
async fn accept(
    conn: &mut Conn,
    new: &MessageSubmission,
    seen: Option<SeenPart>,
) -> Result<SubmissionOutcome> {
    let outcome = insert_submissions(conn, std::slice::from_ref(new), true).await?.pop();
    let missing = || Error::Internal("a member's answer got no outcome".to_owned());
    let outcome = outcome.ok_or_else(missing)?;
    if let (SubmissionOutcome::Accepted(placed), Some(seen)) = (&outcome, seen) {
        // Inserting the message has locked the conversation. Another answer is therefore either
        // already committed, and is found here, or it is added after the member's message.
        let conversation = placed.conversation;
        let seen = seen.position_in(conversation);
        let found = answer_after(conn, new.organization, conversation, seen, new.message).await?;
        if let Some(answer) = found {
            return Err(answer.into());
        }
    }
    Ok(outcome)
}

/// Returns the organization's newest message after position `seen`, except the message `own`.
/// Reactions do not count as answers.
async fn answer_after(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    seen: i64,
    own: MessageId,
) -> Result<Option<UnseenAnswer>> {
    let first = first_searched(conn, organization, conversation, seen).await?;
    let answer: Option<(Col<MessageId>, Col<MessageSource>, Col<Timestamp>)> = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::position.gt(first))
        .filter(messages::direction.eq(Col(Direction::Outbound)))
        .filter(messages::kind.ne(Col(MessageKind::Reaction)))
        .filter(messages::id.ne(Col(own)))
        .order(messages::position.desc())
        .limit(1)
        .select((messages::id, messages::source, messages::created_at))
        .get_result(conn)
        .await
        .optional()?;
    Ok(answer.map(|(id, by, at)| UnseenAnswer { message: id.0, by: by.0, at: at.0 }))
}

/// Returns the position after which the search begins: `after`, or a later one if more than
/// [`MAX_UNSEEN`] messages follow.
async fn first_searched(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    after: i64,
) -> Result<i64> {
    let count = conversations::table
        .find((Col(organization), Col(conversation)))
        .select(conversations::message_count);
    let count: i64 = count.get_result(conn).await?;
    Ok(after.max(count.saturating_sub(MAX_UNSEEN)))
}

/// Accepts a copy of a failed message, unless a member has sent another copy that has not failed.
///
/// # Errors
///
/// [`Error::AnsweredMeanwhile`], which names the other copy, if there is one. Nothing was done.
pub async fn send_again(
    conn: &mut Conn,
    new: MessageSubmission,
    failed: MessageId,
) -> Result<SubmissionOutcome> {
    conn.transaction(async |conn| {
        let outcome = insert_submissions(conn, std::slice::from_ref(&new), true).await?.pop();
        let missing = || Error::Internal("a copy of a message got no outcome".to_owned());
        let outcome = outcome.ok_or_else(missing)?;
        if let SubmissionOutcome::Accepted(placed) = &outcome {
            // Inserting the message has locked the conversation, as in `accept`.
            let other = copy_after(conn, &new, placed.conversation, failed).await?;
            if let Some(other) = other {
                return Err(other.into());
            }
        }
        Ok(outcome)
    })
    .await
}

/// Returns the newest message after the failed one that has the same content, that a member sent,
/// and that has not failed.
async fn copy_after(
    conn: &mut Conn,
    new: &MessageSubmission,
    conversation: ConversationId,
    failed: MessageId,
) -> Result<Option<UnseenAnswer>> {
    let organization = new.organization;
    let position = messages::table
        .find((Col(organization), Col(failed)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .select(messages::position);
    let position: Option<i64> = position.get_result(conn).await.optional()?;
    // If the failed message is in another conversation, the number now belongs to another contact,
    // to whom no copy has been sent.
    let Some(position) = position else { return Ok(None) };
    let first = first_searched(conn, organization, conversation, position).await?;
    let sent = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::position.gt(first))
        .filter(messages::source.eq(Col(MessageSource::Inbox)))
        .filter(messages::kind.eq(Col(new.content.kind)))
        .filter(messages::failure.is_null())
        .filter(messages::id.ne(Col(new.message)))
        .order(messages::position.desc())
        .select((messages::id, messages::content, messages::created_at));
    let sent: Vec<(Col<MessageId>, Document, Col<Timestamp>)> = sent.load(conn).await?;
    let other = sent.into_iter().find(|(_, content, _)| content.0 == new.content.document);
    let by = MessageSource::Inbox;
    Ok(other.map(|(id, _, at)| UnseenAnswer { message: id.0, by, at: at.0 }))
}
