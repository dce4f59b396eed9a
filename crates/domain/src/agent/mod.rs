//! AI agents and their turns (`docs/contract.md#ai-agents`).
//!
//! A turn is one answer of an agent. The turn waits until the contact has finished writing. Then
//! the agent is asked, and the agent's answer is accepted or refused.

mod api_agent;
mod cost;
mod facts;
mod hours;
mod links;
mod loops;
mod questions;
mod temperature;
mod tools;
mod turn;
mod words;

pub use api_agent::{ApiAgent, answers_within_hour};
pub use cost::{InvalidAmount, MicroDollars, Spending, TokenPrices, has_room_for_cost};
pub use facts::{
    Fact, MAX_FACT_TITLE_LENGTH, MAX_FACTS_BYTES, MAX_GIVEN_FACTS_BYTES, given_facts, search_facts,
};
pub use hours::{
    AnswerSchedule, AnswerTime, BusinessHours, DAYS_OF_WEEK, InvalidHours, LocalTime, MAX_OPENINGS,
    OpeningRow,
};
pub use links::{foreign_host, parse_host};
pub use loops::{ReceivedText, ThreadMessage, is_loop, received};
pub use questions::{
    AnswerFlaw, Expectation, MAX_PHRASE_LENGTH, MAX_QUESTION_LENGTH, MAX_QUESTION_PHRASES,
    MAX_QUESTIONS,
};
pub use temperature::{InvalidTemperature, Temperature};
pub use tools::{
    AgentTemplate, BUILT_IN_TOOLS, InvalidLookUpName, MAX_AGENT_TEMPLATES, MAX_CALLS_PER_ROUND,
    MAX_LOOK_UP_ANSWER_BYTES, MAX_LOOK_UP_DESCRIPTION_LENGTH, MAX_LOOK_UP_NAME_LENGTH,
    MAX_LOOK_UP_SCHEMA_BYTES, MAX_LOOK_UPS, check_look_up_name,
};
pub use turn::{
    AnswerOutcome, MAX_ATTEMPTS, TICKET_TTL, TurnOutcome, TurnState, TurnStep, retry_after,
};
pub use words::asks_for_person;

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// The way in which an AI agent is asked for answers.
    pub enum AgentKind {
        /// A language model that is asked over the API of an OpenAI-compatible server.
        Model = "model",
        /// The organization's webhook. It gets a signed request for each turn.
        Webhook = "webhook",
        /// A program that reads events and answers over the API. It is not asked for each turn.
        Api = "api",
    }
}

keywords! {
    /// The handling of an AI agent's answers. The modes are in order, the strictest first.
    pub enum AgentMode {
        /// The agent is not asked, and gives no answers.
        Off = "off",
        /// Answers wait in the inbox until a member sends them.
        Draft = "draft",
        /// Answers are sent without a member.
        Auto = "auto",
    }
}

/// The conditions that decide whether a text that a member sends counts as a draft of the AI agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftConditions {
    /// Whether the draft was sent before.
    pub is_sent: bool,
    /// The mode of the agent that answers on the number, if there is one.
    pub mode: Option<AgentMode>,
    /// Whether the channel's own agent answers in the conversation.
    pub has_channel_agent: bool,
}

impl DraftConditions {
    /// Whether the agent keeps running after a member sends the text, because the text counts as
    /// the agent's draft. Any other text is the member's own, and pauses the agent.
    #[must_use]
    pub fn keep_agent_running(self) -> bool {
        !self.is_sent && self.mode == Some(AgentMode::Draft) && !self.has_channel_agent
    }
}

keywords! {
    /// The kind of an entry of an AI agent.
    pub enum AgentEntryKind {
        /// A fact about the business.
        Fact = "fact",
        /// A look-up that a model may use.
        LookUp = "look_up",
        /// A question with which the business checks the agent.
        Question = "question",
    }
}

/// Maximum number of AI agents of an organization.
pub const MAX_AGENTS: i64 = 50;
/// Maximum number of bytes of an agent's instructions.
pub const MAX_INSTRUCTIONS_BYTES: usize = 64 * 1024;
/// Maximum number of contacts in [`AgentSettings::allowed_contacts`]. While an agent is on trial,
/// it answers only these contacts.
pub const MAX_ALLOWED_CONTACTS: usize = 100;
/// Maximum number of messages in an answer.
pub const MAX_ANSWER_MESSAGES: usize = 10;
/// Maximum number of characters in the reason of a hand-over, and in its summary.
pub const MAX_HAND_OVER_LENGTH: usize = 1000;

/// The two durations that decide how long an agent waits for the contact to finish writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerDelay {
    /// How long the contact must be silent before the agent is asked.
    quiet: Duration,
    /// Maximum wait after the contact's first unanswered message, even if the contact goes on
    /// writing.
    longest: Duration,
}

/// The error for a delay that is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an agent waits for at most {} seconds", AnswerDelay::MAX.as_secs())]
pub struct DelayTooLong;

impl AnswerDelay {
    /// The maximum of each of the two durations.
    pub const MAX: Duration = Duration::from_mins(10);

    /// Parses the two durations, each given in seconds.
    pub fn parse(quiet: u32, longest: u32) -> Result<Self, DelayTooLong> {
        let quiet = Duration::from_secs(quiet.into());
        let longest = Duration::from_secs(longest.into());
        if quiet > Self::MAX || longest > Self::MAX {
            return Err(DelayTooLong);
        }
        Ok(Self { quiet, longest })
    }

    #[must_use]
    pub const fn quiet(&self) -> Duration {
        self.quiet
    }

    #[must_use]
    pub const fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the time at which the agent is asked. `first` is the time of the contact's first
    /// unanswered message, and `newest` is the time of the contact's newest message.
    #[must_use]
    pub fn due_at(&self, first: Timestamp, newest: Timestamp) -> Timestamp {
        newest.plus(self.quiet).min(first.plus(self.longest)).max(first)
    }
}

impl Default for AnswerDelay {
    fn default() -> Self {
        Self { quiet: Duration::from_secs(8), longest: Duration::from_secs(30) }
    }
}

/// The settings of an agent that depend on its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentConnection {
    Model(ModelConnection),
    Webhook {
        /// The URL of the organization's webhook to which turns are posted.
        url: String,
    },
    Api,
}

/// A language model behind an OpenAI-compatible server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConnection {
    /// The URL of the server's API, without `/chat/completions`.
    pub base_url: String,
    pub model: String,
    /// The model that is asked if `model` is not available.
    pub fallback_model: Option<String>,
    /// Maximum number of tokens that the model may write in one answer, or `None` for the server's
    /// default.
    pub max_tokens: Option<u32>,
    pub temperature: Option<Temperature>,
    /// Whether an operator entered `base_url`. Only an address that an operator entered may be in a
    /// private network.
    pub is_trusted: bool,
    pub prices: Option<TokenPrices>,
    pub fallback_prices: Option<TokenPrices>,
    /// Whether requests offer tools to the model. Some servers reject requests with tools.
    pub has_tools: bool,
    /// Whether requests contain the pictures that the contact sent.
    pub sees_images: bool,
    /// The model that transcribes voice messages, on the same server.
    pub transcription_model: Option<String>,
}

impl ModelConnection {
    /// Returns a connection with an empty address and no model. The caller sets the fields.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            base_url: String::new(),
            model: String::new(),
            fallback_model: None,
            max_tokens: None,
            temperature: None,
            is_trusted: false,
            prices: None,
            fallback_prices: None,
            has_tools: true,
            sees_images: false,
            transcription_model: None,
        }
    }
}

impl AgentConnection {
    #[must_use]
    pub const fn kind(&self) -> AgentKind {
        match self {
            Self::Model(_) => AgentKind::Model,
            Self::Webhook { .. } => AgentKind::Webhook,
            Self::Api => AgentKind::Api,
        }
    }
}

/// The settings of an agent, without its name and its mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    pub connection: AgentConnection,
    pub delay: AnswerDelay,
    /// The text with which a model is instructed: how to answer, and facts about the business.
    pub instructions: String,
    pub limits: AnswerLimits,
    /// The number of hours until a pause ends by itself, counted from the last message of a person
    /// or a program. `None` means that a pause does not end by itself.
    pub resume_after_hours: Option<u32>,
    /// Whether a pause ends when somebody closes the conversation.
    pub resume_on_close: bool,
    /// The times at which the agent answers.
    pub schedule: AnswerSchedule,
    /// The only contacts whom the agent answers while it is on trial. Each is given as a phone
    /// number, a user id or a contact id. If the list is empty, the agent answers everybody.
    pub allowed_contacts: Vec<String>,
    /// The text that is sent to a contact if the agent fails, at most once a day.
    pub failure_text: Option<String>,
    /// The organization's own phrases with which contacts ask for a person, in addition to the
    /// built-in phrases.
    pub person_phrases: Vec<String>,
    /// The templates that a model may send.
    pub templates: Vec<AgentTemplate>,
    /// The hosts to which links in the agent's answers may lead. If the list is empty, links may
    /// lead anywhere.
    pub link_hosts: Vec<String>,
}

impl AgentSettings {
    /// Returns how long a pause lasts before it ends by itself, counted from the last message of a
    /// person or a program. Returns `None` if a pause does not end by itself.
    #[must_use]
    pub fn resume_after(&self) -> Option<Duration> {
        self.resume_after_hours.map(|hours| Duration::from_hours(hours.into()))
    }
}

/// The limits of an agent's answers in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// Maximum number of answers within an hour.
    pub per_hour: u32,
    /// Maximum number of tokens within a day, or `None` for no limit.
    pub tokens_per_day: Option<u64>,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { per_hour: 20, tokens_per_day: None }
    }
}

/// The number of answers and tokens of an agent in one conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    /// Number of answers that the agent has sent within the last hour.
    pub last_hour: u32,
    /// Number of tokens within the last 24 hours.
    pub tokens_today: u64,
}

impl AnswerLimits {
    /// Whether an agent with these counts may give one more answer.
    #[must_use]
    pub fn has_room(&self, counts: AnswerCounts) -> bool {
        counts.last_hour < self.per_hour
            && self.tokens_per_day.is_none_or(|most| counts.tokens_today < most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + seconds)
    }

    #[test]
    fn only_a_draft_that_was_not_sent_keeps_the_agent_running() {
        let draft = DraftConditions {
            is_sent: false,
            mode: Some(AgentMode::Draft),
            has_channel_agent: false,
        };
        assert!(draft.keep_agent_running());
        for other in [
            DraftConditions { is_sent: true, ..draft },
            DraftConditions { mode: Some(AgentMode::Auto), ..draft },
            DraftConditions { mode: None, ..draft },
            DraftConditions { has_channel_agent: true, ..draft },
        ] {
            assert!(!other.keep_agent_running(), "{other:?}");
        }
    }

    #[test]
    fn of_two_modes_the_stricter_one_is_less() {
        assert!(AgentMode::Off < AgentMode::Draft && AgentMode::Draft < AgentMode::Auto);
    }

    #[test]
    fn five_messages_within_six_seconds_are_one_turn() {
        let delay = AnswerDelay::default();
        assert_eq!(delay.due_at(at(0), at(0)), at(8));
        assert_eq!(delay.due_at(at(0), at(6)), at(14));
        assert_eq!(delay.due_at(at(0), at(29)), at(30));
        let at_once = AnswerDelay::parse(0, 0).unwrap();
        assert_eq!(at_once.due_at(at(0), at(0)), at(0));
        assert_eq!(AnswerDelay::parse(601, 0), Err(DelayTooLong));
    }

    #[test]
    fn a_limit_counts_answers_and_tokens() {
        let limits = AnswerLimits { per_hour: 2, tokens_per_day: Some(100) };
        let counts = |last_hour, tokens_today| AnswerCounts { last_hour, tokens_today };
        assert!(limits.has_room(counts(1, 99)));
        assert!(!limits.has_room(counts(2, 0)));
        assert!(!limits.has_room(counts(0, 100)));
        assert!(AnswerLimits::default().has_room(counts(19, u64::MAX)));
    }

    proptest! {
        #[test]
        fn a_turn_is_due_neither_before_its_first_message_nor_too_late(
            quiet in 0_u32..=600, longest in 0_u32..=600, newest in 0_i64..1000,
        ) {
            let delay = AnswerDelay::parse(quiet, longest).unwrap();
            let due = delay.due_at(at(0), at(newest));
            prop_assert!(due >= at(0) && due <= at(longest.into()));
            prop_assert!(due <= at(newest).plus(delay.quiet()));
        }
    }
}
