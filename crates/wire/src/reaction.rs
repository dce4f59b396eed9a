//! An emoji on a message.

use crate::schema::IdOf;
use domain::content::ReactionContent;
use domain::id;
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An emoji on a message of the same conversation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reaction")]
pub struct ReactionWire {
    /// The message that it is on, whoever wrote it.
    #[schemars(required, with = "IdOf<id::Message>")]
    message_id: Option<String>,
    /// One emoji; empty takes an earlier one back.
    #[schemars(required)]
    emoji: Option<String>,
}

impl ReactionWire {
    /// Reads it, with all its faults.
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<ReactionContent> {
        ReactionContent::parse(at, self.message_id.as_deref(), self.emoji.as_deref(), faults)
    }
}
