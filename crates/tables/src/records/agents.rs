//! AI agents and their turns.
use super::{MessageSubmission, Note, UnreadableRow};
use crate::schema::{agent_accounts, agent_costs, agent_entries, agents, turns};
use crate::types::{Attempts, Document};
use domain::agent::{
    AgentEntryKind, AgentKind, AgentMode, AgentSettings, AnswerLimits, MicroDollars, Spending,
    TurnState,
};
use domain::conversation::SeenPart;
use domain::id::{
    AccountId, AgentEntryId, AiAgentId, ConversationId, MessageId, NoteId, OrganizationId, TurnId,
};
use domain::inbox::PauseCause;
use domain::number::saturating;
use domain::time::Timestamp;
use stored_content::agent_settings;

record! {
    /// An AI agent.
    pub struct AiAgent of agents {
        pub organization_id: OrganizationId,
        pub id: AiAgentId,
        pub name: String,
        pub kind: AgentKind,
        pub mode: AgentMode,
        pub settings: Document,
        pub secret: Option<Vec<u8>>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

impl AiAgent {
    /// Returns the settings.
    pub fn settings(&self) -> Result<AgentSettings, UnreadableRow> {
        agent_settings::decode(&self.settings.0)
            .map_err(|why| UnreadableRow::new("AI agent", &self.id, why))
    }
}

record! {
    /// A number on which an agent answers.
    pub struct AgentAccount of agent_accounts {
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub agent_id: AiAgentId,
    }
}

record! {
    /// A turn of an agent.
    #[derive(diesel::QueryableByName)]
    pub struct Turn of turns {
        pub organization_id: OrganizationId,
        pub id: TurnId,
        pub conversation_id: ConversationId,
        pub account_id: AccountId,
        pub agent_id: AiAgentId,
        pub state: TurnState,
        pub after_message_id: MessageId,
        pub first_at: Timestamp,
        pub due_at: Option<Timestamp>,
        pub attempts: Attempts,
        pub ticket: Option<Vec<u8>>,
        pub expires_at: Option<Timestamp>,
        pub reason: Option<String>,
        pub tokens: Option<i64>,
        pub took_ms: Option<i32>,
        pub answer: Option<Document>,
        pub created_at: Timestamp,
        pub finished_at: Option<Timestamp>,
        pub input_tokens: Option<i64>,
        pub output_tokens: Option<i64>,
        pub cost: Option<i64>,
        pub unpriced_requests: i32,
        /// The message that a member sent from the draft.
        pub sent_message_id: Option<MessageId>,
    }
}

impl Turn {
    /// Whether the turn ended with a draft that nobody has sent or discarded. Only a discarded
    /// draft has a reason.
    #[must_use]
    pub fn has_open_draft(&self) -> bool {
        self.state == TurnState::Drafted && self.sent_message_id.is_none() && self.reason.is_none()
    }

    /// Returns the tokens and the cost of the turn.
    #[must_use]
    pub fn spending(&self) -> Spending {
        let count = |it: Option<i64>| it.and_then(|it| u64::try_from(it).ok());
        Spending {
            tokens: count(self.tokens),
            input_tokens: count(self.input_tokens),
            output_tokens: count(self.output_tokens),
            cost: count(self.cost).map(MicroDollars),
            unpriced_requests: saturating(self.unpriced_requests.max(0), u32::MAX),
        }
    }
}

record! {
    /// A fact, a look-up or a question of an AI agent.
    pub struct AiAgentEntry of agent_entries {
        pub organization_id: OrganizationId,
        pub agent_id: AiAgentId,
        pub kind: AgentEntryKind,
        pub id: AgentEntryId,
        pub content: Document,
        pub secret: Option<Vec<u8>>,
        pub updated_at: Timestamp,
    }
}

record! {
    /// The tokens and the cost of an AI agent in a month.
    pub struct AgentCost of agent_costs {
        pub organization_id: OrganizationId,
        pub month: i32,
        pub agent_id: AiAgentId,
        pub tokens: i64,
        pub cost: i64,
        pub unpriced_requests: i64,
    }
}

/// The bounds of the entries of one kind.
#[derive(Clone, Copy, Debug)]
pub struct EntryBounds {
    /// Maximum number of entries.
    pub count: usize,
    /// Maximum number of bytes of their contents.
    pub bytes: usize,
}

/// The result of writing an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryWrite {
    Written,
    /// The agent already has the maximum number of entries of this kind.
    TooMany,
    /// The entries have more bytes than are allowed.
    TooLarge,
    /// There is no such agent, or no such entry.
    NotFound,
}

/// A turn that is due, and the agent that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueTurn {
    pub organization: OrganizationId,
    pub agent: AiAgentId,
    pub turn: TurnId,
}

/// A change of an agent. `None` leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct AiAgentChange {
    pub name: Option<String>,
    pub mode: Option<AgentMode>,
    pub settings: Option<Document>,
    /// The encrypted secret. `Some(None)` deletes it.
    pub secret: Option<Option<Vec<u8>>>,
    /// The numbers on which the agent answers.
    pub accounts: Option<Vec<AccountId>>,
}

/// The result of creating or changing an agent.
#[derive(Clone, Debug)]
pub enum AgentWrite {
    /// The agent as it is now.
    Written(Box<AiAgent>),
    /// The organization already has the maximum number of agents. Nothing was done.
    TooMany,
    /// Another agent already answers on one of the numbers. `agent` is its name. Nothing was done.
    NumberTaken { account: AccountId, agent: String },
    /// There is no such agent.
    NotFound,
}

/// A message that a contact wrote, for an agent to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedMessage {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub account: AccountId,
    pub at: Timestamp,
}

/// A draft of an AI agent that a member sends, unchanged or edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftSend {
    /// The turn that wrote the draft.
    pub turn: TurnId,
    /// The conversation whose page showed the draft.
    pub conversation: ConversationId,
    /// The part of the conversation that the member had seen, if it is known.
    pub seen: Option<SeenPart>,
}

/// The result with which a turn ends.
#[derive(Clone)]
pub struct TurnFinish {
    pub state: TurnState,
    /// The reason why there is no answer.
    pub reason: Option<String>,
    /// Whether the turn ends with an answer of the agent. The answer is refused if a person has
    /// answered or the contact has written again.
    pub is_answer: bool,
    /// The agent's mode when the answer was checked. If the agent has a stricter mode by now, the
    /// answer is refused.
    pub mode: Option<AgentMode>,
    /// The messages of the answer.
    pub submissions: Vec<MessageSubmission>,
    /// The agent's limits, which must allow the answer.
    pub limits: Option<AnswerLimits>,
    pub hand_over: Option<HandOver>,
    /// The notes that the agent writes. Their conversation is that of the turn.
    pub notes: Vec<Note>,
    /// Whether a person has to answer.
    pub needs_person: bool,
    /// The cause of the pause, if the turn pauses the agent without a hand-over.
    pub pause: Option<PauseCause>,
    /// The time at which the pause ends by itself.
    pub paused_until: Option<Timestamp>,
    /// The tokens and the cost of this attempt.
    pub spending: Spending,
    pub took_ms: Option<i32>,
    /// The agent's answer.
    pub answer: Option<Document>,
    /// The trace of this attempt, for the turn's page. `None` keeps the trace of the previous
    /// attempt.
    pub trace: Option<Document>,
    pub at: Timestamp,
}

/// The reason and summary that an agent gives when it hands a conversation over to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOver {
    pub reason: String,
    pub summary: Option<String>,
}

/// A hand-over that an AI agent asks for over the API.
#[derive(Clone, Debug)]
pub struct RequestedHandOver {
    pub hand_over: HandOver,
    /// The id of the note with the summary.
    pub note: NoteId,
    /// The key of the program. It is the author of the note if no agent is set up on the number.
    pub client_id: String,
    pub key_name: String,
}

/// The result of ending a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    Finished,
    /// The turn had already ended. Nothing was done.
    AlreadyFinished(TurnState),
    /// The agent has answered as often as its limits allow. Nothing was done.
    LimitReached,
    /// The agent got this stricter mode while it was asked. An agent that was deleted, or that no
    /// longer answers on the number, counts as `off`. Nothing was done.
    ModeChanged(AgentMode),
    /// There is no such turn.
    Unknown,
}

/// The postponement of a turn, after a failed attempt or after a webhook's promise to answer later.
#[derive(Clone, Debug)]
pub struct TurnPostponement {
    /// The time at which the agent is asked again.
    pub due_at: Timestamp,
    /// Whether the turn can still be answered with its ticket.
    pub keeps_ticket: bool,
    /// The tokens and the cost of the attempt.
    pub spending: Spending,
    /// The trace of the attempt.
    pub trace: Option<Document>,
}
