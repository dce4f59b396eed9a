//! Accepts the answers of AI agents (`docs/contract.md#ai-agents`).
use super::agents::agent_of_account;
use super::inbox::{call_person, find_inbox_conversation, lock_position, pause};
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{
    Conversation, InboxConversation, InboxEntry, MessageSubmission, Note, RequestedHandOver,
    SubmissionOutcome,
};
use crate::schema::{conversations, inbox_entries, messages, notes};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::agent::{AgentKind, AgentMode, ApiAgent, ThreadMessage, answers_within_hour};
use domain::conversation::{Agent, AgentAnswer, AgentRefusal, AnswerConditions, MessageSource};
use domain::event::{EventKind, EventPayload, HandoverRequest, NewEvent};
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::inbox::{AgentPause, PauseCause};
use domain::message::Direction;
use domain::number::saturating;
use domain::time::Timestamp;
use std::time::Duration;

/// The number of last messages that are read to check an answer.
const RECENT_MESSAGES: usize = 32;
/// The number of older messages that are read to count the answers of the last hour, if the last
/// messages do not cover the hour.
const OLDER_MESSAGES: usize = 1000;

/// Accepts an answer of an AI agent, unless a person has taken the conversation over, the channel's
/// own agent answers, the contact has written again, or the agent's mode or its limits forbid it.
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
            // Inserting the answer has locked the conversation. A message of a person is therefore
            // either already committed, and the checks below find it, or it is added after the
            // agent's answer.
            let (organization, conversation) = (new.organization, placed.conversation);
            let agent = api_agent(conn, organization, new.account).await?;
            if let Some(agent) = agent {
                agent.check_mode()?;
            }
            let before = last_messages(conn, organization, conversation, new.message).await?;
            let in_a_row = sends_in_a_row(&before);
            check_answer(conn, organization, conversation, answer, in_a_row, new.at).await?;
            if let Some(agent) = agent {
                check_limits(conn, organization, conversation, agent, &before, new.at).await?;
            }
        }
        Ok::<_, Error>(outcome)
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

/// Returns the agent that answers over the API on a number. If the number has no agent, returns an
/// agent with the default limits. Returns `None` if the agent is a model or a webhook, because its
/// turns check the limits.
async fn api_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
) -> Result<Option<ApiAgent>> {
    let Some(agent) = agent_of_account(conn, organization, account).await? else {
        return Ok(Some(ApiAgent::default()));
    };
    let limits = agent.settings()?.limits;
    let is_api = agent.kind == AgentKind::Api;
    Ok(is_api.then_some(ApiAgent { mode: agent.mode, limits }))
}

/// A message with its id and its position.
struct PlacedThreadMessage {
    id: MessageId,
    position: i64,
    message: ThreadMessage,
}

/// Returns the last messages of a conversation before the answer `new`, the oldest first.
async fn last_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    new: MessageId,
) -> Result<Vec<PlacedThreadMessage>> {
    let most = RECENT_MESSAGES.saturating_add(1);
    let mut found = messages_before(conn, organization, conversation, i64::MAX, most).await?;
    found.retain(|it| it.id != new);
    Ok(found)
}

/// A message's id, position, source and time.
type PositionedMessage = (Col<MessageId>, i64, Col<MessageSource>, Col<Timestamp>);

/// Returns messages of a conversation with smaller positions than `end`, the oldest first.
async fn messages_before(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    end: i64,
    most: usize,
) -> Result<Vec<PlacedThreadMessage>> {
    let rows: Vec<PositionedMessage> = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::conversation_id.eq(Col(conversation)))
        .filter(messages::position.lt(end))
        .order(messages::position.desc())
        .limit(saturating(most, i64::MAX))
        .select((messages::id, messages::position, messages::source, messages::created_at))
        .load(conn)
        .await?;
    let placed = |(id, position, source, at): PositionedMessage| {
        let message = ThreadMessage { source: source.0, text: None, at: at.0 };
        PlacedThreadMessage { id: id.0, position, message }
    };
    Ok(rows.into_iter().rev().map(placed).collect())
}

/// Counts the agent's consecutive messages at the end of a conversation.
fn sends_in_a_row(last: &[PlacedThreadMessage]) -> usize {
    let is_agents = |it: &&PlacedThreadMessage| it.message.source == MessageSource::Agent;
    last.iter().rev().take_while(is_agents).count()
}

/// Checks that an answer is within the limits of an agent, and that the contact is not a program.
/// The texts of the messages are not compared here, because the turn of the contact's message
/// compares them.
async fn check_limits(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    agent: ApiAgent,
    last: &[PlacedThreadMessage],
    now: Timestamp,
) -> Result<()> {
    let recent: Vec<ThreadMessage> = last.iter().map(|it| it.message.clone()).collect();
    let mut answers = answers_within_hour(&recent, now);
    let since = now.minus(Duration::from_hours(1));
    let first = last.first().filter(|it| last.len() >= RECENT_MESSAGES && it.message.at > since);
    if let Some(first) = first {
        let end = first.position;
        let older = messages_before(conn, organization, conversation, end, OLDER_MESSAGES).await?;
        let older: Vec<ThreadMessage> = older.into_iter().map(|it| it.message).collect();
        answers = answers.saturating_add(answers_within_hour(&older, now));
    }
    Ok(agent.check_limits(&recent, answers)?)
}

/// Pauses the agent in a conversation and calls for a person, because an answer of the agent was
/// refused. `cause` is the reason for the pause.
pub async fn stop_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    cause: PauseCause,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let found = find_inbox_conversation(conn, organization, conversation).await?;
        let Some(found) = found.filter(|it| it.agent() == Agent::Running) else { return Ok(()) };
        let (found, mut new_events) = call_person(conn, found, now).await?;
        let stopped = AgentPause { cause, reason: None, by: None, until: None };
        let (_, paused) = pause(conn, found, stopped, now).await?;
        new_events.extend(paused);
        events::record(conn, new_events).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Hands a conversation over to a person, because an AI agent asks for it over the API. The summary
/// becomes a note. Returns the conversation, or `None` if there is none.
///
/// # Errors
///
/// [`Error::AgentRefused`] if the agent may not answer in the conversation. Nothing was done.
pub async fn hand_over_as_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    new: RequestedHandOver,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(None);
        };
        let Conversation { id, account_id, .. } = found.conversation;
        let agent = agent_of_account(conn, organization, account_id).await?;
        // The mode of a model or a webhook concerns its turns only.
        let mode = agent.as_ref().filter(|it| it.kind == AgentKind::Api).map(|it| it.mode);
        let mode = mode.unwrap_or(AgentMode::Auto);
        ApiAgent { mode, ..ApiAgent::default() }.check_mode()?;
        check_answer(conn, organization, id, AgentAnswer { after: None }, 0, now).await?;
        let event =
            |kind, payload| NewEvent::for_account(organization, account_id, kind, payload, now);
        let RequestedHandOver { hand_over, note, client_id, key_name } = new;
        let mut new_events = Vec::new();
        if let Some(text) = hand_over.summary.clone() {
            let (author, author_name) = match &agent {
                Some(agent) => (agent.id.to_string(), agent.name.clone()),
                None => (client_id, key_name),
            };
            let note = Note {
                organization_id: organization,
                id: note,
                conversation_id: id,
                text,
                member_id: None,
                client_id: Some(author),
                author_name,
                created_at: now,
            };
            diesel::insert_into(notes::table).values(&note).execute(conn).await?;
            let payload = EventPayload::Note(Box::new(note.snapshot()));
            new_events.push(event(EventKind::NoteCreated, payload));
        }
        let (found, call) = call_person(conn, found, now).await?;
        new_events.extend(call);
        let reason = Some(hand_over.reason.clone());
        let asked = AgentPause { cause: PauseCause::HandedOver, reason, by: None, until: None };
        let (found, paused) = pause(conn, found, asked, now).await?;
        new_events.extend(paused);
        let request = HandoverRequest {
            conversation: id,
            agent: agent.map(|it| it.id),
            turn: None,
            reason: hand_over.reason,
            summary: hand_over.summary,
        };
        let payload = EventPayload::Handover(Box::new(request));
        new_events.push(event(EventKind::HandoverRequested, payload));
        events::record(conn, new_events).await?;
        Ok::<_, Error>(Some(found))
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
