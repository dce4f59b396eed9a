//! Accepts the answers of AI agents (`docs/contract.md#ai-agents`).
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{MessageSubmission, SubmissionOutcome};
use crate::schema::{conversations, messages};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::conversation::{Agent, AgentAnswer, AgentRefusal, AnswerConditions};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::message::Direction;

/// Accepts an answer of an AI agent, unless a person has taken the conversation over or the contact
/// has written again.
///
/// # Errors
///
/// [`Error::AgentRefused`] if the agent may not answer. Nothing was done.
pub async fn send_as_agent(
    conn: &mut Conn,
    new: MessageSubmission,
    answer: AgentAnswer,
) -> Result<SubmissionOutcome> {
    conn.transaction(async |conn| {
        let outcome = insert_submissions(conn, std::slice::from_ref(&new), true).await?.pop();
        let missing = || Error::Internal("an agent's answer got no outcome".to_owned());
        let outcome = outcome.ok_or_else(missing)?;
        if let SubmissionOutcome::Accepted(placed) = &outcome {
            // The insertion has locked the conversation. A person's message is either committed,
            // and seen here, or comes after this one.
            check_answer(conn, new.organization, placed.conversation, answer).await?;
        }
        Ok(outcome)
    })
    .await
}

/// Locks a conversation, and checks that the AI agent may answer in it.
pub(super) async fn check_answer(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    answer: AgentAnswer,
) -> Result<()> {
    let row = conversations::table
        .find((Col(organization), Col(conversation)))
        .select(conversations::agent_paused);
    let paused: bool = for_update!(row).get_result(conn).await?;
    let newer = match answer.after {
        Some(after) => newer_message(conn, organization, conversation, after).await?,
        None => None,
    };
    let agent = if paused { Agent::Paused } else { Agent::Running };
    Ok(AnswerConditions { agent, newer }.admit()?)
}

/// Returns the newest message that the contact wrote after this one.
async fn newer_message(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    after: MessageId,
) -> Result<Option<MessageId>> {
    let answered: Option<i64> = messages::table
        .find((Col(organization), Col(after)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .select(messages::position)
        .get_result(conn)
        .await
        .optional()?;
    let answered = answered.ok_or(AgentRefusal::UnknownMessage)?;
    let newest: Option<Col<MessageId>> = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::position.gt(answered))
        .filter(messages::direction.eq(Col(Direction::Inbound)))
        .order(messages::position.desc())
        .limit(1)
        .select(messages::id)
        .get_result(conn)
        .await
        .optional()?;
    Ok(newest.map(|id| id.0))
}
