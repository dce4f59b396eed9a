//! Turns of AI agents: what an agent is asked, and how its answer is accepted or refused
//! (`docs/contract.md#ai-agents`).

mod answer;
mod failures;
mod waiting;

pub use answer::{AnswerError, GivenAnswer, answer, answer_with_ticket};
pub use api_types::agent_turn::AgentAnswerBody;
pub use failures::why_failed;
pub use waiting::{WaitingAgents, count_drafts, waiting_agents};

use answer::submissions;
use api_types::agent_turn::AnswerTicket;
use auth::digest::Digest;
use domain::agent::{
    AgentKind, AgentMode, AgentSettings, MAX_ATTEMPTS, ReceivedText, Spending, TICKET_TTL,
    ThreadMessage, TurnState, asks_for_person, is_loop, received, retry_after,
};
use domain::content::MessageKind;
use domain::conversation::{Agent, AgentRefusal, MessageSource};
use domain::id::{AiAgentId, ConversationId, MessageId, OrganizationId, TurnId};
use domain::inbox::PauseCause;
use domain::media::MediaKind;
use domain::message::Direction;
use domain::opt_out::MarketingWord;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use persistence::content::turn_trace::TurnTrace;
use persistence::records::{
    Account, AiAgent, Conversation, DueTurn, HandOver, InboxConversation, Message, Turn, TurnEnd,
    TurnFinish, TurnPostponement,
};
use persistence::{Document, Reader};
use platform::Deps;
use platform::time_zone;
use std::collections::BTreeSet;
use std::time::Duration;

/// Maximum number of messages in the context of an agent, and their maximum age.
const CONTEXT_MESSAGES: i64 = 30;
const CONTEXT_AGE: Duration = Duration::from_hours(7 * 24);
/// Minimum time between two messages that tell a contact that the agent failed.
const FAILURE_TEXT_EVERY: Duration = Duration::from_hours(24);
/// How long a claim of a turn lasts. This is longer than an agent may take to answer a request.
const LEASE: Duration = Duration::from_secs(90);
/// The reason why an agent that has reached a limit is not asked.
const AT_LIMIT: &str = "a limit of this conversation or of the cost in this month is reached";
/// The reason why a draft of an agent is not shown.
const DISCARDED: &str = "a member discarded the draft";
/// How long the rows of finished turns are kept.
pub const TURNS_RETENTION: Duration = Duration::from_hours(7 * 24);

/// A turn that is being asked, with what the agent is told.
pub struct AskedTurn {
    pub turn: Turn,
    pub agent: AiAgent,
    pub settings: AgentSettings,
    pub conversation: InboxConversation,
    /// The last messages, the oldest first.
    pub messages: Vec<Message>,
    /// The number of times that the agent was asked, including this time.
    pub attempts: u32,
    pub asked_at: Timestamp,
    /// The trace of the earlier attempts.
    pub trace: TurnTrace,
}

/// One attempt to ask an agent: what it cost, and what happened.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    pub spending: Spending,
    pub trace: TurnTrace,
    pub took_ms: Option<i32>,
}

impl Attempt {
    /// Returns the trace in its stored form. A trace that cannot be written must not keep a turn
    /// from ending.
    fn stored_trace(&self) -> Option<Document> {
        let encoded = self.trace.encode().inspect_err(|error| {
            tracing::error!(%error, "the trace of a turn cannot be written");
        });
        encoded.ok().map(Document)
    }
}

/// Claims a turn that is due and collects what the agent is told. Returns `None` if the agent is
/// not asked: somebody else has claimed the turn, the turn has ended, or the agent answers over the
/// API.
pub async fn begin(deps: &Deps, due: DueTurn) -> persistence::Result<Option<AskedTurn>> {
    let now = deps.clock.now();
    let organization_db = deps.db.organization(due.organization);
    let Some(turn) = organization_db.claim_turn(due.turn, now, now.plus(LEASE)).await? else {
        return Ok(None);
    };
    let agent = organization_db.agent(turn.agent_id).await?;
    let Some(agent) = agent.filter(|it| it.mode != AgentMode::Off) else {
        skip(deps, &turn, "the agent is off or deleted", None).await?;
        return Ok(None);
    };
    let attempts = turn.attempts.saturating_add(1);
    let settings = agent.settings()?;
    let reader = Reader::from_primary(turn.organization_id);
    let found = deps.db.reads(reader).find_inbox_conversation(turn.conversation_id).await?;
    let Some(conversation) = found else {
        skip(deps, &turn, "the conversation does not exist", None).await?;
        return Ok(None);
    };
    if conversation.agent() == Agent::Paused {
        supersede(deps, &turn, agent.kind, "the agent is paused").await?;
        return Ok(None);
    }
    if conversation.entry.has_channel_agent(now) {
        supersede(deps, &turn, agent.kind, "the channel's own agent answers").await?;
        return Ok(None);
    }
    if turn.expires_at.is_some_and(|until| until <= now) {
        let reason = "the webhook accepted the turn and did not answer within two minutes";
        give_up(deps, &turn, None, reason.to_owned(), &Attempt::default()).await?;
        return Ok(None);
    }
    if attempts > MAX_ATTEMPTS && agent.kind != AgentKind::Api {
        let reason = "the server stopped while the agent was asked";
        give_up(deps, &turn, None, reason.to_owned(), &Attempt::default()).await?;
        return Ok(None);
    }
    let messages = context(deps, &conversation, now).await?;
    if messages.is_empty() {
        supersede(deps, &turn, agent.kind, "the conversation was closed").await?;
        return Ok(None);
    }
    let trace = if attempts > 1 { stored_trace(deps, &turn).await? } else { TurnTrace::default() };
    let asked =
        AskedTurn { turn, agent, settings, conversation, messages, attempts, asked_at: now, trace };
    judge(deps, asked).await
}

/// Judges what the contact wrote before the agent is asked. Returns `None` if the agent must not be
/// asked. The turn has then ended or was deleted.
async fn judge(deps: &Deps, asked: AskedTurn) -> persistence::Result<Option<AskedTurn>> {
    let now = asked.asked_at;
    if asked.opts_out(deps).await? {
        let reason = "the contact wants no messages";
        let skipped = TurnFinish {
            pause: Some(PauseCause::OptedOut),
            ..ended(TurnState::Skipped, Some(reason.to_owned()), now)
        };
        finish(deps, &asked.turn, skipped).await?;
        return Ok(None);
    }
    if asked.asks_for_person() {
        call_for_person(deps, &asked).await?;
        return Ok(None);
    }
    let is_api = asked.agent.kind == AgentKind::Api;
    if !is_api && let Some(reason) = asked.why_not_asked() {
        skip(deps, &asked.turn, reason, None).await?;
        return Ok(None);
    }
    if is_loop(&received_texts(&asked.messages)) {
        skip(deps, &asked.turn, "the contact seems to be a program", Some(PauseCause::Loop))
            .await?;
        return Ok(None);
    }
    let organization_db = deps.db.organization(asked.turn.organization_id);
    if is_api {
        // An agent that answers over the API has its limits checked when it sends.
        organization_db.delete_turn(asked.turn.id).await?;
        return Ok(None);
    }
    let conversation = asked.turn.conversation_id;
    let limits = asked.settings.limits;
    if !organization_db.has_room_for_answer(conversation, limits, now).await? {
        skip(deps, &asked.turn, AT_LIMIT, Some(PauseCause::Limit)).await?;
        return Ok(None);
    }
    Ok(Some(asked))
}

/// Hands a conversation over, because the contact asks for a person.
async fn call_for_person(deps: &Deps, asked: &AskedTurn) -> persistence::Result<()> {
    let hand_over =
        HandOver { reason: "The customer asks for a person.".to_owned(), summary: None };
    let handed_over = asked.handing_over(hand_over, asked.asked_at);
    match finish(deps, &asked.turn, handed_over.clone()).await {
        // The contact has written again. The conversation is handed over nevertheless.
        Err(persistence::Error::AgentRefused(AgentRefusal::Superseded { .. })) => {
            let anyway = TurnFinish { is_answer: false, ..handed_over };
            finish(deps, &asked.turn, anyway).await.map(drop)
        }
        Err(persistence::Error::AgentRefused(refusal)) => {
            let ended = superseded(why_refused(refusal), asked.asked_at);
            finish(deps, &asked.turn, ended).await.map(drop)
        }
        finished => finished.map(drop),
    }
}

/// Returns the trace of the earlier attempts.
async fn stored_trace(deps: &Deps, turn: &Turn) -> persistence::Result<TurnTrace> {
    let stored = deps.db.organization(turn.organization_id).turn_trace(turn.id).await?;
    Ok(stored.and_then(|it| TurnTrace::decode(&it.0).ok()).unwrap_or_default())
}

/// Returns the last messages of a conversation, the oldest first.
async fn context(
    deps: &Deps,
    conversation: &InboxConversation,
    now: Timestamp,
) -> persistence::Result<Vec<Message>> {
    let InboxConversation { conversation, entry, .. } = conversation;
    let reader = Reader::from_primary(conversation.organization_id);
    let last = conversation.message_count;
    let first = last.saturating_sub(CONTEXT_MESSAGES).saturating_add(1);
    // The context does not reach back beyond the last time that the conversation was closed.
    let first = first.max(entry.agent_context_from.unwrap_or(0).saturating_add(1));
    let part = deps.db.reads(reader).part(conversation.id, first, last, true).await?;
    let is_recent = |it: &Message| it.created_at >= now.minus(CONTEXT_AGE);
    Ok(part.into_iter().filter(is_recent).collect())
}

/// Whether the last messages of a conversation would pause its agent again after a resumption. That
/// is so if `message` is a word for opting out or asks for a person, or if the messages seem to
/// come from a program.
pub async fn would_pause_again(
    deps: &Deps,
    conversation: &Conversation,
    message: MessageId,
) -> persistence::Result<bool> {
    let Conversation { organization_id, id, account_id, .. } = *conversation;
    let reader = Reader::from_primary(organization_id);
    let found = deps.db.reads(reader).find_inbox_conversation(id).await?;
    let agent = deps.db.organization(organization_id).agent_of_account(account_id).await?;
    let (Some(found), Some(agent)) = (found, agent) else { return Ok(false) };
    let messages = context(deps, &found, deps.clock.now()).await?;
    if is_loop(&received_texts(&messages)) {
        return Ok(true);
    }
    let text = messages.iter().find(|it| it.id == message).and_then(text_of);
    let Some(text) = text else { return Ok(false) };
    let asks_for_person = asks_for_person(&text, &agent.settings()?.person_phrases);
    Ok(asks_for_person || is_opt_out(deps, organization_id, &text).await?)
}

/// Returns the texts of the contact's messages, the oldest first.
fn received_texts(messages: &[Message]) -> Vec<ReceivedText> {
    let in_thread = |it: &Message| ThreadMessage {
        source: it.source,
        text: (it.source == MessageSource::Customer).then(|| text_of(it)).flatten(),
        at: it.created_at,
    };
    received(messages.iter().map(in_thread))
}

/// Whether a text is one of the organization's words for opting out.
async fn is_opt_out(
    deps: &Deps,
    organization: OrganizationId,
    text: &str,
) -> persistence::Result<bool> {
    let Some(word) = MarketingWord::parse(text) else { return Ok(false) };
    Ok(deps.opt_out_words.find(&deps.db, organization, deps.clock.now()).await?.contains(&word))
}

impl AskedTurn {
    /// Returns the contact's messages that the turn answers, the newest first. An earlier turn has
    /// judged the messages before the turn's first message. An agent that answers over the API may
    /// have answered already, so its answers are skipped. Nobody else can have answered, because
    /// that would have paused the agent.
    fn judged(&self) -> impl Iterator<Item = &Message> {
        let is_first =
            |it: &Message| TurnId::made_for(&it.id, self.turn.id.made_at()) == self.turn.id;
        let first = self.messages.iter().rposition(is_first);
        let begun = first.and_then(|first| self.messages.get(first..)).unwrap_or(&self.messages);
        let passes_answers = first.is_some() && self.agent.kind == AgentKind::Api;
        let is_inbound = |it: &&Message| it.direction == Direction::Inbound;
        let goes_on = move |it: &&Message| passes_answers || is_inbound(it);
        begun.iter().rev().take_while(goes_on).filter(is_inbound)
    }

    /// Returns the reason why the agent is not asked because of its settings or the messages.
    /// Checked in this order: business hours, the contacts with whom the agent is tried out, and
    /// stickers.
    fn why_not_asked(&self) -> Option<&'static str> {
        let schedule = &self.settings.schedule;
        // If this instance does not know the time zone, it uses UTC, so that the agent still keeps
        // its hours.
        let local = time_zone::local_time(&schedule.zone, self.asked_at);
        if !schedule.allows(local) {
            return Some("the agent does not answer at this time of the week");
        }
        if !self.is_allowed() {
            return Some("the contact is not among those with whom the agent is tried out");
        }
        let mut judged = self.judged().peekable();
        if judged.peek().is_some() && judged.all(is_sticker) {
            return Some("the contact has sent stickers only");
        }
        None
    }

    /// Whether the agent's settings allow this contact.
    fn is_allowed(&self) -> bool {
        let allowed = &self.settings.allowed_contacts;
        let contact = &self.conversation.contact;
        let number = contact.phone_number.as_deref().and_then(|it| PhoneNumber::parse(it).ok());
        let other_form = number.as_ref().and_then(PhoneNumber::other_form);
        let names = [
            Some(contact.id.to_string()),
            number.map(|it| it.to_string()),
            other_form.map(|it| it.to_string()),
            contact.channel_user_id.clone(),
        ];
        allowed.is_empty() || names.iter().flatten().any(|name| allowed.contains(name))
    }

    /// Whether one of the messages that the turn answers asks for a person.
    fn asks_for_person(&self) -> bool {
        self.judged()
            .filter_map(text_of)
            .any(|text| asks_for_person(&text, &self.settings.person_phrases))
    }

    /// Whether the newest message is one of the organization's words for opting out.
    async fn opts_out(&self, deps: &Deps) -> persistence::Result<bool> {
        let Some(text) = self.judged().find_map(text_of) else { return Ok(false) };
        is_opt_out(deps, self.turn.organization_id, &text).await
    }

    fn handing_over(&self, hand_over: HandOver, now: Timestamp) -> TurnFinish {
        TurnFinish {
            is_answer: true,
            needs_person: true,
            hand_over: Some(hand_over),
            paused_until: self.settings.resume_after().map(|after| now.plus(after)),
            ..ended(TurnState::HandedOver, None, now)
        }
    }
}

fn is_sticker(message: &Message) -> bool {
    let is_media = message.kind == MessageKind::Media;
    is_media && api_types::content::received_media(&message.content) == Some(MediaKind::Sticker)
}

/// Returns the text of a message that has one.
#[must_use]
pub fn text_of(message: &Message) -> Option<String> {
    api_types::content::plain_text(message.kind, &message.content)
}

fn ended(state: TurnState, reason: Option<String>, at: Timestamp) -> TurnFinish {
    TurnFinish {
        state,
        reason,
        is_answer: false,
        mode: None,
        submissions: Vec::new(),
        limits: None,
        hand_over: None,
        notes: Vec::new(),
        needs_person: false,
        pause: None,
        paused_until: None,
        spending: Spending::default(),
        took_ms: None,
        answer: None,
        trace: None,
        at,
    }
}

/// Ends a turn in which the agent has nothing to answer any more. The turn of an agent that answers
/// over the API is deleted, because nobody has asked the agent.
async fn supersede(
    deps: &Deps,
    turn: &Turn,
    kind: AgentKind,
    reason: &str,
) -> persistence::Result<()> {
    if kind == AgentKind::Api {
        return deps.db.organization(turn.organization_id).delete_turn(turn.id).await;
    }
    finish(deps, turn, superseded(reason, deps.clock.now())).await.map(drop)
}

fn superseded(reason: &str, at: Timestamp) -> TurnFinish {
    ended(TurnState::Superseded, Some(reason.to_owned()), at)
}

async fn skip(
    deps: &Deps,
    turn: &Turn,
    reason: &str,
    pause: Option<PauseCause>,
) -> persistence::Result<()> {
    finish(deps, turn, skipped(reason, pause, deps.clock.now())).await.map(drop)
}

fn skipped(reason: &str, pause: Option<PauseCause>, at: Timestamp) -> TurnFinish {
    TurnFinish {
        pause,
        needs_person: pause.is_some(),
        ..ended(TurnState::Skipped, Some(reason.to_owned()), at)
    }
}

async fn finish(deps: &Deps, turn: &Turn, finish: TurnFinish) -> persistence::Result<TurnEnd> {
    let state = finish.state;
    let sends = !finish.submissions.is_empty();
    let end = deps.db.organization(turn.organization_id).finish_turn(turn.id, finish).await?;
    if end == TurnEnd::Finished {
        platform::counters::agent_turns(state);
        deps.events_recorded_of([turn.organization_id]);
        if sends {
            deps.messages_due_of(turn.organization_id);
        }
    }
    Ok(end)
}

/// Issues the ticket with which a webhook may answer a turn later.
pub async fn issue_ticket(deps: &Deps, asked: &AskedTurn) -> persistence::Result<AnswerTicket> {
    let ticket = format!("swt_{}", Digest::new(&deps.entropy.bytes::<32>()).hex());
    let digest = Digest::new(ticket.as_bytes()).as_bytes().to_vec();
    let expires_at = asked.asked_at.plus(TICKET_TTL);
    let (organization, turn) = (asked.turn.organization_id, asked.turn.id);
    deps.db.organization(organization).issue_ticket(turn, digest, expires_at).await?;
    let base_url = &deps.settings.base_url;
    let answer_url = format!("{base_url}/agents/{organization}/turns/{turn}/answer");
    Ok(AnswerTicket { answer_url, ticket, expires_at })
}

/// Postpones the turn of a webhook that answers later, until its ticket expires.
pub async fn await_answer(
    deps: &Deps,
    asked: &AskedTurn,
    attempt: &Attempt,
) -> persistence::Result<()> {
    postpone(deps, asked, asked.asked_at.plus(TICKET_TTL), true, attempt).await
}

async fn postpone(
    deps: &Deps,
    asked: &AskedTurn,
    due_at: Timestamp,
    keeps_ticket: bool,
    attempt: &Attempt,
) -> persistence::Result<()> {
    let organization_db = deps.db.organization(asked.turn.organization_id);
    let postponement = TurnPostponement {
        due_at,
        keeps_ticket,
        spending: attempt.spending,
        trace: attempt.stored_trace(),
    };
    organization_db.postpone_turn(asked.turn.id, postponement).await
}

/// Records that an agent failed. The agent is asked again later, or a person is called. `asked` is
/// the wait that the agent's server asked for.
pub async fn fail(
    deps: &Deps,
    asked_turn: &AskedTurn,
    reason: String,
    asked: Option<Duration>,
    attempt: &Attempt,
) -> persistence::Result<()> {
    let turn = &asked_turn.turn;
    tracing::warn!(reason, turn = %turn.id, attempts = asked_turn.attempts, "an AI agent failed");
    if let Some(wait) = retry_after(asked_turn.attempts, asked) {
        let due_at = deps.clock.now().plus(wait);
        return postpone(deps, asked_turn, due_at, false, attempt).await;
    }
    give_up(deps, turn, Some(asked_turn), reason, attempt).await
}

/// Ends a turn without an answer, and calls for a person.
async fn give_up(
    deps: &Deps,
    turn: &Turn,
    asked: Option<&AskedTurn>,
    reason: String,
    attempt: &Attempt,
) -> persistence::Result<()> {
    let now = deps.clock.now();
    let trace = attempt.stored_trace().filter(|_| !attempt.trace.steps.is_empty());
    let failed = TurnFinish {
        is_answer: true,
        needs_person: true,
        spending: attempt.spending,
        took_ms: attempt.took_ms,
        trace,
        ..ended(TurnState::Failed, Some(reason.clone()), now)
    };
    let text = match asked {
        Some(asked) => failure_text(deps, asked, now).await?,
        None => None,
    };
    if let (Some(text), Some(asked)) = (text, asked) {
        let body = AgentAnswerBody::text(text);
        if let Ok(parsed) = body.parse(asked.conversation.conversation.id)
            && let Ok(submissions) = submissions(deps, turn, &parsed.messages).await
        {
            let mode = Some(AgentMode::Auto);
            let with_text = TurnFinish { submissions, mode, ..failed.clone() };
            match finish(deps, turn, with_text).await {
                Ok(TurnEnd::ModeChanged(_)) => {}
                Err(error) => {
                    tracing::warn!(%error, turn = %turn.id, "the contact was not told that the agent failed");
                }
                Ok(_) => return Ok(()),
            }
        }
    }
    match finish(deps, turn, failed.clone()).await {
        // Somebody has answered in the meantime, so no person has to be called.
        Err(persistence::Error::AgentRefused(refusal)) => {
            let ended = superseded(why_refused(refusal), now);
            let TurnFinish { spending, took_ms, trace, .. } = failed;
            finish(deps, turn, TurnFinish { spending, took_ms, trace, ..ended }).await.map(drop)
        }
        finished => finished.map(drop),
    }
}

const fn why_refused(refusal: AgentRefusal) -> &'static str {
    match refusal {
        AgentRefusal::Paused => "a person has answered",
        AgentRefusal::ChannelAgent => "the channel's own agent answers",
        AgentRefusal::LimitReached => "the agent has reached its limit",
        AgentRefusal::Loop => "the contact seems to be a program",
        AgentRefusal::Off | AgentRefusal::DraftMode => "the agent's mode has changed",
        AgentRefusal::Superseded { .. } | AgentRefusal::UnknownMessage => {
            "the contact has written again"
        }
    }
}

/// Returns the text that tells the contact about the failure, unless the contact got it within a
/// day.
async fn failure_text(
    deps: &Deps,
    asked: &AskedTurn,
    now: Timestamp,
) -> persistence::Result<Option<String>> {
    let Some(text) = asked.settings.failure_text.clone() else { return Ok(None) };
    if asked.agent.mode != AgentMode::Auto {
        return Ok(None);
    }
    let organization_db = deps.db.organization(asked.turn.organization_id);
    let since = now.minus(FAILURE_TEXT_EVERY);
    let was_told = organization_db.was_failure_told(asked.turn.conversation_id, since).await?;
    Ok((!was_told).then_some(text))
}

/// Finds a turn with its trace.
pub async fn find_with_trace(
    deps: &Deps,
    organization: OrganizationId,
    id: TurnId,
) -> persistence::Result<Option<(Turn, TurnTrace)>> {
    let Some(turn) = deps.db.organization(organization).turn(id).await? else { return Ok(None) };
    let trace = stored_trace(deps, &turn).await?;
    Ok(Some((turn, trace)))
}

/// Lists the last turns of an agent, the newest first.
pub async fn list(
    deps: &Deps,
    organization: OrganizationId,
    agent: AiAgentId,
    limit: i64,
) -> persistence::Result<Vec<Turn>> {
    deps.db.organization(organization).list_turns(agent, None, limit).await
}

/// Returns the mode of the agent that answers on the number of a conversation, if there is one.
pub async fn mode_on(
    deps: &Deps,
    conversation: &Conversation,
) -> persistence::Result<Option<AgentMode>> {
    let organization_db = deps.db.organization(conversation.organization_id);
    let found = organization_db.agent_of_account(conversation.account_id).await?;
    Ok(found.map(|agent| agent.mode))
}

/// Returns whether an agent answers on a number, or writes drafts on it.
pub async fn has_agent(deps: &Deps, account: &Account) -> persistence::Result<bool> {
    let organization_db = deps.db.organization(account.organization_id);
    let found = organization_db.agent_of_account(account.id).await?;
    Ok(found.is_some_and(|agent| agent.mode != AgentMode::Off))
}

/// A draft that an agent has written for a conversation.
#[derive(Clone, Debug)]
pub struct AgentDraft {
    pub agent: AiAgentId,
    pub turn: TurnId,
    pub text: String,
}

/// Returns the newest turn of a conversation.
pub async fn newest(deps: &Deps, conversation: &Conversation) -> persistence::Result<Option<Turn>> {
    deps.db.organization(conversation.organization_id).newest_turn(conversation.id).await
}

/// Returns the draft of a conversation's newest turn, if it is still up to date: nobody has sent or
/// discarded it, and the conversation has no newer message.
#[must_use]
pub fn draft_in(turn: &Turn, conversation: &Conversation) -> Option<AgentDraft> {
    let is_last = turn.finished_at.is_some_and(|at| conversation.last_message_at <= at);
    if !turn.has_open_draft() || !is_last {
        return None;
    }
    let answer = turn.answer.as_ref()?;
    match serde_json::from_str::<AgentAnswerBody>(&answer.0) {
        Ok(body) => {
            let draft = |text| AgentDraft { agent: turn.agent_id, turn: turn.id, text };
            body.texts().map(draft)
        }
        Err(error) => {
            tracing::error!(%error, conversation = %conversation.id, "the draft of an agent cannot be read");
            None
        }
    }
}

/// Returns the messages of a conversation that members sent from drafts of agents, as far as the
/// turns are still kept ([`TURNS_RETENTION`]).
pub async fn sent_drafts(
    deps: &Deps,
    organization: OrganizationId,
    conversation: ConversationId,
) -> persistence::Result<BTreeSet<MessageId>> {
    deps.db.organization(organization).sent_drafts(conversation).await
}

/// Discards a draft that an agent has written for a conversation, unless a member has sent it.
pub async fn discard_draft(
    deps: &Deps,
    conversation: &Conversation,
    turn: TurnId,
) -> persistence::Result<()> {
    let organization_db = deps.db.organization(conversation.organization_id);
    organization_db.discard_draft(conversation.id, turn, DISCARDED.to_owned()).await
}
