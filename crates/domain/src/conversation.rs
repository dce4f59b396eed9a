//! Conversations: the 24-hour customer service window and the AI agent
//! (`docs/contract.md#messages`).

use crate::content::MessageKind;
use crate::id::{ConversationId, MessageId};
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// Whether the AI agent answers in a conversation.
    pub enum Agent {
        Running = "running",
        /// The agent does not answer. [`crate::inbox::PauseCause`] lists the causes of a pause.
        Paused = "paused",
    }
}

keywords! {
    /// The author that a request names for its message or its note (field `as`). Without the field,
    /// the author is a program.
    pub enum SendAs {
        /// The organization's AI agent is the author.
        Agent = "agent",
    }
}

keywords! {
    /// The effect that a request to send a message has on the AI agent (field `agent`).
    pub enum AgentChange {
        /// The message pauses the AI agent, so that a person answers the contact's reply.
        Paused = "paused",
    }
}

/// An answer that an AI agent asks to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentAnswer {
    /// The contact's message that the agent answers, if the request names it.
    pub after: Option<MessageId>,
}

/// The data that decides whether an AI agent's answer is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerConditions {
    pub agent: Agent,
    /// Whether the channel's own agent answers in the conversation.
    pub has_channel_agent: bool,
    /// The contact's newest message, if it is newer than the message that the agent answers.
    pub newer: Option<MessageId>,
    /// Number of messages that the agent has sent since the contact's last message. The answer that
    /// is decided about is not counted.
    pub sends_in_a_row: usize,
}

/// Maximum number of messages that an AI agent may send without a message of the contact in
/// between.
pub const MAX_SENDS_IN_A_ROW: usize = 3;

/// The reason why an AI agent's answer is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentRefusal {
    /// The agent is paused in the conversation, for example because a person has taken over.
    #[error("the AI agent is paused in this conversation")]
    Paused,
    /// The channel's own agent answers in the conversation.
    #[error("the channel's own agent answers in the conversation")]
    ChannelAgent,
    /// The contact has written again after the message that the agent answers.
    #[error("the contact has written again: {newest}")]
    Superseded {
        /// The contact's newest message.
        newest: MessageId,
    },
    /// The message that the agent answers is not in the conversation.
    #[error("the message to answer is not in the conversation")]
    UnknownMessage,
    /// The agent has sent the maximum number of messages in a row, or the maximum number of answers
    /// within an hour.
    #[error("the agent has reached its limit")]
    LimitReached,
    /// The contact seems to be a program as well.
    #[error("the contact seems to be a program")]
    Loop,
    /// The mode of the agent that answers on the number is off.
    #[error("the agent is off")]
    Off,
    /// The agent that answers on the number may only write drafts.
    #[error("the agent may only write drafts")]
    DraftMode,
}

impl AnswerConditions {
    /// Decides whether the agent's answer is accepted. If several reasons apply, the first in this
    /// order is returned: the agent is paused, the channel's own agent answers, the contact has
    /// written again, the limit is reached.
    pub const fn admit(self) -> Result<(), AgentRefusal> {
        match self {
            Self { agent: Agent::Paused, .. } => Err(AgentRefusal::Paused),
            Self { has_channel_agent: true, .. } => Err(AgentRefusal::ChannelAgent),
            Self { newer: Some(newest), .. } => Err(AgentRefusal::Superseded { newest }),
            Self { sends_in_a_row: MAX_SENDS_IN_A_ROW.., .. } => Err(AgentRefusal::LimitReached),
            Self { agent: Agent::Running, newer: None, .. } => Ok(()),
        }
    }
}

/// The part of a conversation that a member had seen when the member answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPart {
    pub conversation: ConversationId,
    /// The position of the last message that the member had seen, or 0 if the member had seen none.
    pub position: i64,
}

impl SeenPart {
    /// Returns the position up to which the member has seen `conversation`. Returns 0 if the member
    /// saw another conversation that was later merged into this one, because positions in the other
    /// conversation mean nothing here.
    #[must_use]
    pub fn position_in(self, conversation: ConversationId) -> i64 {
        if self.conversation == conversation { self.position.max(0) } else { 0 }
    }
}

/// An answer of the organization that a member did not see before the member answered too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message {message} was sent in the meantime")]
pub struct UnseenAnswer {
    pub message: MessageId,
    /// The author of the answer.
    pub by: MessageSource,
    pub at: Timestamp,
}

/// The responder that controls a conversation, on a number on which the channel's own agent answers
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadOwner {
    /// The channel's own agent controls the conversation.
    ChannelAgent,
    /// The organization controls the conversation through this service.
    Organization,
    /// Another program on the same number controls the conversation.
    Other,
}

/// The effect that a change of control has on the AI agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEffect {
    /// The agent is resumed, because its pause began before the change of control.
    Resumes,
    /// The agent is paused.
    Pauses {
        /// Whether a person at the organization has to answer the contact.
        needs_person: bool,
    },
    Nothing,
}

impl ThreadOwner {
    /// Returns the effect on the AI agent if this responder has controlled the conversation since
    /// `at`. `paused_since` is the time at which the agent was paused, if it is paused. A pause
    /// that began after `at` does not end.
    #[must_use]
    pub fn effect(self, paused_since: Option<Timestamp>, at: Timestamp) -> ControlEffect {
        match (self, paused_since) {
            (Self::ChannelAgent, Some(since)) if since <= at => ControlEffect::Resumes,
            (Self::ChannelAgent, _) | (_, Some(_)) => ControlEffect::Nothing,
            (Self::Organization, None) => ControlEffect::Pauses { needs_person: true },
            (Self::Other, None) => ControlEffect::Pauses { needs_person: false },
        }
    }
}

/// How long after the contact's last message the control of a conversation stays as it is. After
/// that time, the channel decides again which responder answers the contact's next message.
pub const THREAD_IDLE_AFTER: Duration = Duration::from_hours(24);

/// Returns the time at which the channel decides again which responder answers, if the contact does
/// not write before.
#[must_use]
pub fn thread_idle_at(last_inbound_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let idle = last_inbound_at.map(|at| at.plus(THREAD_IDLE_AFTER)).filter(|at| *at > now);
    idle.unwrap_or_else(|| now.plus(THREAD_IDLE_AFTER))
}

keywords! {
    /// The author of a message.
    pub enum MessageSource {
        Api = "api",
        /// A member, who writes in the inbox of the dashboard.
        Inbox = "inbox",
        Agent = "agent",
        /// A person at the organization, who writes on the phone of the account.
        Phone = "phone",
        /// The contact of the conversation.
        Customer = "customer",
    }
}

impl MessageSource {
    /// Whether an AI agent may answer a message of this source and kind. Only the contact's
    /// messages are answered. Reactions and messages that this version of Switchboard does not
    /// understand are not answered.
    #[must_use]
    pub const fn asks_agent(self, kind: MessageKind) -> bool {
        matches!(self, Self::Customer)
            && !matches!(kind, MessageKind::Reaction | MessageKind::Unsupported)
    }

    /// Whether a message of this source and kind is a reply of a person or a program. A template
    /// that a program sends is not a reply, because it may be part of a campaign.
    #[must_use]
    pub const fn is_reply(self, kind: MessageKind) -> bool {
        match self {
            Self::Customer | Self::Agent => false,
            Self::Api => !matches!(kind, MessageKind::Template),
            Self::Inbox | Self::Phone => true,
        }
    }
}

/// The data of an earlier message that decides whether the contact waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastMessage {
    pub id: MessageId,
    pub source: MessageSource,
    pub kind: MessageKind,
    /// The time at which the message was written.
    pub at: Timestamp,
}

impl PastMessage {
    /// Whether the message is an answer of the organization: of a person, a program or the AI
    /// agent. A reaction is not an answer.
    const fn is_answer(self) -> bool {
        let is_agents = matches!(self.source, MessageSource::Agent);
        !matches!(self.kind, MessageKind::Reaction)
            && (is_agents || self.source.is_reply(self.kind))
    }
}

/// Returns the contact's newest message that an AI agent may answer, if nobody has answered it yet
/// and its customer service window is open.
#[must_use]
pub fn waiting_message(newest_first: &[PastMessage], now: Timestamp) -> Option<PastMessage> {
    let decides = |it: &&PastMessage| it.source.asks_agent(it.kind) || it.is_answer();
    let last = newest_first.iter().find(decides).copied()?;
    (!last.is_answer() && window_is_open(Some(last.at), now)).then_some(last)
}

keywords! {
    /// The order in which messages are listed.
    pub enum SortOrder {
        /// Lists the oldest message first.
        Asc = "asc",
        /// Lists the newest message first.
        Desc = "desc",
    }
}

/// How long after a contact's last message the channel accepts free-form messages.
pub const WINDOW: Duration = Duration::from_hours(24);

/// Returns the end of the customer service window, or `None` if the contact has never written. The
/// contact's last message opened the window.
#[must_use]
pub fn window_expires_at(last_inbound_at: Option<Timestamp>) -> Option<Timestamp> {
    last_inbound_at.map(|at| at.plus(WINDOW))
}

/// How long before the end of the customer service window an event announces that end.
pub const WINDOW_NOTICE: Duration = Duration::from_hours(1);

/// Returns the time at which an event announces the end of the customer service window. Returns
/// `None` if the contact did not write the last message of the conversation.
#[must_use]
pub fn window_closing_at(
    last_inbound_at: Option<Timestamp>,
    last_message_at: Timestamp,
) -> Option<Timestamp> {
    let last = last_inbound_at.filter(|at| *at >= last_message_at)?;
    Some(last.plus(WINDOW).minus(WINDOW_NOTICE))
}

/// Whether the customer service window is open at `now`.
#[must_use]
pub fn window_is_open(last_inbound_at: Option<Timestamp>, now: Timestamp) -> bool {
    window_expires_at(last_inbound_at).is_some_and(|end| now < end)
}

keywords! {
    /// A warning in the answer to a request to send a message. The message was accepted nevertheless.
    pub enum Warning {
        /// The customer service window is closed, so the channel may refuse the free-form message.
        WindowClosed = "window_closed",
        /// The customer service window is closed, so the fallback template is sent instead of the
        /// message.
        FallbackUsed = "fallback_used",
    }
}

/// Returns the warnings for a message that was accepted at `now`.
#[must_use]
pub fn warnings(
    free_form: bool,
    last_inbound_at: Option<Timestamp>,
    now: Timestamp,
) -> Vec<Warning> {
    if free_form && !window_is_open(last_inbound_at, now) {
        vec![Warning::WindowClosed]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_answers_while_it_runs_and_nothing_newer_came() {
        let newer = MessageId::new(Timestamp::from_seconds(1), [1; 10]);
        let running = AnswerConditions {
            agent: Agent::Running,
            has_channel_agent: false,
            newer: None,
            sends_in_a_row: 0,
        };
        let admit = |agent, newer| AnswerConditions { agent, newer, ..running }.admit();
        assert_eq!(admit(Agent::Running, None), Ok(()));
        let superseded = AgentRefusal::Superseded { newest: newer };
        assert_eq!(admit(Agent::Running, Some(newer)), Err(superseded));
        assert_eq!(admit(Agent::Paused, None), Err(AgentRefusal::Paused));
        assert_eq!(admit(Agent::Paused, Some(newer)), Err(AgentRefusal::Paused));
        for (sends_in_a_row, expected) in [(2, Ok(())), (3, Err(AgentRefusal::LimitReached))] {
            assert_eq!(AnswerConditions { sends_in_a_row, ..running }.admit(), expected);
        }
        let beside = AnswerConditions { has_channel_agent: true, newer: Some(newer), ..running };
        assert_eq!(beside.admit(), Err(AgentRefusal::ChannelAgent));
        let paused = AnswerConditions { agent: Agent::Paused, ..beside };
        assert_eq!(paused.admit(), Err(AgentRefusal::Paused));
    }

    #[test]
    fn a_change_of_control_pauses_or_resumes_the_agent() {
        let at = Timestamp::from_seconds;
        let pauses = |needs_person| ControlEffect::Pauses { needs_person };
        for (owner, paused_since, effect) in [
            (ThreadOwner::Organization, None, pauses(true)),
            (ThreadOwner::Other, None, pauses(false)),
            (ThreadOwner::ChannelAgent, None, ControlEffect::Nothing),
            (ThreadOwner::ChannelAgent, Some(at(5)), ControlEffect::Resumes),
            // A person answered after the time of the report, so the pause does not end.
            (ThreadOwner::ChannelAgent, Some(at(6)), ControlEffect::Nothing),
            (ThreadOwner::Organization, Some(at(1)), ControlEffect::Nothing),
        ] {
            assert_eq!(owner.effect(paused_since, at(5)), effect, "{owner:?} {paused_since:?}");
        }
    }

    #[test]
    fn a_position_counts_in_its_own_conversation_only() {
        let [one, other] =
            [1, 2].map(|it| ConversationId::new(Timestamp::from_seconds(it), [0; 10]));
        let seen = |position| SeenPart { conversation: one, position };
        assert_eq!(seen(7).position_in(one), 7);
        assert_eq!(seen(7).position_in(other), 0);
        assert_eq!(seen(-7).position_in(one), 0);
    }

    #[test]
    fn a_contact_waits_until_somebody_answers() {
        use MessageSource::{Agent, Api, Customer, Inbox, Phone};
        let now = Timestamp::from_seconds(1_800_000_000);
        let message = |(number, (source, kind)): (u8, (MessageSource, MessageKind))| {
            let at = now.minus(Duration::from_hours(1));
            PastMessage { id: MessageId::new(at, [number; 10]), source, kind, at }
        };
        let waiting = |newest_first: &[(MessageSource, MessageKind)], now: Timestamp| {
            let messages: Vec<PastMessage> =
                (0..).zip(newest_first.iter().copied()).map(message).collect();
            let found = waiting_message(&messages, now)?;
            messages.iter().position(|it| it.id == found.id)
        };
        let text = MessageKind::Text;
        assert_eq!(waiting(&[], now), None);
        assert_eq!(waiting(&[(Customer, text), (Customer, text), (Agent, text)], now), Some(0));
        for answer in [Agent, Api, Inbox, Phone] {
            assert_eq!(waiting(&[(answer, text), (Customer, text)], now), None, "{answer}");
        }
        // Reactions do not count as answers. Templates that programs send do not count either.
        let aside = [
            (Customer, MessageKind::Reaction),
            (Inbox, MessageKind::Reaction),
            (Api, MessageKind::Template),
            (Customer, MessageKind::Unsupported),
        ];
        assert_eq!(waiting(&[&aside[..], &[(Customer, text)]].concat(), now), Some(4));
        assert_eq!(waiting(&aside, now), None);
        // After the end of the customer service window, the contact does not wait anymore, because
        // a free-form answer cannot be sent.
        let written = now.minus(Duration::from_hours(1));
        assert_eq!(waiting(&[(Customer, text)], written.plus(WINDOW)), None);
    }

    #[test]
    fn the_window_is_open_for_24_hours_after_an_inbound_message() {
        let inbound = Timestamp::from_seconds(1_000_000);
        let end = inbound.plus(WINDOW);
        assert!(window_is_open(Some(inbound), end.minus(Duration::from_micros(1))));
        assert!(!window_is_open(Some(inbound), end));
        assert!(!window_is_open(None, end));
        let notice = Some(end.minus(Duration::from_hours(1)));
        assert_eq!(window_closing_at(Some(inbound), inbound), notice);
        assert_eq!(window_closing_at(Some(inbound), inbound.plus(Duration::from_secs(1))), None);
        assert_eq!(window_closing_at(None, inbound), None);
        assert_eq!(warnings(true, None, end), [Warning::WindowClosed]);
        assert_eq!(warnings(false, None, end), []);
    }
}
