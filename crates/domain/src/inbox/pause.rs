//! The pause of the AI agent in a conversation, as a state machine: [`AgentStatus::after`]
//! (`docs/contract.md#ai-agents`).

use crate::conversation::{Agent, AgentRefusal, MessageSource};
use crate::id::MemberId;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// The cause of a pause of the AI agent in a conversation.
    pub enum PauseCause {
        /// A member answered the contact, or paused the agent.
        Member = "member",
        /// A program answered the contact, or paused the agent.
        Api = "api",
        /// A person answered the contact on the phone of the number.
        Phone = "phone",
        /// The agent handed the conversation over to a person.
        HandedOver = "handed_over",
        /// The agent reached a limit of its answers.
        Limit = "limit",
        /// The agent and another program answered each other in a loop.
        Loop = "loop",
        /// The contact wrote a word that opts out of marketing, such as `STOP`.
        OptedOut = "opted_out",
        /// The channel's own agent handed the conversation over, or another program took control of
        /// it.
        Channel = "channel",
    }
}

impl PauseCause {
    /// Returns the cause of a pause that a message of this source began.
    #[must_use]
    pub const fn of_message(source: MessageSource) -> Self {
        match source {
            MessageSource::Inbox => Self::Member,
            MessageSource::Phone => Self::Phone,
            MessageSource::Api | MessageSource::Agent | MessageSource::Customer => Self::Api,
        }
    }

    /// Returns the cause of the pause that follows when an answer of the agent is refused. Returns
    /// `None` if the refusal does not pause the agent.
    #[must_use]
    pub const fn of_refusal(refusal: AgentRefusal) -> Option<Self> {
        match refusal {
            AgentRefusal::LimitReached => Some(Self::Limit),
            AgentRefusal::Loop => Some(Self::Loop),
            AgentRefusal::Paused
            | AgentRefusal::ChannelAgent
            | AgentRefusal::Superseded { .. }
            | AgentRefusal::UnknownMessage
            | AgentRefusal::Off
            | AgentRefusal::DraftMode => None,
        }
    }
}

/// Whether the AI agent answers in a conversation, and the details of the pause if it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStatus {
    pub agent: Agent,
    pub cause: Option<PauseCause>,
    /// The reason that was given with the pause, as a text.
    pub reason: Option<String>,
    /// The member who paused the agent, if a member did.
    pub by: Option<MemberId>,
    /// The time at which the pause began.
    pub since: Option<Timestamp>,
    /// The time at which the pause ends by itself, if it does.
    pub until: Option<Timestamp>,
}

impl AgentStatus {
    /// Returns the status without any details of a pause.
    #[must_use]
    pub const fn new(agent: Agent) -> Self {
        Self { agent, cause: None, reason: None, by: None, since: None, until: None }
    }

    /// Returns the status of an agent that this message has paused.
    #[must_use]
    pub fn paused_by(message: PausingMessage) -> Self {
        let PausingMessage { source, at, by } = message;
        let cause = Some(PauseCause::of_message(source));
        Self { cause, by, since: Some(at), ..Self::new(Agent::Paused) }
    }

    /// Returns the status after a step at `now`. A step that does not apply changes nothing. An
    /// agent that is running has no pause that could end.
    #[must_use]
    pub fn after(self, step: AgentStep, now: Timestamp) -> Self {
        let running = Self::new(Agent::Running);
        let is_opted_out = self.cause == Some(PauseCause::OptedOut);
        match step {
            AgentStep::Pause(AgentPause { cause, reason, by, until }) => Self {
                agent: Agent::Paused,
                cause: Some(cause),
                reason,
                by,
                since: Some(now),
                until,
            },
            _ if self.agent == Agent::Running => self,
            AgentStep::Messages(news) => {
                let until = news.end(self.cause, self.until);
                Self { until, ..self }
            }
            AgentStep::Resume => running,
            AgentStep::OptIn if is_opted_out => running,
            AgentStep::Close { had_channel_agent: false } if !is_opted_out => running,
            AgentStep::Time if self.until.is_some_and(|until| until <= now) => running,
            AgentStep::OptIn | AgentStep::Close { .. } | AgentStep::Time => self,
        }
    }

    /// Whether a step at `now` ends the pause of this agent.
    #[must_use]
    pub fn is_ended_by(&self, step: AgentStep, now: Timestamp) -> bool {
        self.agent == Agent::Paused && self.clone().after(step, now).agent == Agent::Running
    }

    /// Whether this pause replaces the pause `kept` when two conversations are merged. This pause
    /// (`self`) is that of the conversation that was merged into the other. The pause that began
    /// later stays. If both began at the same time, this pause stays.
    #[must_use]
    pub fn replaces(&self, kept: &Self) -> bool {
        self.agent == Agent::Paused && self.since >= kept.since
    }
}

/// A message that paused the AI agent, as far as the pause is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausingMessage {
    pub source: MessageSource,
    pub at: Timestamp,
    /// The member who sent the message, if it is a member's and the member is known.
    pub by: Option<MemberId>,
}

/// A step of the AI agent in a conversation. A message of a person or a program also pauses an
/// agent that is running: see [`AgentStatus::paused_by`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentStep {
    /// Somebody pauses the agent, or a rule does. This pause replaces an earlier one. Its end was
    /// decided with [`AgentPause::end`].
    Pause(AgentPause),
    /// Messages were added to the conversation.
    Messages(PauseNews),
    /// A member or a program resumes the agent, or the channel's own agent gets control again.
    Resume,
    /// The contact opted in again.
    OptIn,
    /// The conversation is closed. The caller checks that the agent's settings resume it then.
    Close {
        /// Whether the channel's own agent has taken part in the conversation.
        had_channel_agent: bool,
    },
    /// Time has passed.
    Time,
}

/// The data about newly added messages that decides when a pause of the AI agent ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseNews {
    /// The time of the newest added message that is a reply of a person or a program. A template
    /// that a program sends is not a reply.
    pub replied_at: Option<Timestamp>,
    /// The time of the newest added message that a person or a program sent, including templates.
    pub sent_at: Option<Timestamp>,
    /// How long after the last reply of a person or a program a pause ends by itself. `None` means
    /// that a pause does not end by itself.
    pub resume_after: Option<Duration>,
    /// The time at which the channel's own agent may answer again. `None` if that agent has never
    /// taken part in the conversation.
    pub thread_idle_at: Option<Timestamp>,
    /// Whether the channel's own agent takes part in the conversation at present.
    pub has_channel_agent: bool,
}

impl PauseNews {
    /// Returns the time at which a pause with this cause ends by itself after the messages, if it
    /// does. `until` is that time before the messages were added.
    fn end(self, cause: Option<PauseCause>, until: Option<Timestamp>) -> Option<Timestamp> {
        let Self { replied_at, sent_at, resume_after, thread_idle_at, has_channel_agent } = self;
        // In a conversation with the channel's own agent, a pause that has an end keeps one.
        if thread_idle_at.is_some() && (has_channel_agent || until.is_some()) {
            return thread_idle_at;
        }
        // The agent's settings do not end the pause of a contact who opted out.
        let resume_after = resume_after.filter(|_| cause != Some(PauseCause::OptedOut));
        match (replied_at, resume_after) {
            // A reply extends the pause. If somebody set a later end of the pause, that end stays.
            (Some(at), Some(after)) => Some(at.plus(after)).max(until),
            // After a reply, the pause does not end by itself if the agent's settings name no time
            // after which pauses end.
            (Some(_), None) => None,
            (None, Some(after)) if until.is_none() => sent_at.map(|at| at.plus(after)),
            (None, _) => until,
        }
    }
}

/// A pause of the AI agent in a conversation, as somebody requests it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPause {
    pub cause: PauseCause,
    pub reason: Option<String>,
    /// The member who paused the agent, if a member did.
    pub by: Option<MemberId>,
    /// The time at which the pause ends by itself, if it does.
    pub until: Option<Timestamp>,
}

/// The time at which a new pause ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseEnd {
    At(Timestamp),
    Never,
    /// The agent's settings decide.
    BySettings,
}

impl AgentPause {
    /// Returns the time at which this pause ends by itself. `thread_idle_at` is the time at which
    /// the channel's own agent may answer again, if that agent takes part in the conversation.
    #[must_use]
    pub const fn end(&self, thread_idle_at: Option<Timestamp>) -> PauseEnd {
        match (self.until, thread_idle_at, self.cause) {
            (Some(at), ..) | (None, Some(at), _) => PauseEnd::At(at),
            (None, None, PauseCause::OptedOut) => PauseEnd::Never,
            (None, None, _) => PauseEnd::BySettings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use proptest::prelude::*;

    const CAUSE: Option<PauseCause> = Some(PauseCause::Member);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + seconds)
    }

    fn pause(cause: PauseCause, until: Option<Timestamp>) -> AgentPause {
        AgentPause { cause, reason: None, by: None, until }
    }

    #[test]
    fn of_the_pauses_of_merged_conversations_the_later_one_counts() {
        let message =
            |seconds| PausingMessage { source: MessageSource::Phone, at: at(seconds), by: None };
        let paused = |seconds| AgentStatus::paused_by(message(seconds));
        assert_eq!(paused(5).cause, Some(PauseCause::Phone));
        assert!(paused(5).replaces(&paused(4)));
        assert!(!paused(4).replaces(&paused(5)));
        // A pause replaces the status of an agent that was not paused before, and also a pause that
        // began at the same time.
        assert!(paused(5).replaces(&AgentStatus::new(Agent::Paused)));
        assert!(paused(5).replaces(&paused(5)));
        assert!(!AgentStatus::new(Agent::Running).replaces(&paused(5)));
    }

    #[test]
    fn an_answer_never_shortens_a_pause() {
        let after = |replied: i64| PauseNews {
            replied_at: Some(at(replied)),
            resume_after: Some(Duration::from_secs(10)),
            ..PauseNews::default()
        };
        assert_eq!(after(0).end(CAUSE, Some(at(60))), Some(at(60)));
        assert_eq!(after(55).end(CAUSE, Some(at(60))), Some(at(65)));
        assert_eq!(after(0).end(CAUSE, None), Some(at(10)));
    }

    #[test]
    fn a_pause_ends_some_time_after_a_persons_last_word() {
        let hour = Duration::from_hours(1);
        let none = PauseNews::default();
        let replied = PauseNews { replied_at: Some(at(5)), sent_at: Some(at(5)), ..none };
        assert_eq!(none.end(CAUSE, Some(at(9))), Some(at(9)));
        assert_eq!(replied.end(CAUSE, Some(at(9))), None);
        let resumes = |news| PauseNews { resume_after: Some(hour), ..news };
        assert_eq!(resumes(replied).end(CAUSE, Some(at(9))), Some(at(5).plus(hour)));
        // A template of a campaign is not a reply, so it does not extend the pause.
        let campaign = resumes(PauseNews { sent_at: Some(at(5)), ..none });
        assert_eq!(campaign.end(CAUSE, Some(at(9))), Some(at(9)));
        assert_eq!(campaign.end(CAUSE, None), Some(at(5).plus(hour)));
        let idle =
            PauseNews { thread_idle_at: Some(at(7)), has_channel_agent: true, ..resumes(replied) };
        assert_eq!(idle.end(CAUSE, None), Some(at(7)));
    }

    #[test]
    fn a_new_pause_ends_when_somebody_said_the_channel_decides_or_the_settings_say() {
        let end = |cause, until, idle| pause(cause, until).end(idle);
        assert_eq!(end(PauseCause::Api, Some(at(1)), Some(at(2))), PauseEnd::At(at(1)));
        assert_eq!(end(PauseCause::OptedOut, None, Some(at(2))), PauseEnd::At(at(2)));
        assert_eq!(end(PauseCause::OptedOut, None, None), PauseEnd::Never);
        assert_eq!(end(PauseCause::Member, None, None), PauseEnd::BySettings);
    }

    fn step() -> impl Strategy<Value = AgentStep> {
        let time = || prop::option::of((0..200_i64).prop_map(at));
        let pause = (prop::sample::select(PauseCause::ALL), time())
            .prop_map(|(cause, until)| AgentStep::Pause(pause(cause, until)));
        let news = (time(), time(), any::<bool>(), time(), any::<bool>()).prop_map(
            |(replied_at, sent_at, resumes, thread_idle_at, has_channel_agent)| {
                let resume_after = resumes.then_some(Duration::from_secs(10));
                AgentStep::Messages(PauseNews {
                    replied_at,
                    sent_at,
                    resume_after,
                    thread_idle_at,
                    has_channel_agent,
                })
            },
        );
        let close =
            any::<bool>().prop_map(|had_channel_agent| AgentStep::Close { had_channel_agent });
        prop_oneof![
            4 => pause,
            4 => news,
            1 => Just(AgentStep::Resume),
            2 => Just(AgentStep::OptIn),
            2 => close,
            4 => Just(AgentStep::Time),
        ]
    }

    /// Steps, each with the seconds that pass before it.
    fn steps() -> impl Strategy<Value = Vec<(AgentStep, i64)>> {
        prop::collection::vec((step(), 0..20_i64), 0..40)
    }

    proptest! {
        #[test]
        fn an_agent_pauses_and_runs_again_only_for_a_reason(steps in steps()) {
            let (mut status, mut now) = (AgentStatus::new(Agent::Running), 0);
            for (step, passed) in steps {
                now += passed;
                let before = status.clone();
                status = status.after(step.clone(), at(now));
                let was_paused = before.agent == Agent::Paused;
                let is_paused = status.agent == Agent::Paused;
                let ends = was_paused && !is_paused;
                prop_assert_eq!(before.is_ended_by(step.clone(), at(now)), ends);
                if !is_paused {
                    prop_assert_eq!(&status, &AgentStatus::new(Agent::Running));
                }
                let is_opted_out = before.cause == Some(PauseCause::OptedOut);
                match step {
                    AgentStep::Pause(pause) => {
                        prop_assert!(is_paused);
                        prop_assert_eq!(status.cause, Some(pause.cause));
                        prop_assert_eq!(status.since, Some(at(now)));
                        prop_assert_eq!(status.until, pause.until);
                        continue;
                    }
                    AgentStep::Messages(_) => prop_assert!(!ends),
                    AgentStep::Resume => prop_assert!(!is_paused),
                    AgentStep::OptIn => prop_assert_eq!(ends, was_paused && is_opted_out),
                    AgentStep::Close { had_channel_agent } => {
                        let is_kept = is_opted_out || had_channel_agent;
                        prop_assert_eq!(ends, was_paused && !is_kept);
                    }
                    AgentStep::Time => {
                        let is_over = before.until.is_some_and(|until| until <= at(now));
                        prop_assert_eq!(ends, is_over);
                    }
                }
                // Only a pause begins a pause. Nothing else changes its cause and its beginning.
                prop_assert!(was_paused || !is_paused);
                if is_paused {
                    prop_assert_eq!(status.cause, before.cause);
                    prop_assert_eq!(status.since, before.since);
                }
            }
        }

        #[test]
        fn only_a_decision_ends_the_pause_of_a_contact_who_opted_out(steps in steps()) {
            let opted_out = AgentStep::Pause(pause(PauseCause::OptedOut, None));
            let mut status = AgentStatus::new(Agent::Running).after(opted_out, at(0));
            let mut now = 0;
            for (step, passed) in steps {
                now += passed;
                let step = match step {
                    AgentStep::Pause(_) | AgentStep::Resume | AgentStep::OptIn => continue,
                    // The channel's own agent has never taken part.
                    AgentStep::Messages(news) => {
                        AgentStep::Messages(PauseNews { thread_idle_at: None, ..news })
                    }
                    other => other,
                };
                status = status.after(step, at(now));
                prop_assert_eq!(status.agent, Agent::Paused);
                prop_assert_eq!(status.until, None);
            }
            prop_assert!(status.is_ended_by(AgentStep::OptIn, at(now)));
        }
    }
}
