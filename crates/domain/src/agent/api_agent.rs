//! Decides whether an AI agent that is a program and answers over the API may send an answer.

use super::{AgentMode, AnswerCounts, AnswerLimits, ThreadMessage, is_loop, received};
use crate::conversation::{AgentRefusal, MessageSource};
use crate::number::saturating;
use crate::time::Timestamp;
use std::time::Duration;

/// The settings of an AI agent that answers over the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiAgent {
    pub mode: AgentMode,
    pub limits: AnswerLimits,
}

impl Default for ApiAgent {
    /// Returns the settings for a number for which no AI agent is set up.
    fn default() -> Self {
        Self { mode: AgentMode::Auto, limits: AnswerLimits::default() }
    }
}

impl ApiAgent {
    /// Checks that the agent's mode lets the agent send answers.
    pub const fn check_mode(self) -> Result<(), AgentRefusal> {
        match self.mode {
            AgentMode::Off => Err(AgentRefusal::Off),
            AgentMode::Draft => Err(AgentRefusal::DraftMode),
            AgentMode::Auto => Ok(()),
        }
    }

    /// Decides whether the agent may send another answer. `last_hour` is the number of answers that
    /// the agent has sent in the conversation within the last hour. `before` are the last messages
    /// of the conversation, the oldest first.
    pub fn check_limits(
        self,
        before: &[ThreadMessage],
        last_hour: u32,
    ) -> Result<(), AgentRefusal> {
        if !self.limits.has_room(AnswerCounts { last_hour, tokens_today: 0 }) {
            return Err(AgentRefusal::LimitReached);
        }
        let is_reply = before.last().is_some_and(|it| it.source == MessageSource::Customer);
        if is_reply && is_loop(&received(before.iter().cloned())) {
            return Err(AgentRefusal::Loop);
        }
        Ok(())
    }
}

/// Counts the answers that the agent sent in a conversation within the hour before `now`. Each
/// message of the agent counts as one answer.
#[must_use]
pub fn answers_within_hour(messages: &[ThreadMessage], now: Timestamp) -> u32 {
    let since = now.minus(Duration::from_hours(1));
    let answers = messages.iter().filter(|it| it.source == MessageSource::Agent && it.at > since);
    saturating(answers.count(), u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + seconds)
    }

    /// Returns a conversation in which the contact and the agent write in turn, one message per
    /// second.
    fn dialog(messages: i64) -> Vec<ThreadMessage> {
        let source = |second| {
            if second % 2 == 0 { MessageSource::Customer } else { MessageSource::Agent }
        };
        let message = |second| ThreadMessage { source: source(second), text: None, at: at(second) };
        (0..messages).map(message).collect()
    }

    #[test]
    fn only_an_agent_that_answers_by_itself_sends() {
        let check = |mode| ApiAgent { mode, ..ApiAgent::default() }.check_mode();
        assert_eq!(check(AgentMode::Auto), Ok(()));
        assert_eq!(check(AgentMode::Draft), Err(AgentRefusal::DraftMode));
        assert_eq!(check(AgentMode::Off), Err(AgentRefusal::Off));
    }

    #[test]
    fn each_message_of_the_last_hour_is_an_answer() {
        assert_eq!(answers_within_hour(&dialog(6), at(10)), 3);
        assert_eq!(answers_within_hour(&dialog(6), at(3601)), 2);
        assert_eq!(answers_within_hour(&[], at(0)), 0);
        let agent = ApiAgent::default();
        assert_eq!(agent.check_limits(&[], 19), Ok(()));
        assert_eq!(agent.check_limits(&[], 20), Err(AgentRefusal::LimitReached));
    }

    #[test]
    fn an_answer_to_the_fifth_prompt_message_is_refused() {
        let agent = ApiAgent::default();
        // The contact's first message is not a prompt message, because no answer of the agent
        // precedes it. So there are only four prompt messages here.
        assert_eq!(agent.check_limits(&dialog(9), 4), Ok(()));
        assert_eq!(agent.check_limits(&dialog(11), 5), Err(AgentRefusal::Loop));
        // After a message of the agent, another message of the agent is not a reply to the contact.
        // Such a message is not checked for a loop.
        assert_eq!(agent.check_limits(&dialog(12), 6), Ok(()));
    }
}
