//! The states of a turn, and the attempts to ask the agent.

use crate::inbox::PauseCause;
use crate::keyword::keywords;
use std::time::Duration;

/// Maximum number of times that an agent is asked for an answer in one turn.
pub const MAX_ATTEMPTS: u32 = 3;
/// How long a webhook may take for its answer after it accepted a turn with status 202. After this
/// time, the ticket of the turn is not accepted anymore.
pub const TICKET_TTL: Duration = Duration::from_mins(2);
/// The waits before the second and the third attempt in a turn.
const RETRY_WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];
/// The longest wait before the next attempt that an agent's server may demand.
const MAX_RETRY_WAIT: Duration = Duration::from_mins(5);

keywords! {
    /// The state of a turn.
    pub enum TurnState {
        /// The turn waits, because the contact may still be writing.
        Waiting = "waiting",
        /// The agent is being asked.
        Asking = "asking",
        /// The answer was sent.
        Answered = "answered",
        /// The answer waits as a draft in the inbox.
        Drafted = "drafted",
        /// The turn ended because a person answered, or the contact wrote again, before the agent
        /// answered.
        Superseded = "superseded",
        /// The agent handed the conversation over to people.
        HandedOver = "handed_over",
        /// The agent chose not to answer.
        Silent = "silent",
        /// The agent did not answer, or its answer could not be sent.
        Failed = "failed",
        /// The turn ended without asking the agent.
        Skipped = "skipped",
    }
}

/// A step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnStep {
    /// An instance begins to ask the agent, because the turn is due. A turn in progress is due again
    /// if the instance that asked has not ended it in time, or if the attempt failed.
    Ask,
    /// The attempt failed, and the agent is asked again later.
    Postpone,
    /// The turn ends in this state.
    End(TurnState),
}

impl TurnState {
    /// Whether the turn is over.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Asking)
    }

    /// Returns the state after a step, or `None` if a turn in this state cannot take the step. A
    /// turn ends once.
    #[must_use]
    pub const fn after(self, step: TurnStep) -> Option<Self> {
        match (self, step) {
            (Self::Waiting | Self::Asking, TurnStep::Ask) | (Self::Asking, TurnStep::Postpone) => {
                Some(Self::Asking)
            }
            (Self::Waiting | Self::Asking, TurnStep::End(end)) if end.is_final() => Some(end),
            _ => None,
        }
    }
}

/// The kind of an agent's answer that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerOutcome {
    Answered,
    Drafted,
    HandedOver,
    Silent,
}

/// The result with which a turn ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    Given(AnswerOutcome),
    Superseded {
        reason: &'static str,
    },
    Failed {
        reason: String,
    },
    /// The agent was not asked. If `pause` is set, the agent is also paused for this cause.
    Skipped {
        reason: &'static str,
        pause: Option<PauseCause>,
    },
}

impl TurnOutcome {
    #[must_use]
    pub const fn state(&self) -> TurnState {
        match self {
            Self::Given(AnswerOutcome::Answered) => TurnState::Answered,
            Self::Given(AnswerOutcome::Drafted) => TurnState::Drafted,
            Self::Given(AnswerOutcome::HandedOver) => TurnState::HandedOver,
            Self::Given(AnswerOutcome::Silent) => TurnState::Silent,
            Self::Superseded { .. } => TurnState::Superseded,
            Self::Failed { .. } => TurnState::Failed,
            Self::Skipped { .. } => TurnState::Skipped,
        }
    }

    /// Returns why the turn ended without an answer, or `None` if there is an answer.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Given(_) => None,
            Self::Superseded { reason } | Self::Skipped { reason, .. } => Some(reason),
            Self::Failed { reason } => Some(reason),
        }
    }
}

/// Returns the wait before the next attempt, after `attempts` failed attempts. Returns `None` if
/// the agent is not asked again. `asked` is the wait that the agent's server demands, if it does.
#[must_use]
pub fn retry_after(attempts: u32, asked: Option<Duration>) -> Option<Duration> {
    let index = usize::try_from(attempts.checked_sub(1)?).ok()?;
    let wait = *RETRY_WAITS.get(index)?;
    Some(asked.map_or(wait, |asked| asked.clamp(wait, MAX_RETRY_WAIT)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use proptest::prelude::*;

    fn steps() -> impl Strategy<Value = Vec<TurnStep>> {
        let step = prop_oneof![
            4 => Just(TurnStep::Ask),
            4 => Just(TurnStep::Postpone),
            1 => prop::sample::select(TurnState::ALL).prop_map(TurnStep::End),
        ];
        prop::collection::vec(step, 0..40)
    }

    proptest! {
        #[test]
        fn whatever_happens_a_turn_ends_at_most_once(steps in steps()) {
            let (mut state, mut ends, mut was_asked) = (TurnState::Waiting, 0, false);
            for step in steps {
                let Some(next) = state.after(step) else {
                    // Only a turn that is over, a turn that was never asked, or a wrong end refuses
                    // a step.
                    let is_wrong_end = matches!(step, TurnStep::End(end) if !end.is_final());
                    prop_assert!(state.is_final() || !was_asked || is_wrong_end);
                    continue;
                };
                prop_assert!(!state.is_final(), "{state:?} was over");
                prop_assert_ne!(next, TurnState::Waiting);
                was_asked |= step == TurnStep::Ask;
                ends += usize::from(next.is_final());
                state = next;
            }
            prop_assert!(ends <= 1);
            prop_assert_eq!(ends == 1, state.is_final());
        }
    }

    #[test]
    fn an_agent_is_asked_three_times() {
        assert_eq!(retry_after(1, None), Some(Duration::from_secs(2)));
        assert_eq!(retry_after(2, None), Some(Duration::from_secs(10)));
        assert_eq!(retry_after(MAX_ATTEMPTS, None), None);
        assert_eq!(retry_after(1, Some(Duration::from_secs(30))), Some(Duration::from_secs(30)));
        assert_eq!(retry_after(1, Some(Duration::from_hours(9))), Some(MAX_RETRY_WAIT));
        assert_eq!(retry_after(2, Some(Duration::ZERO)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn only_two_states_go_on() {
        let open: Vec<_> = TurnState::ALL.iter().filter(|it| !it.is_final()).collect();
        assert_eq!(open, [&TurnState::Waiting, &TurnState::Asking]);
    }
}
