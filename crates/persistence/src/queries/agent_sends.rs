//! Accepts the answers of AI agents (`docs/contract.md#ai-agents`).
use super::inbox::{call_person, find_inbox_conversation, lock_position, pause};
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{InboxEntry, MessageSubmission, SubmissionOutcome};
use crate::schema::{conversations, inbox_entries, messages};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::conversation::{
    Agent, AgentAnswer, AgentRefusal, AnswerConditions, MAX_SENDS_IN_A_ROW, MessageSource,
};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::inbox::{AgentPause, PauseCause};
use domain::message::Direction;
use domain::number::saturating;
use domain::time::Timestamp;

/// Accepts an answer of an AI agent, unless a person has taken the conversation over, the channel's
/// own agent answers, or the contact has written again.
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
            // The insertion has locked the conversation. So a person's message is either committed
            // and found by the check below, or is added after this answer.
            let (organization, conversation) = (new.organization, placed.conversation);
            let sent = sends_in_a_row(conn, organization, conversation).await?;
            // The count includes the answer that was just inserted.
            let before = sent.saturating_sub(1);
            check_answer(conn, organization, conversation, answer, before, new.at).await?;
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
    sends_in_a_row: usize,
    now: Timestamp,
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
    let entry = inbox_entries::table
        .find((Col(organization), Col(conversation)))
        .select(InboxEntry::as_select());
    let entry: Option<InboxEntry> = entry.get_result(conn).await.optional()?;
    let has_channel_agent = entry.is_some_and(|it| it.has_channel_agent(now));
    Ok(AnswerConditions { agent, has_channel_agent, newer, sends_in_a_row }.admit()?)
}

/// Counts the agent's consecutive messages at the end of a conversation. The count stops one above
/// the maximum.
async fn sends_in_a_row(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<usize> {
    let most = saturating(MAX_SENDS_IN_A_ROW.saturating_add(1), i64::MAX);
    let last: Vec<Col<MessageSource>> = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .order(messages::position.desc())
        .limit(most)
        .select(messages::source)
        .load(conn)
        .await?;
    Ok(last.iter().take_while(|source| source.0 == MessageSource::Agent).count())
}

/// Pauses the agent in a conversation, because the agent's limit refused a send, and calls for a
/// person.
pub async fn reach_limit(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let found = find_inbox_conversation(conn, organization, conversation).await?;
        let Some(found) = found.filter(|it| it.agent() == Agent::Running) else { return Ok(()) };
        let (found, mut new_events) = call_person(conn, found, now).await?;
        let limit = AgentPause { cause: PauseCause::Limit, reason: None, by: None, until: None };
        let (_, paused) = pause(conn, found, limit, now).await?;
        new_events.extend(paused);
        events::record(conn, new_events).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Returns the newest message that the contact wrote after the message `after`.
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
