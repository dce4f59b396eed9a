//! Text messages.

use crate::violation::{Field, Violations};

/// Maximum number of characters in a text message.
pub const MAX_TEXT_LENGTH: usize = 4096;

/// A text message of 1 to 4096 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextContent {
    pub text: String,
    /// Whether the channel shows a preview of the first link in the text.
    pub preview_url: bool,
}

impl TextContent {
    /// Builds a text message from stored values, which are not checked.
    #[must_use]
    pub const fn stored(text: String, preview_url: bool) -> Self {
        Self { text, preview_url }
    }

    /// Parses the fields `text` and `preview_url`.
    pub fn parse(
        text: Option<&str>,
        preview_url: Option<bool>,
        faults: &mut Violations,
    ) -> Option<Self> {
        Some(Self {
            text: faults.required_text(&Field::root("text"), text, MAX_TEXT_LENGTH)?,
            preview_url: preview_url.unwrap_or_default(),
        })
    }
}
