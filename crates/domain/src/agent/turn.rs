//! The state machine of a turn.

use crate::inbox::PauseCause;
use crate::keyword::keywords;
use std::time::Duration;

/// Maximum number of times that an agent is asked in one turn.
pub const MAX_ATTEMPTS: u32 = 3;
/// How long an agent may take to answer a request.
pub const ASK_TIMEOUT: Duration = Duration::from_mins(1);
/// How long a webhook may take for an answer after it accepted a turn with status 202.
pub const TICKET_TTL: Duration = Duration::from_mins(2);
/// The waits before the second and the third attempt.
const RETRY_WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];
/// The longest wait that an agent's server may ask for.
const MAX_RETRY_WAIT: Duration = Duration::from_mins(5);

keywords! {
    /// The state of a turn.
    pub enum TurnState {
        /// The contact may still be writing.
        Waiting = "waiting",
        /// The agent is being asked.
        Asking = "asking",
        /// The answer was sent.
        Answered = "answered",
        /// The answer is a draft in the inbox.
        Drafted = "drafted",
        /// A person answered, or the contact wrote again, before the agent answered.
        Superseded = "superseded",
        /// The agent handed the conversation over to people.
        HandedOver = "handed_over",
        /// The agent chose not to answer.
        Silent = "silent",
        /// The agent did not answer, or its answer could not be sent.
        Failed = "failed",
        /// The agent was not asked.
        Skipped = "skipped",
    }
}

impl TurnState {
    /// Whether the turn is over.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Asking)
    }
}

/// The result of an agent's answer, if the answer was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerOutcome {
    Answered,
    Drafted,
    HandedOver,
    Silent,
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    Given(AnswerOutcome),
    Superseded {
        reason: &'static str,
    },
    Failed {
        reason: String,
    },
    /// The agent was not asked. It is paused if there is a cause for that.
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

    /// Returns why the turn ended without an answer.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Given(_) => None,
            Self::Superseded { reason } | Self::Skipped { reason, .. } => Some(reason),
            Self::Failed { reason } => Some(reason),
        }
    }
}

/// Returns the wait before the next attempt, after `attempts` failed ones. Returns nothing if the
/// agent is not asked again. `asked` is the wait that the agent's server asked for.
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
