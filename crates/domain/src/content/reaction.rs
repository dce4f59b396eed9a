//! Reactions: messages that add an emoji to another message.

use crate::emoji::canonical;
use crate::id::MessageId;
use crate::violation::{Fault, Field, Violations};

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReactionContent {
    /// The message to which the emoji is added.
    pub message: MessageId,
    /// The emoji, or an empty text to remove an earlier reaction.
    pub emoji: String,
}

impl ReactionContent {
    /// Builds a reaction from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(message: MessageId, emoji: String) -> Self {
        Self { message, emoji }
    }

    pub fn parse(
        at: &Field<'_>,
        message: Option<&str>,
        emoji: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("message_id");
        let message = faults.require(&field, message).and_then(|text| {
            let parsed = text.parse::<MessageId>();
            parsed.map_err(|wrong| faults.add(&field, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let field = at.key("emoji");
        let emoji = faults.require(&field, emoji)?;
        if emoji.is_empty() {
            return Some(Self { message: message?, emoji: String::new() });
        }
        let emoji = canonical(emoji);
        if emoji.is_none() {
            let message = "must be one emoji, or empty to take the reaction back";
            faults.add(&field, Fault::InvalidFormat, message);
        }
        Some(Self { message: message?, emoji: emoji? })
    }

    /// Renders the reaction as text that people can read.
    #[must_use]
    pub fn words(&self) -> &str {
        if self.emoji.is_empty() { "[reaction taken back]" } else { &self.emoji }
    }
}
