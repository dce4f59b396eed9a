//! Asks AI agents: requests to models and webhooks, and the tools that a model uses
//! (`docs/contract.md#ai-agents`). This module sends nothing to contacts.

mod arguments;
mod attachments;
mod connection_test;
mod http;
mod knowledge;
mod look_ups;
mod model;
mod prompt;
mod tools;
mod transcription;
pub mod transcripts;

pub use attachments::{ReadDialog, read_dialog};
pub use connection_test::{
    CheckOutcome, ConnectionCheck, ConnectionReport, TestedAgent, test_connection,
};
pub use http::{HttpAnswer, send};
pub use knowledge::{Knowledge, ReadyLookUp, UsableTemplate, load_knowledge};
pub use model::{AskFailure, ModelReply, ask_model};
pub use prompt::DialogMessage;
pub use transcription::transcribe;

use crate::turns::AskedTurn;
use domain::agent::{AgentMode, AgentSettings, ModelConnection, retry_after};
use domain::id::{ContactId, ConversationId};
use persistence::content::turn_trace::TurnTrace;
use platform::Deps;
use platform::clock::Clock;
use platform::outbound::Outbound;
use std::time::Duration;

/// Maximum number of bytes of an answer of an agent's server.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// The parts of this process that are needed to ask an agent.
#[derive(Clone, Copy)]
pub struct AskingDeps<'a> {
    pub outbound: &'a Outbound,
    pub clock: &'a Clock,
}

impl<'a> AskingDeps<'a> {
    #[must_use]
    pub fn of(deps: &'a Deps) -> Self {
        Self { outbound: &deps.outbound, clock: &deps.clock }
    }
}

/// The contact's data that look-ups receive.
#[derive(Clone, Debug)]
pub struct AskingContact {
    pub id: ContactId,
    pub name: Option<String>,
    pub phone_number: Option<String>,
    pub channel_user_id: Option<String>,
}

/// The data for asking a model.
#[derive(Clone, Debug)]
pub struct ModelQuestion<'a> {
    pub settings: &'a AgentSettings,
    pub connection: &'a ModelConnection,
    /// The key of the model's server.
    pub api_key: Option<String>,
    pub knowledge: &'a Knowledge,
    /// The id of the conversation with a contact. `None` for a rehearsal.
    pub conversation: Option<ConversationId>,
    pub contact: Option<AskingContact>,
    /// The messages, the oldest first.
    pub dialog: Vec<DialogMessage>,
    /// Whether this is the last attempt. Only then the second model is asked if the first one
    /// fails.
    pub is_last_attempt: bool,
    /// The trace of the earlier attempts.
    pub trace: TurnTrace,
    /// The time in which the model has to answer.
    pub time_limit: Duration,
    /// The part of the time limit that is used up.
    pub used: Duration,
    /// Whether the answer is sent. Otherwise it is only a draft for a member.
    pub is_sent: bool,
}

impl<'a> ModelQuestion<'a> {
    /// Returns the question of a turn.
    #[must_use]
    pub fn of_turn(
        asked: &'a AskedTurn,
        connection: &'a ModelConnection,
        api_key: Option<String>,
        knowledge: &'a Knowledge,
        read: ReadDialog,
        time_limit: Duration,
    ) -> Self {
        let contact = &asked.conversation.contact;
        Self {
            settings: &asked.settings,
            connection,
            api_key,
            knowledge,
            conversation: Some(asked.conversation.conversation.id),
            contact: Some(AskingContact {
                id: contact.id,
                name: contact.name.clone(),
                phone_number: contact.phone_number.clone(),
                channel_user_id: contact.channel_user_id.clone(),
            }),
            dialog: read.messages,
            is_last_attempt: retry_after(asked.attempts, None).is_none(),
            trace: read.trace,
            time_limit,
            used: read.took,
            is_sent: asked.agent.mode == AgentMode::Auto,
        }
    }
}
