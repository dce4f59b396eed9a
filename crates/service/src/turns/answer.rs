//! The answer of a turn: it is judged, and then accepted or refused in one transaction.

use super::{
    AT_LIMIT, AgentAnswerBody, AskedTurn, Attempt, CONTEXT_MESSAGES, ended, finish, give_up,
    skipped, stored_trace, superseded, why_refused,
};
use crate::messages::MemberSendError;
use crate::sending::{self, Author, SendError, Sender};
use crate::usage;
use api_types::agent_turn::ParsedAnswer;
use auth::digest::Digest;
use domain::agent::{
    AgentMode, AgentSettings, AnswerOutcome, TurnOutcome, TurnState, foreign_host,
};
use domain::conversation::{Agent, AgentAnswer, AgentRefusal};
use domain::id::{OrganizationId, TurnId};
use domain::inbox::PauseCause;
use domain::message::{Direction, Draft};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use persistence::content::turn_trace::TraceStep;
use persistence::records::{AiAgent, MessageSubmission, Note, Turn, TurnEnd, TurnFinish};
use persistence::{Document, Reader};
use platform::Deps;

/// Maximum number of attempts if the contact's address changes while an answer is accepted.
const MAX_MOVES: u32 = 5;

/// The answer of an agent.
#[derive(Debug, Default)]
pub struct GivenAnswer {
    pub body: AgentAnswerBody,
    pub attempt: Attempt,
}

/// The reason why an agent's answer is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("the answer is not valid")]
    Invalid(Violations),
    #[error(transparent)]
    Refused(#[from] AgentRefusal),
    /// The turn has already ended.
    #[error("the turn is {0} already")]
    Finished(TurnState),
    #[error("the time to answer is over")]
    Expired,
    /// There is no such turn, or the ticket does not belong to it.
    #[error("there is no such turn")]
    NotFound,
    #[error("a message of the answer cannot be sent: {0}")]
    Unsendable(Box<SendError>),
    #[error("the agent has reached a limit")]
    LimitReached,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl From<SendError> for AnswerError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Database(error) => Self::Database(error),
            SendError::AgentRefused(refusal) => Self::Refused(refusal),
            other => Self::Unsendable(Box::new(other)),
        }
    }
}

/// Accepts the later answer of a webhook, with its ticket. If several reasons for a refusal apply,
/// the first in this order is returned: answered, expired, paused, superseded.
pub async fn answer_with_ticket(
    deps: &Deps,
    organization: OrganizationId,
    id: TurnId,
    ticket: &str,
    body: AgentAnswerBody,
) -> Result<TurnState, AnswerError> {
    let organization_db = deps.db.organization(organization);
    let turn = organization_db.turn(id).await?.ok_or(AnswerError::NotFound)?;
    let digest = turn.ticket.as_deref().ok_or(AnswerError::NotFound)?;
    if !Digest::new(ticket.as_bytes()).matches(digest) {
        return Err(AnswerError::NotFound);
    }
    let now = deps.clock.now();
    let is_late = turn.expires_at.is_some_and(|until| until <= now);
    match turn.state {
        TurnState::Failed | TurnState::Superseded if is_late => return Err(AnswerError::Expired),
        TurnState::Superseded => return Err(why_superseded(deps, &turn).await?.into()),
        state if state.is_final() => return Err(AnswerError::Finished(state)),
        _ if is_late => return Err(AnswerError::Expired),
        _ => {}
    }
    let agent = organization_db.agent(turn.agent_id).await?.ok_or(AnswerError::NotFound)?;
    let settings = agent.settings().map_err(persistence::Error::from)?;
    let took = now.since(turn.first_at).as_millis();
    let took_ms = Some(saturating(took, i32::MAX));
    let trace = stored_trace(deps, &turn).await?;
    let given = GivenAnswer { body, attempt: Attempt { trace, took_ms, ..Attempt::default() } };
    accept(deps, &turn, &agent, &settings, given).await
}

/// Returns the reason why a turn was superseded. It is derived from the conversation's present
/// state.
async fn why_superseded(deps: &Deps, turn: &Turn) -> persistence::Result<AgentRefusal> {
    let reader = Reader::from_primary(turn.organization_id);
    let found = deps.db.reads(reader).find_inbox_conversation(turn.conversation_id).await?;
    let Some(found) = found.filter(|it| it.agent() == Agent::Running) else {
        return Ok(AgentRefusal::Paused);
    };
    let last = found.conversation.message_count;
    let first = last.saturating_sub(CONTEXT_MESSAGES);
    let part = deps.db.reads(reader).part(found.conversation.id, first, last, false).await?;
    let newest = part.iter().find(|it| it.direction == Direction::Inbound);
    Ok(newest.map_or(AgentRefusal::Paused, |it| AgentRefusal::Superseded { newest: it.id }))
}

/// Accepts the answer of an agent that was asked.
pub async fn answer(
    deps: &Deps,
    asked: &AskedTurn,
    given: GivenAnswer,
) -> Result<TurnState, AnswerError> {
    accept(deps, &asked.turn, &asked.agent, &asked.settings, given).await
}

/// Ends a turn with an answer, in one transaction.
async fn accept(
    deps: &Deps,
    turn: &Turn,
    agent: &AiAgent,
    settings: &AgentSettings,
    given: GivenAnswer,
) -> Result<TurnState, AnswerError> {
    let GivenAnswer { body, mut attempt } = given;
    let answer = body.written();
    attempt.trace.add(&TraceStep::Answered { answer: answer.clone() });
    let answer = Some(Document(answer));
    check_links(&body, settings).map_err(AnswerError::Invalid)?;
    let parsed = body.parse(turn.conversation_id).map_err(AnswerError::Invalid)?;
    let now = deps.clock.now();
    let notes: Vec<Note> =
        note_texts(&parsed).map(|text| agent_note(deps, turn, agent, text, now)).collect();
    let (mut mode, mut moves) = (agent.mode, 0);
    let (state, end) = loop {
        let Some(outcome) = outcome_of(mode, &parsed) else {
            let stopped = TurnFinish {
                spending: attempt.spending,
                took_ms: attempt.took_ms,
                trace: attempt.stored_trace(),
                ..skipped("the agent was switched off while it was asked", None, now)
            };
            finish(deps, turn, stopped).await?;
            return Err(AnswerError::Finished(TurnState::Skipped));
        };
        let sends = outcome != AnswerOutcome::Drafted;
        let drafts = if sends { parsed.messages.as_slice() } else { &[] };
        let submissions = match submissions(deps, turn, drafts).await {
            Err(AnswerError::LimitReached) => {
                let reason = "the organization's plan admits no messages";
                give_up(deps, turn, None, reason.to_owned(), &attempt).await?;
                return Err(AnswerError::LimitReached);
            }
            prepared => prepared?,
        };
        let state = TurnOutcome::Given(outcome).state();
        let answered = TurnFinish {
            is_answer: true,
            mode: Some(mode),
            submissions,
            limits: (!parsed.messages.is_empty()).then_some(settings.limits),
            // In draft mode a hand-over does not pause the agent, but a person has to answer.
            needs_person: parsed.hand_over.is_some(),
            hand_over: parsed.hand_over.clone().filter(|_| sends),
            paused_until: settings.resume_after().map(|after| now.plus(after)),
            notes: notes.clone(),
            spending: attempt.spending,
            took_ms: attempt.took_ms,
            trace: attempt.stored_trace(),
            answer: answer.clone(),
            ..ended(state, None, now)
        };
        match finish(deps, turn, answered).await {
            // The contact's address has changed after the look-up.
            Err(error) if moves < MAX_MOVES && error.is_refusal() => moves += 1,
            // The agent's mode has become stricter in the meantime. The answer is judged again by
            // the new mode.
            Ok(TurnEnd::ModeChanged(stricter)) => mode = stricter,
            end => break (state, end),
        }
    };
    match end {
        // The loop above has handled `ModeChanged`.
        Ok(TurnEnd::Finished | TurnEnd::ModeChanged(_)) => Ok(state),
        Ok(TurnEnd::AlreadyFinished(state)) => Err(AnswerError::Finished(state)),
        Ok(TurnEnd::Unknown) => Err(AnswerError::NotFound),
        Ok(TurnEnd::LimitReached) => {
            let skipped = TurnFinish {
                spending: attempt.spending,
                trace: attempt.stored_trace(),
                ..skipped(AT_LIMIT, Some(PauseCause::Limit), now)
            };
            finish(deps, turn, skipped).await?;
            Err(AnswerError::LimitReached)
        }
        Err(persistence::Error::AgentRefused(refusal)) => {
            let finished = TurnFinish {
                spending: attempt.spending,
                took_ms: attempt.took_ms,
                trace: attempt.stored_trace(),
                ..superseded(why_refused(refusal), now)
            };
            finish(deps, turn, finished).await?;
            Err(refusal.into())
        }
        Err(persistence::Error::AllowanceReached) => {
            let reason = "the month's allowance of messages is used up";
            give_up(deps, turn, None, reason.to_owned(), &attempt).await?;
            Err(AnswerError::LimitReached)
        }
        Err(error) => Err(error.into()),
    }
}

/// Rejects an answer that contains a link to a host that is not listed.
fn check_links(body: &AgentAnswerBody, settings: &AgentSettings) -> Result<(), Violations> {
    let mut faults = Violations::default();
    let host = body.linking_texts().iter().find_map(|it| foreign_host(it, &settings.link_hosts));
    if let Some(host) = host {
        let message = format!("links to {host}, which is not among the hosts for links");
        faults.add(&Field::root("messages"), Fault::NotAllowed, message);
    }
    faults.finish(Some(()))
}

/// Returns the outcome of an answer, or `None` if the agent is off.
fn outcome_of(mode: AgentMode, answer: &ParsedAnswer) -> Option<AnswerOutcome> {
    match (mode, &answer.hand_over) {
        (AgentMode::Off, _) => None,
        (AgentMode::Auto, Some(_)) => Some(AnswerOutcome::HandedOver),
        (_, None) if answer.messages.is_empty() => Some(AnswerOutcome::Silent),
        (AgentMode::Auto, None) => Some(AnswerOutcome::Answered),
        (AgentMode::Draft, _) => Some(AnswerOutcome::Drafted),
    }
}

/// Returns the texts of an answer's notes: its note, and the summary of its hand-over.
fn note_texts(answer: &ParsedAnswer) -> impl Iterator<Item = String> {
    let note = answer.note.clone();
    let summary = answer.hand_over.as_ref().and_then(|it| it.summary.clone());
    let summary = summary.filter(|it| note.as_ref() != Some(it));
    note.into_iter().chain(summary)
}

fn agent_note(deps: &Deps, turn: &Turn, agent: &AiAgent, text: String, now: Timestamp) -> Note {
    Note {
        organization_id: turn.organization_id,
        id: deps.id(now),
        conversation_id: turn.conversation_id,
        text,
        member_id: None,
        client_id: Some(agent.id.to_string()),
        author_name: agent.name.clone(),
        created_at: now,
    }
}

pub(super) async fn submissions(
    deps: &Deps,
    turn: &Turn,
    drafts: &[Draft],
) -> Result<Vec<MessageSubmission>, AnswerError> {
    if drafts.is_empty() {
        return Ok(Vec::new());
    }
    let sender = match sender(deps, turn).await {
        Ok(sender) => sender,
        Err(MemberSendError::Database(error)) => return Err(error.into()),
        Err(_) => return Err(AnswerError::LimitReached),
    };
    Ok(sending::prepare_answer(deps, &sender, drafts).await?)
}

/// Returns the sender of an agent's messages.
async fn sender(deps: &Deps, turn: &Turn) -> Result<Sender, MemberSendError> {
    let found = usage::plan(deps, turn.organization_id).await?;
    let (row, plan) = found.ok_or(MemberSendError::NotFound)?;
    if let Some(why) = usage::refusal(row.subscription_status, plan.as_ref()) {
        return Err(MemberSendError::Billing(why));
    }
    Ok(Sender {
        organization: turn.organization_id,
        account: turn.account_id,
        bound_to: Some(turn.account_id),
        allowance: usage::messages_limit(plan.as_ref()),
        key: None,
        connection_key: None,
        cap: None,
        author: Author::Agent(AgentAnswer { after: Some(turn.after_message_id) }),
        member: None,
        pauses_agent: false,
    })
}
