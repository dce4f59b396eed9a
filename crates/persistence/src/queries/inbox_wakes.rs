//! Ends snoozes of conversations and pauses of their agents when their time is over.
use super::inbox::{
    change_state, find_inbox_conversation, lock_position, report_closing_window, resume,
};
use super::inbox_events::catch_up_with;
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::schema::messages;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::conversation::Agent;
use domain::id::{AccountId, ConversationId, OrganizationId};
use domain::inbox::AgentStep;
use domain::time::Timestamp;

/// Ends the snooze of a conversation and the pause of its agent, each if its time is over.
pub async fn wake_inbox_entry(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<()> {
    end_snooze(conn, organization, id, now).await?;
    end_pause(conn, organization, id, now).await?;
    report_closing_window(conn, organization, id, now).await
}

async fn end_snooze(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(());
        };
        let (_, new_events) = change_state(conn, found, now, |state| state.woken(now)).await?;
        events::record(conn, new_events).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Ends the pause of an agent whose time has passed. The organization's events are applied first,
/// because an answer of a person extends the pause.
async fn end_pause(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        catch_up_with(conn, organization, id, now).await?;
        let Some(found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(());
        };
        // The entry of a running agent is also woken if it still has the end of a pause. Resuming
        // the agent removes that end.
        let pause = found.entry.agent_status(Agent::Paused, None);
        if !pause.is_ended_by(AgentStep::Time, now) {
            return Ok(());
        }
        let (_, event) = resume(conn, found, now).await?;
        events::record(conn, event.into_iter().collect()).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Ends the pause of an agent that was paused because the contact had opted out. The contact has
/// opted in again with a message, which is identified by the channel's message id.
pub async fn resume_after_opt_in(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    channel_message_id: String,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let conversation = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::account_id.eq(Col(account)))
            .filter(messages::channel_message_id.eq(Some(channel_message_id)))
            .select(messages::conversation_id);
        let conversation: Option<Col<ConversationId>> =
            conversation.get_result(conn).await.optional()?;
        let Some(conversation) = conversation else { return Ok(()) };
        let found = find_inbox_conversation(conn, organization, conversation.0).await?;
        let Some(found) = found else { return Ok(()) };
        if !found.agent_status().is_ended_by(AgentStep::OptIn, now) {
            return Ok(());
        }
        let (_, event) = resume(conn, found, now).await?;
        events::record(conn, event.into_iter().collect()).await?;
        Ok::<_, Error>(())
    })
    .await
}
