//! An emoji on a message.

use crate::emoji::canonical;
use crate::id::MessageId;
use crate::violation::{Fault, Field, Violations};

/// An emoji on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReactionContent {
    /// The message that it is on.
    pub message: MessageId,
    /// One emoji; empty takes an earlier one back.
    pub emoji: String,
}

impl ReactionContent {
    /// A reaction that was accepted earlier, whatever the bounds are now.
    #[must_use]
    pub const fn stored(message: MessageId, emoji: String) -> Self {
        Self { message, emoji }
    }

    /// Reads a reaction.
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

    /// What a person reads of it.
    #[must_use]
    pub fn words(&self) -> &str {
        if self.emoji.is_empty() { "[reaction taken back]" } else { &self.emoji }
    }
}
