//! Resumes AI agents for members and programs (`docs/contract.md#ai-agents`).
use super::agents::agent_of_account;
use super::inbox::{change_state, find_inbox_conversation, lock_position, resume};
use super::inbox_events::catch_up_with;
use super::turns::{extend_turns, newest_turn};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{Conversation, InboxConversation, ReceivedMessage};
use crate::schema::messages;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::agent::{AgentKind, AgentMode, TurnState};
use domain::content::MessageKind;
use domain::conversation::{MessageSource, PastMessage, waiting_message};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::inbox::InboxState;
use domain::time::Timestamp;

/// The number of newest messages that are searched for one that waits for an answer.
const SCANNED_MESSAGES: i64 = 100;

/// Resumes the AI agent in a conversation. The agent then also answers the contact's newest
/// message, if nobody has answered it. The agent does not answer the message `left`, because that
/// message would pause it again. The conversation no longer needs a person. Returns the
/// conversation, or `None` if there is none.
pub async fn resume_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    left: Option<MessageId>,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let found = find_inbox_conversation(conn, organization, id).await?;
        let Some(found) = found else { return Ok(None) };
        // All recorded events are applied to the inbox first. If the event of a message were
        // applied later, the message would get a second turn.
        catch_up_with(conn, organization, found.conversation.id, now).await?;
        let found = find_inbox_conversation(conn, organization, id).await?;
        let Some(mut found) = found else { return Ok(None) };
        if found.entry.channel_agent_at.is_some() {
            found.entry.channel_control_at = Some(now);
        }
        let (found, mut new_events) =
            change_state(conn, found, now, InboxState::calling_nobody).await?;
        let (found, event) = resume(conn, found, now).await?;
        if event.is_some() && is_asked(conn, &found).await? {
            let waiting = waiting(conn, &found, now).await?.filter(|it| Some(it.id) != left);
            extend_turns(conn, organization, waiting.into_iter().collect(), now).await?;
        }
        new_events.extend(event);
        events::record(conn, new_events).await?;
        Ok::<_, Error>(Some(found))
    })
    .await
}

/// Returns the unanswered message of the conversation that the AI agent would answer if it were
/// resumed.
pub async fn find_waiting_message(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<Option<MessageId>> {
    let found = find_inbox_conversation(conn, organization, id).await?;
    let Some(found) = found.filter(|it| !it.entry.has_channel_agent(now)) else {
        return Ok(None);
    };
    if !is_asked(conn, &found).await? {
        return Ok(None);
    }
    Ok(waiting(conn, &found, now).await?.map(|it| it.id))
}

/// Whether the number of a conversation has an agent that Switchboard asks: a model or a webhook,
/// not an agent over the API.
async fn is_asked(conn: &mut Conn, found: &InboxConversation) -> Result<bool> {
    let Conversation { organization_id, account_id, .. } = found.conversation;
    let agent = agent_of_account(conn, organization_id, account_id).await?;
    Ok(agent.is_some_and(|it| it.mode != AgentMode::Off && it.kind != AgentKind::Api))
}

/// A message's id, source, kind and time.
type NewestMessage = (Col<MessageId>, Col<MessageSource>, Col<MessageKind>, Col<Timestamp>);

/// Returns the contact's newest message if nobody has answered it and no turn has begun for it. A
/// superseded turn does not count, because it produced no answer.
async fn waiting(
    conn: &mut Conn,
    found: &InboxConversation,
    now: Timestamp,
) -> Result<Option<ReceivedMessage>> {
    let Conversation { organization_id, id, account_id, .. } = found.conversation;
    // Messages from before the conversation was closed need no answer.
    let closed_at = found.entry.agent_context_from.unwrap_or(0);
    let newest = messages::table
        .filter(messages::organization_id.eq(Col(organization_id)))
        .filter(messages::conversation_id.eq(Col(id)))
        .filter(messages::position.gt(closed_at))
        .order(messages::position.desc())
        .limit(SCANNED_MESSAGES)
        .select((messages::id, messages::source, messages::kind, messages::created_at));
    let newest: Vec<NewestMessage> = newest.load(conn).await?;
    let past = |(id, source, kind, at): NewestMessage| {
        let (source, kind) = (source.0, kind.0);
        PastMessage { id: id.0, source, kind, at: at.0 }
    };
    let newest: Vec<PastMessage> = newest.into_iter().map(past).collect();
    let Some(message) = waiting_message(&newest, now) else { return Ok(None) };
    let turn = newest_turn(conn, organization_id, id).await?;
    let takes_up = |state: TurnState| state != TurnState::Superseded;
    if turn.is_some_and(|it| it.after_message_id == message.id && takes_up(it.state)) {
        return Ok(None);
    }
    Ok(Some(ReceivedMessage {
        id: message.id,
        conversation: id,
        account: account_id,
        at: message.at,
    }))
}
