//! Asks AI agents for answers (`docs/contract.md#ai-agents`).
//!
//! At most `TURNS_OF_AGENT` turns of one agent are in progress at a time. So a slow or dead agent
//! leaves room for the turns of the others. An agent whose server refuses at once is asked for one
//! turn at a time, with pauses, because many quick failures would take the time of the database from
//! sends.

pub mod opening_hours;
mod typing;
mod webhook;

use crate::idle_wait;
use crate::inbox;
use domain::agent::{AgentConnection, ModelConnection};
use domain::id::{AiAgentId, TurnId};
use domain::number::saturating;
use domain::time::seconds_in_words;
use futures_util::FutureExt as _;
use persistence::Result;
use persistence::content::turn_trace::TraceStep;
use persistence::records::DueTurn;
use platform::Deps;
use platform::clock::Stopwatch;
use service::agents::open_secret;
use service::asking::{AskingDeps, ModelQuestion, ask_model, load_knowledge, read_dialog};
use service::turns::{self, AnswerError, AskedTurn, Attempt, GivenAnswer};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// The maximum number of turns in progress, in all and per agent.
const TURNS: usize = 128;
const TURNS_OF_AGENT: usize = 8;
/// A server that fails within this time refuses. Its agent then has one turn in progress at a time.
const QUICK_FAILURE: Duration = Duration::from_secs(1);
/// The pauses between the turns of such an agent. They end with the first turn that the server does
/// not refuse.
const AFTER_REFUSAL: PauseRule =
    PauseRule { factor: 4, min: Duration::from_millis(5), max: Duration::from_millis(250) };
/// The maximum number of due turns that are read at a time.
const STEP: usize = 64;
/// The pauses between searches that skip the due turns of agents without room. Such a search reads
/// all of these turns, and there may be many. The upper bound is for a search that waited for the
/// database.
const AFTER_SEARCH: PauseRule =
    PauseRule { factor: 20, min: Duration::from_millis(100), max: Duration::from_secs(10) };
/// The wait if a search found due turns that tasks have taken but not claimed yet. Such turns can
/// hide other due turns.
const CLAIM_WAIT: Duration = Duration::from_millis(20);
/// The wait after an error, for example of the database.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// The reply of an agent that was asked.
enum Reply {
    /// The agent answered.
    Answer(Box<GivenAnswer>),
    /// The agent answers later, with the turn's ticket.
    Later(Attempt),
    /// The agent did not answer. Its server may have asked for a wait.
    Failure { reason: String, wait: Option<Duration>, attempt: Attempt },
}

impl Reply {
    fn failure(asked: &AskedTurn, reason: impl Into<String>) -> Self {
        let attempt = Attempt { trace: asked.trace.clone(), ..Attempt::default() };
        Self::Failure { reason: reason.into(), wait: None, attempt }
    }
}

/// The maximum time for the reads and writes of a turn, besides the time in which the agent has to
/// answer.
const BESIDE_ASKING: Duration = Duration::from_secs(10);

/// Asks agents for answers until the server stops, and then finishes the turns in progress.
pub async fn run(deps: &Arc<Deps>) {
    let mut lanes = Lanes::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        lanes.collect();
        let bell = deps.wakeups.turns.notified();
        let due = match lanes.due(deps).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(%error, worker = "agents", "a step failed; it is retried");
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
        };
        if due.is_empty() {
            let wait = lanes.wait(idle_wait(None, deps.clock.now()));
            // The loop continues after whichever of these comes first.
            tokio::select! {
                () = bell => {}
                () = tokio::time::sleep(wait) => {}
                () = lanes.next_ended() => {}
            }
            continue;
        }
        for turn in due {
            lanes.start(deps, turn);
        }
    }
    while !lanes.is_empty() {
        lanes.next_ended().await;
    }
}

/// The length of a pause, as a multiple of the duration of the work before it, within bounds.
struct PauseRule {
    factor: u32,
    min: Duration,
    max: Duration,
}

/// A time in which a kind of work is not done, so that it takes only a part of the time of the
/// database.
struct Pause {
    since: Stopwatch,
    duration: Duration,
}

impl Pause {
    /// A pause that is over.
    fn none() -> Self {
        Self { since: Stopwatch::start(), duration: Duration::ZERO }
    }

    /// Starts a pause after work of this duration.
    fn after(work: Duration, rule: &PauseRule) -> Self {
        let duration = work.saturating_mul(rule.factor).clamp(rule.min, rule.max);
        Self { since: Stopwatch::start(), duration }
    }

    fn remaining(&self) -> Duration {
        self.duration.saturating_sub(self.since.elapsed())
    }

    fn is_over(&self) -> bool {
        self.remaining().is_zero()
    }
}

/// How the server of an agent answered the last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServerState {
    /// It answered, or it took time to fail.
    Working,
    /// It failed within `QUICK_FAILURE`. The work on the turn took `took`.
    Refusing { took: Duration },
}

/// A task that has ended. The state of the server is not known if it was not asked.
type EndedTask = (DueTurn, Option<ServerState>);

/// The turns in progress.
struct Lanes {
    tasks: JoinSet<EndedTask>,
    /// The agents whose server refused the last request at once, and the pause since then.
    refusing: BTreeMap<AiAgentId, Pause>,
    busy: BTreeMap<AiAgentId, usize>,
    /// The turns of the tasks. Until a task has claimed its turn, a search still finds the turn as
    /// due.
    taken: BTreeSet<TurnId>,
    /// Whether the last search found turns of tasks that had not claimed them yet.
    awaits_claims: bool,
    /// The agents that had no room when the last search began.
    full_at_search: BTreeSet<AiAgentId>,
    search_pause: Pause,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            tasks: JoinSet::new(),
            refusing: BTreeMap::new(),
            busy: BTreeMap::new(),
            taken: BTreeSet::new(),
            awaits_claims: false,
            full_at_search: BTreeSet::new(),
            search_pause: Pause::none(),
        }
    }
}

impl Lanes {
    fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns the number of turns that can be started.
    fn room(&self) -> usize {
        TURNS.saturating_sub(self.tasks.len()).min(STEP)
    }

    /// Returns the wait after a search that found nothing to start. `idle` is the wait if nothing
    /// is in progress.
    fn wait(&self, idle: Duration) -> Duration {
        if self.awaits_claims {
            return CLAIM_WAIT;
        }
        if self.room() == 0 {
            return idle;
        }
        let full = self.full();
        if !self.full_at_search.is_subset(&full) {
            // The pause of an agent ended during the search, which left out its turns.
            return Duration::ZERO;
        }
        let pauses = self.refusing.values().map(Pause::remaining).filter(|it| !it.is_zero());
        let next_room = pauses.min().unwrap_or(idle);
        let next_search = if full.is_empty() { idle } else { self.search_pause.remaining() };
        idle.min(next_room).min(next_search)
    }

    /// Returns the agents that have no room for another turn.
    fn full(&self) -> BTreeSet<AiAgentId> {
        let agents = self.busy.keys().chain(self.refusing.keys());
        let is_full = |agent: &&AiAgentId| {
            self.busy.get(agent).copied().unwrap_or_default() >= self.room_of(agent)
        };
        agents.filter(is_full).copied().collect()
    }

    /// Returns the maximum number of turns in progress of an agent.
    fn room_of(&self, agent: &AiAgentId) -> usize {
        match self.refusing.get(agent) {
            None => TURNS_OF_AGENT,
            Some(pause) => usize::from(pause.is_over()),
        }
    }

    /// Returns due turns for which there is room. During the pause, only the oldest due turns are
    /// read, and all of them may belong to agents without room.
    async fn due(&mut self, deps: &Deps) -> Result<Vec<DueTurn>> {
        self.awaits_claims = false;
        let room = self.room();
        if room == 0 {
            return Ok(Vec::new());
        }
        self.full_at_search = self.full();
        let skipped: Vec<AiAgentId> = if self.search_pause.is_over() {
            self.full_at_search.iter().copied().collect()
        } else {
            Vec::new()
        };
        let is_skipping = !skipped.is_empty();
        let (now, limit) = (deps.clock.now(), saturating(room, i64::MAX));
        let search = Stopwatch::start();
        let due = deps.db.operator().due_turns(now, skipped, limit).await?;
        if is_skipping {
            self.search_pause = Pause::after(search.elapsed(), &AFTER_SEARCH);
        }
        let found = due.len();
        let is_new = |turn: &DueTurn| !self.taken.contains(&turn.turn);
        let new: Vec<DueTurn> = due.into_iter().filter(is_new).collect();
        self.awaits_claims = new.len() < found;
        let mut lanes = self.busy.clone();
        let has_room = |turn: &DueTurn| {
            let turns = lanes.entry(turn.agent).or_default();
            *turns += 1;
            *turns <= self.room_of(&turn.agent)
        };
        Ok(new.into_iter().filter(has_room).collect())
    }

    fn start(&mut self, deps: &Arc<Deps>, turn: DueTurn) {
        *self.busy.entry(turn.agent).or_default() += 1;
        self.taken.insert(turn.turn);
        let deps = deps.clone();
        self.tasks.spawn(async move {
            let outcome = AssertUnwindSafe(work_on(&deps, turn)).catch_unwind().await;
            match outcome {
                Ok(Ok(state)) => return (turn, state),
                Ok(Err(error)) => {
                    tracing::error!(%error, turn = %turn.turn, "a turn was not finished; it is retried");
                }
                Err(_) => {
                    tracing::error!(turn = %turn.turn, "asking an agent panicked; the turn is retried");
                }
            }
            // The wait prevents requests without a pause while the database fails.
            tokio::time::sleep(RETRY_DELAY).await;
            (turn, None)
        });
    }

    fn collect(&mut self) {
        while let Some(ended) = self.tasks.try_join_next() {
            self.end(ended);
        }
    }

    /// Waits until a task ends. Never returns if there are no tasks.
    async fn next_ended(&mut self) {
        match self.tasks.join_next().await {
            Some(ended) => self.end(ended),
            None => std::future::pending().await,
        }
    }

    fn end(&mut self, ended: std::result::Result<EndedTask, JoinError>) {
        match ended {
            Ok((DueTurn { agent, turn, .. }, state)) => {
                self.taken.remove(&turn);
                match state {
                    Some(ServerState::Refusing { took }) => {
                        self.refusing.insert(agent, Pause::after(took, &AFTER_REFUSAL));
                    }
                    Some(ServerState::Working) => _ = self.refusing.remove(&agent),
                    None => {}
                }
                if let Some(turns) = self.busy.get_mut(&agent) {
                    *turns = turns.saturating_sub(1);
                }
                self.busy.retain(|_, turns| *turns > 0);
            }
            Err(error) => tracing::error!(%error, "a task that asked an agent was canceled"),
        }
    }
}

/// Applies all events to the inbox, and works on the turns that are due then. Returns the number of
/// turns. Tests call this function.
pub async fn step(deps: &Deps) -> Result<usize> {
    inbox::run_until_idle(deps).await?;
    ask_due(deps).await
}

/// Works on the turns that are due now, one after the other. Returns the number of turns. Tests
/// call this function.
pub async fn ask_due(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let due = deps.db.operator().due_turns(now, Vec::new(), saturating(STEP, i64::MAX)).await?;
    for turn in &due {
        work_on(deps, *turn).await.map(drop)?;
    }
    Ok(due.len())
}

/// Claims a turn, asks its agent, and ends the turn with the agent's reply. Returns the state of the
/// agent's server if it was asked.
async fn work_on(deps: &Deps, due: DueTurn) -> Result<Option<ServerState>> {
    let watch = Stopwatch::start();
    // The inbox may be a second behind the events. If the contact has written in that second,
    // applying the events postpones the turn, and the turn is then not claimed.
    service::inbox::catch_up(deps, due.organization).await?;
    let Some(asked) = turns::begin(deps, due).await? else { return Ok(None) };
    let asked_for = Stopwatch::start();
    let asking = async {
        match &asked.settings.connection {
            AgentConnection::Webhook { url } => webhook::ask(deps, &asked, url).await,
            AgentConnection::Model(connection) => Ok(ask(deps, &asked, connection).await),
            AgentConnection::Api => {
                Ok(Reply::failure(&asked, "an agent of the kind api is never asked"))
            }
        }
    };
    let time_limit = deps.settings.channel.agent_timeout;
    let reply = tokio::select! {
        reply = tokio::time::timeout(time_limit.saturating_add(BESIDE_ASKING), asking) => reply,
        () = typing::show(deps, &asked) => std::future::pending().await,
    };
    let reply = match reply {
        Ok(reply) => reply?,
        Err(_) => Reply::failure(
            &asked,
            format!("no answer within {}", seconds_in_words(time_limit.as_secs())),
        ),
    };
    let has_failed = matches!(reply, Reply::Failure { .. });
    let refuses = has_failed && asked_for.elapsed() < QUICK_FAILURE;
    match reply {
        Reply::Later(attempt) => turns::await_answer(deps, &asked, &attempt).await?,
        Reply::Failure { reason, wait, attempt } => {
            turns::fail(deps, &asked, reason, wait, &attempt).await?;
        }
        Reply::Answer(given) => settle(deps, &asked, *given).await?,
    }
    Ok(Some(if refuses {
        ServerState::Refusing { took: watch.elapsed() }
    } else {
        ServerState::Working
    }))
}

/// Asks a model.
async fn ask(deps: &Deps, asked: &AskedTurn, connection: &ModelConnection) -> Reply {
    let api_key = match open_secret(&deps.sealing, &asked.agent) {
        Ok(api_key) => api_key,
        Err(error) => return Reply::failure(asked, error.to_string()),
    };
    let (organization, agent) = (asked.turn.organization_id, asked.turn.agent_id);
    let knowledge = load_knowledge(deps, organization, agent, &asked.settings).await;
    let knowledge = match knowledge {
        Ok(knowledge) => knowledge,
        Err(error) => return Reply::failure(asked, error.to_string()),
    };
    let read = read_dialog(deps, asked, connection, api_key.as_deref()).await;
    let spent_on_files = read.spending;
    let time_limit = deps.settings.channel.agent_timeout;
    let question = ModelQuestion::of_turn(asked, connection, api_key, &knowledge, read, time_limit);
    let reply = ask_model(AskingDeps::of(deps), &question).await;
    let attempt = Attempt {
        spending: reply.spending.plus(spent_on_files),
        trace: reply.trace,
        took_ms: Some(reply.took_ms),
    };
    match reply.answer {
        Ok(body) => Reply::Answer(Box::new(GivenAnswer { body, attempt })),
        Err(failure) => Reply::Failure { reason: failure.reason, wait: failure.wait, attempt },
    }
}

/// Ends a turn with an answer. If the answer cannot be sent, the turn counts as failed by the
/// agent.
async fn settle(deps: &Deps, asked: &AskedTurn, given: GivenAnswer) -> Result<()> {
    let mut attempt = given.attempt.clone();
    attempt.trace.add(&TraceStep::Answered { answer: given.body.written() });
    let reason = match turns::answer(deps, asked, given).await {
        // In all these cases `turns::answer` has ended the turn, or the turn had ended before.
        Ok(_)
        | Err(
            AnswerError::Refused(_)
            | AnswerError::Finished(_)
            | AnswerError::Expired
            | AnswerError::NotFound
            | AnswerError::LimitReached,
        ) => return Ok(()),
        Err(AnswerError::Database(error)) => return Err(error),
        Err(AnswerError::Invalid(faults)) => {
            let faults = faults.into_vec();
            let first = faults.first().map(|it| format!("{} {}", it.field, it.message));
            format!("the answer is not valid: {}", first.unwrap_or_default())
        }
        Err(error @ AnswerError::Unsendable(_)) => error.to_string(),
    };
    turns::fail(deps, asked, reason, None, &attempt).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::OrganizationId;
    use domain::time::Timestamp;

    #[test]
    fn an_agent_whose_server_refuses_is_asked_for_one_turn_at_a_time_with_pauses() {
        let now = Timestamp::from_seconds(1_800_000_000);
        let turn = |number: u8| DueTurn {
            organization: OrganizationId::new(now, [0; 10]),
            agent: AiAgentId::new(now, [0; 10]),
            turn: TurnId::new(now, [number; 10]),
        };
        let agent = turn(0).agent;
        let idle = Duration::from_secs(30);
        let mut lanes = Lanes::default();
        assert_eq!(lanes.room_of(&agent), TURNS_OF_AGENT);
        assert_eq!(lanes.wait(idle), idle);
        // After a refusal the agent has no turn until the pause is over.
        let took = Duration::from_millis(100);
        lanes.end(Ok((turn(1), Some(ServerState::Refusing { took }))));
        assert_eq!(lanes.room_of(&agent), 0);
        assert_eq!(lanes.full(), BTreeSet::from([agent]));
        lanes.search_pause = Pause::after(idle, &AFTER_SEARCH);
        assert!(lanes.wait(idle) <= AFTER_REFUSAL.max);
        // If the pause ends during a search, which left out the agent, another search follows.
        lanes.full_at_search = lanes.full();
        lanes.refusing.insert(agent, Pause::none());
        assert_eq!(lanes.wait(idle), Duration::ZERO);
        lanes.full_at_search.clear();
        // A turn that was not claimed says nothing about the server.
        lanes.end(Ok((turn(2), None)));
        assert_eq!(lanes.room_of(&agent), 1);
        assert!(lanes.full().is_empty());
        assert_eq!(lanes.wait(idle), idle);
        lanes.end(Ok((turn(3), Some(ServerState::Working))));
        assert_eq!(lanes.room_of(&agent), TURNS_OF_AGENT);
    }
}
