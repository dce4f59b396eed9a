//! Turns of AI agents. A turn waits, is claimed, and ends (`docs/contract.md#ai-agents`).
//!
//! A transaction that ends a turn locks the organization's row in `inbox_positions`, then the turn,
//! and then the same rows as a send. The events are recorded last, as `events::record` requires.
use super::agent_costs::{self, add_spending};
use super::agent_sends::check_answer;
use super::agents::agents_of_accounts;
use super::inbox::{
    call_person, entry_of_conversation, find_inbox_conversation, lock_position, pause,
};
use super::messages::insert_submissions;
use super::{Conn, RunQueryDsl, Transactional, events, inserts, listed, newest_turns_of};
use crate::records::{
    DueTurn, Note, ReceivedMessage, SubmissionOutcome, Turn, TurnEnd, TurnFinish, TurnPostponement,
};
use crate::schema::{agent_accounts, agents, conversations, inbox_entries, notes, turns};
use crate::types::{Attempts, Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::agent::{
    AgentKind, AgentMode, AnswerCounts, AnswerLimits, Spending, TurnState, TurnStep,
};
use domain::conversation::{AgentAnswer, THREAD_IDLE_AFTER};
use domain::event::{EventKind, EventPayload, HandoverRequest, NewEvent, TurnSnapshot};
use domain::id::{AccountId, AiAgentId, ConversationId, MessageId, OrganizationId, TurnId};
use domain::inbox::{AgentPause, PauseCause};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Creates turns in which AI agents answer messages of contacts. Each conversation gets one turn.
/// If a turn already waits in the conversation, it also answers the new messages. An agent over the
/// API is not asked for an answer, but a turn also checks the texts of its contacts. Runs in the
/// transaction that applies the events to the inbox, so no message gets two turns. The id of a new
/// turn begins with the current time, even if the channel delivered the message late.
pub(super) async fn extend_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    received: Vec<ReceivedMessage>,
    now: Timestamp,
) -> Result<()> {
    if received.is_empty() {
        return Ok(());
    }
    let accounts: BTreeSet<AccountId> = received.iter().map(|it| it.account).collect();
    let mut answering = agents_of_accounts(conn, organization, accounts).await?;
    answering.retain(|_, agent| agent.mode != AgentMode::Off);
    if answering.is_empty() {
        return Ok(());
    }
    let mut conversations: BTreeMap<ConversationId, Vec<ReceivedMessage>> = BTreeMap::new();
    for message in received.into_iter().filter(|it| answering.contains_key(&it.account)) {
        conversations.entry(message.conversation).or_default().push(message);
    }
    let answered = answered_conversations(conn, organization, &conversations).await?;
    conversations.retain(|conversation, _| answered.contains(conversation));
    let waiting = waiting_turns(conn, organization, conversations.keys()).await?;
    let mut new = Vec::new();
    for (conversation, messages) in conversations {
        let (Some(first), Some(last)) = (messages.as_slice().first(), messages.as_slice().last())
        else {
            continue;
        };
        let Some(agent) = answering.get(&first.account) else { continue };
        let delay = agent.settings()?.delay;
        let due_at = |begun: Timestamp, newest: Timestamp| match agent.kind {
            // A program reads the message at once.
            AgentKind::Api => newest,
            AgentKind::Model | AgentKind::Webhook => delay.due_at(begun, newest),
        };
        if let Some(turn) = waiting.get(&conversation) {
            let row = turns::table.find((Col(organization), Col(turn.id)));
            diesel::update(row)
                .set((
                    turns::after_message_id.eq(Col(last.id)),
                    turns::due_at.eq(Some(Col(due_at(turn.first_at, last.at)))),
                ))
                .execute(conn)
                .await?;
            continue;
        }
        new.push(Turn {
            organization_id: organization,
            id: TurnId::made_for(&first.id, now),
            conversation_id: conversation,
            account_id: first.account,
            agent_id: agent.id,
            state: TurnState::Waiting,
            after_message_id: last.id,
            first_at: first.at,
            due_at: Some(due_at(first.at, last.at)),
            attempts: Attempts::from(0),
            ticket: None,
            expires_at: None,
            reason: None,
            tokens: None,
            took_ms: None,
            answer: None,
            created_at: now,
            finished_at: None,
            input_tokens: None,
            output_tokens: None,
            cost: None,
            unpriced_requests: 0,
            sent_message_id: None,
        });
    }
    for some in inserts(&new) {
        diesel::insert_into(turns::table).values(some).execute(conn).await?;
    }
    Ok(())
}

/// Returns the conversations in which the organization's agents answer: the agent is not paused,
/// and the channel's own agent does not answer.
async fn answered_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    among: &BTreeMap<ConversationId, Vec<ReceivedMessage>>,
) -> Result<BTreeSet<ConversationId>> {
    let found: Vec<(Col<ConversationId>, Option<Col<Timestamp>>)> = conversations::table
        .left_join(inbox_entries::table.on(entry_of_conversation()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(listed(among.keys().copied().map(Col))))
        .filter(conversations::agent_paused.eq(false))
        .select((conversations::id, inbox_entries::channel_agent_at.nullable()))
        .load(conn)
        .await?;
    let is_answered = |(id, channel_agent_at): &(Col<ConversationId>, Option<Col<Timestamp>>)| {
        let last = among.get(&id.0).and_then(|messages| messages.last()).map(|it| it.at);
        let is_channels =
            |at: Col<Timestamp>| last.is_some_and(|last| last.since(at.0) < THREAD_IDLE_AFTER);
        !channel_agent_at.is_some_and(is_channels)
    };
    Ok(found.into_iter().filter(is_answered).map(|(id, _)| id.0).collect())
}

async fn waiting_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    among: impl Iterator<Item = &ConversationId>,
) -> Result<BTreeMap<ConversationId, Turn>> {
    let found: Vec<Turn> = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq_any(listed(among.copied().map(Col))))
        .filter(turns::state.eq(Col(TurnState::Waiting)))
        .select(Turn::as_select())
        .load(conn)
        .await?;
    Ok(found.into_iter().map(|turn| (turn.conversation_id, turn)).collect())
}

/// Moves the turns of a merged conversation to the one that stays. If a turn already waits in the
/// one that stays, it answers the messages of both.
pub(super) async fn move_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    gone: ConversationId,
    kept: ConversationId,
) -> Result<()> {
    let asking = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq(Col(gone)))
        .filter(turns::state.eq(Col(TurnState::Asking)));
    diesel::update(asking).set(turns::conversation_id.eq(Col(kept))).execute(conn).await?;
    let waiting = waiting_turns(conn, organization, [gone, kept].iter()).await?;
    let Some(moved) = waiting.get(&gone) else { return Ok(()) };
    let row = || turns::table.find((Col(organization), Col(moved.id)));
    if waiting.contains_key(&kept) {
        diesel::delete(row()).execute(conn).await?;
    } else {
        diesel::update(row()).set(turns::conversation_id.eq(Col(kept))).execute(conn).await?;
    }
    Ok(())
}

/// Returns turns that are due at `now`, those with the earliest due time first, except the turns of
/// the given agents.
pub async fn due_turns(
    conn: &mut Conn,
    now: Timestamp,
    except: Vec<AiAgentId>,
    limit: i64,
) -> Result<Vec<DueTurn>> {
    let mut due = turns::table
        .filter(turns::due_at.le(Some(Col(now))))
        .order(turns::due_at)
        .limit(limit)
        .select((turns::organization_id, turns::agent_id, turns::id))
        .into_boxed();
    if !except.is_empty() {
        due = due.filter(turns::agent_id.ne_all(except.into_iter().map(Col).collect::<Vec<_>>()));
    }
    let due: Vec<(Col<OrganizationId>, Col<AiAgentId>, Col<TurnId>)> = due.load(conn).await?;
    let turn = |(organization, agent, turn): (Col<_>, Col<_>, Col<_>)| DueTurn {
        organization: organization.0,
        agent: agent.0,
        turn: turn.0,
    };
    Ok(due.into_iter().map(turn).collect())
}

/// Returns the earliest due time of a turn.
pub async fn oldest_due_turn(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let oldest = turns::table
        .filter(turns::due_at.is_not_null())
        .order(turns::due_at)
        .limit(1)
        .select(turns::due_at.assume_not_null());
    let oldest: Option<Col<Timestamp>> = oldest.get_result(conn).await.optional()?;
    Ok(oldest.map(|at| at.0))
}

/// Claims a turn that is due, until `until`, and counts the attempt. Returns the turn as it was
/// before the claim, or `None` if another instance has claimed it.
pub async fn claim_turn(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<Turn>> {
    conn.transaction(async |conn| {
        let row = || turns::table.find((Col(organization), Col(id)));
        let due = row().filter(turns::due_at.le(Some(Col(now)))).select(Turn::as_select());
        let Some(turn) = for_update!(due).get_result::<Turn>(conn).await.optional()? else {
            return Ok(None);
        };
        let Some(state) = turn.state.after(TurnStep::Ask) else { return Ok(None) };
        diesel::update(row())
            .set((
                turns::state.eq(Col(state)),
                turns::attempts.eq(turns::attempts + 1),
                turns::due_at.eq(Some(Col(until))),
            ))
            .execute(conn)
            .await?;
        Ok::<_, Error>(Some(turn))
    })
    .await
}

/// Deletes a claimed turn of an agent over the API. Such an agent is not asked, and the turn has
/// found nothing to record. No event reports it.
pub async fn delete_turn(conn: &mut Conn, organization: OrganizationId, id: TurnId) -> Result<()> {
    let row = turns::table
        .find((Col(organization), Col(id)))
        .filter(turns::state.eq(Col(TurnState::Asking)));
    diesel::delete(row).execute(conn).await?;
    Ok(())
}

/// Records the ticket with which a webhook may answer a turn until `expires_at`.
pub async fn issue_ticket(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
    digest: Vec<u8>,
    expires_at: Timestamp,
) -> Result<()> {
    let row = turns::table
        .find((Col(organization), Col(id)))
        .filter(turns::state.eq(Col(TurnState::Asking)));
    diesel::update(row)
        .set((turns::ticket.eq(Some(digest)), turns::expires_at.eq(Some(Col(expires_at)))))
        .execute(conn)
        .await?;
    Ok(())
}

/// Records a failed attempt with its cost and its trace, and sets when the agent is asked again.
pub async fn postpone_turn(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
    postponement: TurnPostponement,
) -> Result<()> {
    conn.transaction(async |conn| {
        let TurnPostponement { due_at, keeps_ticket, spending, trace } = postponement;
        let row = || turns::table.find((Col(organization), Col(id)));
        let locked = for_update!(row().select(Turn::as_select()));
        let Some(turn) = locked.get_result::<Turn>(conn).await.optional()? else { return Ok(()) };
        if turn.state.after(TurnStep::Postpone).is_none() {
            return Ok(());
        }
        record_spending(conn, &turn, spending, trace).await?;
        diesel::update(row()).set(turns::due_at.eq(Some(Col(due_at)))).execute(conn).await?;
        if !keeps_ticket {
            let none =
                (turns::ticket.eq(None::<Vec<u8>>), turns::expires_at.eq(None::<Col<Timestamp>>));
            diesel::update(row()).set(none).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Adds the cost of an attempt to its turn. Returns the total cost of the turn.
async fn record_spending(
    conn: &mut Conn,
    turn: &Turn,
    spending: Spending,
    trace: Option<Document>,
) -> Result<Spending> {
    let total = turn.spending().plus(spending);
    let count = |it: Option<u64>| it.map(|it| saturating(it, i64::MAX));
    let row = || turns::table.find((Col(turn.organization_id), Col(turn.id)));
    diesel::update(row())
        .set((
            turns::tokens.eq(count(total.tokens)),
            turns::input_tokens.eq(count(total.input_tokens)),
            turns::output_tokens.eq(count(total.output_tokens)),
            turns::cost.eq(count(total.cost.map(|it| it.0))),
            turns::unpriced_requests.eq(saturating(total.unpriced_requests, i32::MAX)),
        ))
        .execute(conn)
        .await?;
    if trace.is_some() {
        diesel::update(row()).set(turns::trace.eq(trace)).execute(conn).await?;
    }
    Ok(total)
}

/// Returns the trace of a turn, if it has one.
pub async fn turn_trace(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
) -> Result<Option<Document>> {
    let row = turns::table.find((Col(organization), Col(id))).select(turns::trace);
    Ok(row.get_result::<Option<Document>>(conn).await.optional()?.flatten())
}

/// Whether an agent with these limits may send one more answer in a conversation, and the
/// organization's cost limit of the month is not reached.
pub async fn has_room(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    limits: AnswerLimits,
    now: Timestamp,
) -> Result<bool> {
    let counts = answer_counts(conn, organization, conversation, now).await?;
    Ok(limits.has_room(counts) && agent_costs::has_room(conn, organization, now).await?)
}

/// Finds a turn.
pub async fn turn(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
) -> Result<Option<Turn>> {
    let row = turns::table.find((Col(organization), Col(id))).select(Turn::as_select());
    Ok(row.get_result(conn).await.optional()?)
}

/// Lists the turns of an agent that are older than `before`, the newest first.
pub async fn list_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    before: Option<TurnId>,
    limit: i64,
) -> Result<Vec<Turn>> {
    // Only ids are selected here. If a query selects columns that are not in the index of agents,
    // SQLite reads all turns of the organization instead.
    let mut page = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::agent_id.eq(Col(agent)))
        .order(turns::id.desc())
        .limit(limit)
        .select(turns::id)
        .into_boxed();
    if let Some(before) = before {
        page = page.filter(turns::id.lt(Col(before)));
    }
    let page: Vec<Col<TurnId>> = page.load(conn).await?;
    let rows = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.eq_any(listed(page)))
        .select(Turn::as_select());
    let mut rows: Vec<Turn> = rows.load(conn).await?;
    rows.sort_by_key(|turn| std::cmp::Reverse(turn.id));
    Ok(rows)
}

/// Reads the organization's oldest `limit` turns, and deletes the turns among them that ended
/// before `cutoff`. Returns how many were deleted.
pub async fn delete_old_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    cutoff: Timestamp,
    limit: i64,
) -> Result<usize> {
    let of_organization = || turns::table.filter(turns::organization_id.eq(Col(organization)));
    let oldest =
        of_organization().order(turns::id).limit(limit).select((turns::id, turns::finished_at));
    let oldest: Vec<(Col<TurnId>, Option<Col<Timestamp>>)> = oldest.load(conn).await?;
    let old = oldest.into_iter().filter(|(_, ended)| ended.is_some_and(|at| at.0 < cutoff));
    let old: Vec<Col<TurnId>> = old.map(|(id, _)| id).collect();
    if old.is_empty() {
        return Ok(0);
    }
    let old = of_organization().filter(turns::id.eq_any(listed(old)));
    Ok(diesel::delete(old).execute(conn).await?)
}

/// Returns the present mode of a turn's agent. An agent that was deleted, or that does not answer on
/// the number of the turn any more, is off.
async fn present_mode(conn: &mut Conn, turn: &Turn) -> Result<AgentMode> {
    let on_number = agent_accounts::table
        .inner_join(
            agents::table.on(agents::organization_id
                .eq(agent_accounts::organization_id)
                .and(agents::id.eq(agent_accounts::agent_id))),
        )
        .filter(agent_accounts::organization_id.eq(Col(turn.organization_id)))
        .filter(agent_accounts::account_id.eq(Col(turn.account_id)))
        .select((agents::id, agents::mode));
    let found: Option<(Col<AiAgentId>, Col<AgentMode>)> =
        on_number.get_result(conn).await.optional()?;
    let own = found.filter(|(id, _)| id.0 == turn.agent_id);
    Ok(own.map_or(AgentMode::Off, |(_, mode)| mode.0))
}

/// Returns the turn of a conversation that was created last.
pub async fn newest_turn(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Turn>> {
    // Only the id is selected here. If a query selects columns that are not in the index of
    // conversations, SQLite reads all turns of the organization instead.
    let newest = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq(Col(conversation)))
        .order(turns::id.desc())
        .limit(1)
        .select(turns::id);
    let newest: Option<Col<TurnId>> = newest.get_result(conn).await.optional()?;
    let Some(newest) = newest else { return Ok(None) };
    let row = turns::table.find((Col(organization), newest)).select(Turn::as_select());
    Ok(row.get_result(conn).await.optional()?)
}

/// Returns the turn of each of these conversations that was created last, unless that was before
/// `since`.
pub async fn newest_turns(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
    since: Timestamp,
) -> Result<Vec<Turn>> {
    newest_turns_of(conn, organization, of, since).await
}

/// Returns the ids of the turns of a conversation that were created at `since` or later.
async fn turns_since(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<Vec<Col<TurnId>>> {
    // The ids of turns begin with their time.
    let since = TurnId::new(since, [0; 10]);
    // Only ids are selected here. If a query selects columns that are not in the index of
    // conversations, SQLite reads all recent turns of the organization instead.
    let ids = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq(Col(conversation)))
        .filter(turns::id.ge(Col(since)))
        .select(turns::id);
    Ok(ids.load(conn).await?)
}

/// Returns the messages of a conversation that members sent from drafts of agents, as far as the
/// turns are still kept.
pub async fn sent_drafts(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<BTreeSet<MessageId>> {
    // Only ids are selected here, as in `turns_since`.
    let ids = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq(Col(conversation)))
        .select(turns::id);
    let ids: Vec<Col<TurnId>> = ids.load(conn).await?;
    if ids.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sent = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.eq_any(listed(ids)))
        .filter(turns::state.eq(Col(TurnState::Drafted)))
        .filter(turns::sent_message_id.is_not_null())
        .select(turns::sent_message_id.assume_not_null());
    let sent: Vec<Col<MessageId>> = sent.load(conn).await?;
    Ok(sent.into_iter().map(|it| it.0).collect())
}

/// Whether the contact of a conversation was told since `since` that an agent failed.
pub async fn was_failure_told(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<bool> {
    // A turn that began a day earlier may have ended after `since`.
    let begun = since.minus(Duration::from_hours(24));
    let ids = turns_since(conn, organization, conversation, begun).await?;
    let told = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.eq_any(listed(ids)))
        .filter(turns::state.eq(Col(TurnState::Failed)))
        .filter(turns::sent_message_id.is_not_null())
        .filter(turns::finished_at.ge(Some(Col(since))))
        .select(turns::id);
    let told: Vec<Col<TurnId>> = told.limit(1).load(conn).await?;
    Ok(!told.is_empty())
}

/// Discards a draft in a conversation, unless a member has sent it. The turn stays drafted and gets
/// the reason.
pub async fn discard_draft(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    id: TurnId,
    reason: String,
) -> Result<()> {
    let draft = turns::table
        .find((Col(organization), Col(id)))
        .filter(turns::conversation_id.eq(Col(conversation)))
        .filter(turns::state.eq(Col(TurnState::Drafted)))
        .filter(turns::sent_message_id.is_null());
    diesel::update(draft).set(turns::reason.eq(Some(reason))).execute(conn).await?;
    Ok(())
}

/// Ends a turn in progress. Accepts the messages of its answer, hands the conversation over or
/// pauses the agent, and records the events. Either all of this is done or nothing.
///
/// # Errors
///
/// [`Error::AgentRefused`] if a person has answered or the contact has written again, and
/// [`Error::AllowanceReached`] if the month has no room for the messages. Nothing was done.
pub async fn finish_turn(
    conn: &mut Conn,
    organization: OrganizationId,
    id: TurnId,
    finish: TurnFinish,
) -> Result<TurnEnd> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let row = || turns::table.find((Col(organization), Col(id)));
        let locked = for_update!(row().select(Turn::as_select()));
        let Some(turn) = locked.get_result::<Turn>(conn).await.optional()? else {
            return Ok(TurnEnd::Unknown);
        };
        let Some(state) = turn.state.after(TurnStep::End(finish.state)) else {
            // The turn has already ended, so the result is not used, but the cost of the attempt is
            // counted.
            add_spending(conn, organization, turn.agent_id, finish.spending, finish.at).await?;
            return Ok(TurnEnd::AlreadyFinished(turn.state));
        };
        if let Some(mode) = finish.mode {
            let allowed = mode.min(present_mode(conn, &turn).await?);
            if allowed != mode {
                return Ok(TurnEnd::ModeChanged(allowed));
            }
        }
        if let Some(limits) = finish.limits {
            let (conversation, at) = (turn.conversation_id, finish.at);
            if !has_room(conn, organization, conversation, limits, at).await? {
                return Ok(TurnEnd::LimitReached);
            }
        }
        if !finish.submissions.is_empty() {
            let outcomes = insert_submissions(conn, &finish.submissions, true).await?;
            if !outcomes.iter().all(|it| matches!(it, SubmissionOutcome::Accepted(_))) {
                return Err(Error::AllowanceReached);
            }
        }
        if finish.is_answer {
            let answer = AgentAnswer { after: Some(turn.after_message_id) };
            let (conversation, at) = (turn.conversation_id, finish.at);
            check_answer(conn, organization, conversation, answer, 0, at).await?;
        }
        diesel::update(row())
            .set((
                turns::state.eq(Col(state)),
                turns::reason.eq(finish.reason.clone()),
                turns::took_ms.eq(finish.took_ms),
                turns::answer.eq(finish.answer.clone()),
                turns::due_at.eq(None::<Col<Timestamp>>),
                turns::finished_at.eq(Some(Col(finish.at))),
            ))
            .execute(conn)
            .await?;
        if let (TurnState::Failed, Some(told)) =
            (finish.state, finish.submissions.as_slice().first())
        {
            let sent = turns::sent_message_id.eq(Some(Col(told.message)));
            diesel::update(row()).set(sent).execute(conn).await?;
        }
        let spending = record_spending(conn, &turn, finish.spending, finish.trace.clone()).await?;
        add_spending(conn, organization, turn.agent_id, spending, finish.at).await?;
        let new_events = effects(conn, organization, &turn, &finish, spending).await?;
        events::record(conn, new_events).await?;
        Ok::<_, Error>(TurnEnd::Finished)
    })
    .await
}

/// Pauses the agent, calls for a person and writes notes, each if the result of the turn requires it.
/// Returns the events.
async fn effects(
    conn: &mut Conn,
    organization: OrganizationId,
    turn: &Turn,
    finish: &TurnFinish,
    spending: Spending,
) -> Result<Vec<NewEvent>> {
    let at = finish.at;
    let event =
        |kind, payload| NewEvent::for_account(organization, turn.account_id, kind, payload, at);
    let mut new_events = Vec::new();
    let found = find_inbox_conversation(conn, organization, turn.conversation_id).await?;
    if let Some(mut found) = found {
        for note in &finish.notes {
            let note = Note { conversation_id: found.conversation.id, ..note.clone() };
            diesel::insert_into(notes::table).values(&note).execute(conn).await?;
            let payload = EventPayload::Note(Box::new(note.snapshot()));
            new_events.push(event(EventKind::NoteCreated, payload));
        }
        if finish.needs_person {
            let (called, call) = call_person(conn, found, at).await?;
            found = called;
            new_events.extend(call);
        }
        let cause = finish.hand_over.as_ref().map(|_| PauseCause::HandedOver).or(finish.pause);
        if let Some(cause) = cause {
            let reason = finish.hand_over.as_ref().map(|it| it.reason.clone());
            let paused = AgentPause { cause, reason, by: None, until: finish.paused_until };
            let (_, paused) = pause(conn, found, paused, at).await?;
            new_events.extend(paused);
        }
    }
    if let Some(hand_over) = &finish.hand_over {
        let request = HandoverRequest {
            conversation: turn.conversation_id,
            agent: Some(turn.agent_id),
            turn: Some(turn.id),
            reason: hand_over.reason.clone(),
            summary: hand_over.summary.clone(),
        };
        let payload = EventPayload::Handover(Box::new(request));
        new_events.push(event(EventKind::HandoverRequested, payload));
    }
    let messages = finish.submissions.iter().map(|it| it.message).collect();
    let snapshot = TurnSnapshot {
        id: turn.id,
        agent: turn.agent_id,
        conversation: turn.conversation_id,
        state: finish.state,
        reason: finish.reason.clone(),
        messages,
        tokens: spending.tokens.map(|it| saturating(it, i64::MAX)),
        took_ms: finish.took_ms,
    };
    let payload = EventPayload::Turn(Box::new(snapshot));
    new_events.push(event(EventKind::AgentTurnFinished, payload));
    Ok(new_events)
}

/// The state, the tokens and the end of a turn.
type RecentTurn = (Col<TurnState>, Option<i64>, Option<Col<Timestamp>>);

/// Counts the answers of the last hour and the tokens of the last day in a conversation.
async fn answer_counts(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<AnswerCounts> {
    // A turn that began an hour earlier may have ended within the day.
    let begun = now.minus(Duration::from_hours(25));
    let ids = turns_since(conn, organization, conversation, begun).await?;
    let recent: Vec<RecentTurn> = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.eq_any(listed(ids)))
        .select((turns::state, turns::tokens, turns::finished_at))
        .load(conn)
        .await?;
    let within =
        |at: &Option<Col<Timestamp>>, period| at.is_some_and(|at| at.0 > now.minus(period));
    let answers = recent.iter().filter(|(state, _, at)| {
        let answered = matches!(state.0, TurnState::Answered | TurnState::Drafted);
        answered && within(at, Duration::from_hours(1))
    });
    let tokens = recent.iter().filter(|(.., at)| within(at, Duration::from_hours(24)));
    Ok(AnswerCounts {
        last_hour: saturating(answers.count(), u32::MAX),
        tokens_today: tokens.filter_map(|(_, tokens, _)| u64::try_from((*tokens)?).ok()).sum(),
    })
}
