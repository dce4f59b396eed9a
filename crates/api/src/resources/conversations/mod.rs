//! Conversations, as the inbox organizes them, and notes about them.

pub mod agent;
pub mod get;
pub mod hand_over;
pub mod list;
pub mod notes;
pub mod update;

use api_types::conversation::ConversationRecord;
use api_types::sample;
use api_types::schema::IdOf;
use domain::id::{self, ConversationId};
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::Problem;
use persistence::records::{InboxConversation, UnreadableRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::inbox::InboxError;

/// The conversation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationPath {
    /// The id of the conversation. The id of a conversation that was merged into another leads to
    /// that one.
    #[schemars(with = "IdOf<id::Conversation>")]
    id: String,
}

impl ConversationPath {
    fn sample() -> Self {
        Self { id: sample::CONVERSATION.to_string() }
    }

    fn parse(&self) -> Result<ConversationId, Problem> {
        self.id.parse().map_err(|_| unknown())
    }
}

fn unknown() -> Problem {
    Problem::not_found("conversation")
}

fn problem(error: InboxError) -> Problem {
    match error {
        InboxError::NotFound => unknown(),
        InboxError::NoSuchAssignee => {
            let mut faults = Violations::default();
            add_unknown_assignee(&mut faults);
            faults.into()
        }
        InboxError::ChannelUnavailable(_) => Problem::unavailable(),
        InboxError::Database(error) => error.into(),
    }
}

/// Adds the fault of an assignee who is not a member of the organization or may not use the inbox.
fn add_unknown_assignee(faults: &mut Violations) {
    let message = "must be the id of a member of your organization who may use the inbox";
    faults.add(&Field::root("assignee_id"), Fault::NotOneOf, message);
}

fn record(found: &InboxConversation) -> Result<ConversationRecord, Problem> {
    ConversationRecord::try_from(found).map_err(unreadable)
}

fn unreadable(error: UnreadableRow) -> Problem {
    persistence::Error::from(error).into()
}

fn sample_record() -> ConversationRecord {
    let sample = ConversationRecord::try_from(&sample::inbox_conversation());
    #[expect(clippy::expect_used, reason = "the sample is a constant, and a test renders it")]
    sample.expect("the sample can be read")
}
