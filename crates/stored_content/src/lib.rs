//! The stored content of messages, independent of the bounds of the API in this version.
//!
//! Each row names its format. Every format that was ever written stays readable, because a message
//! that was accepted (status 201) is sent even if a later version has other bounds for requests.
//! Therefore this crate checks no bounds, and ignores unknown fields. `tests/stored_content` has
//! rows of each format.
//!
//! Message history and events show stored JSON unchanged, so the API schemas of these types are
//! defined in this crate. Inbound content ([`received`]) is shown and never sent, so it is only
//! encoded.

pub mod agent_entries;
pub mod agent_settings;
pub mod erasure;
pub mod event_data;
mod first;
pub mod received;
pub mod revisions;
pub mod said;
#[cfg(test)]
mod samples;
pub mod schema;
#[cfg(test)]
mod tests;
pub mod turn_trace;

pub use first::contacts::ContactRow;

use domain::content::{Content, MessageKind};

/// The format in which messages are stored now.
pub const FORMAT: i32 = 1;

/// The reason why a stored content cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A later version wrote it.
    #[error("format {0} is not known to this version")]
    Format(i32),
    /// Messages of this type are only received, never sent.
    #[error("a message of type {0} is never sent")]
    NeverSent(MessageKind),
    /// The text is not valid JSON, or not the JSON of its format.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A keyword is unknown.
    #[error("{0:?} is not known to this version as {1}")]
    Keyword(String, &'static str),
}

/// A content in its stored form, in the present format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    pub kind: MessageKind,
    /// The JSON of the content.
    pub document: String,
}

/// Encodes the content of an accepted message.
///
/// # Errors
///
/// JSON that is part of the content is not valid.
pub fn encode(content: &Content) -> serde_json::Result<StoredContent> {
    let document = first::encode(content)?;
    Ok(StoredContent { kind: content.content_type().into(), document })
}

/// Decodes the content of an accepted message.
pub fn decode(format: i32, kind: MessageKind, content: &str) -> Result<Content, Unreadable> {
    match format {
        1 => first::decode(kind, content),
        other => Err(Unreadable::Format(other)),
    }
}
