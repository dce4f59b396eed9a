//! Reactions, in Meta's format.

use crate::schema::IdOf;
use domain::content::ReactionContent;
use domain::id;
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reaction: an emoji on a message of the same conversation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reaction")]
pub struct ReactionWire {
    /// The id of the message to react to, which either side may have written.
    #[schemars(required, with = "IdOf<id::Message>")]
    message_id: Option<String>,
    /// One emoji. An empty string removes an earlier reaction.
    #[schemars(required)]
    emoji: Option<String>,
}

impl ReactionWire {
    /// Parses the reaction, and adds each violation to `faults`.
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<ReactionContent> {
        ReactionContent::parse(at, self.message_id.as_deref(), self.emoji.as_deref(), faults)
    }
}
