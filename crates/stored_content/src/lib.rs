//! The content of messages as it is stored, apart from what the API takes today.
//!
//! Each row says in which format it was written. A format that was ever written stays readable: what was answered
//! with 201 is submitted whatever bounds requests have by then. So nothing here is bounded, and fields that are
//! not known are passed over. `tests/stored_content` keeps rows of each format.
//!
//! What the channel brings ([`received`]) is shown and never submitted: it is written here, and read by whoever shows it.

pub mod event_data;
mod first;
pub mod received;
pub mod revisions;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use first::contacts::ContactRow;

use domain::content::{Content, MessageKind};

/// The format in which messages are stored now.
pub const FORMAT: i32 = 1;

/// Why a stored content cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A later version wrote it.
    #[error("format {0} is not known to this version")]
    Format(i32),
    /// Nobody sends those: they only come from people.
    #[error("a message of type {0} is never sent")]
    NeverSent(MessageKind),
    /// It is not the JSON that its format has.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A word that its format does not have.
    #[error("{0:?} is not known as {1}")]
    Keyword(String, &'static str),
}

/// A content as it is stored, in the format of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    /// Its type.
    pub kind: MessageKind,
    /// What it says.
    pub document: String,
}

/// Writes the content of a message that is accepted to be sent. It fails where a content holds JSON of its own that is
/// none.
pub fn encode(content: &Content) -> serde_json::Result<StoredContent> {
    let document = first::encode(content)?;
    Ok(StoredContent { kind: content.content_type().into(), document })
}

/// Reads the content of a message that was accepted to be sent.
pub fn decode(format: i32, kind: MessageKind, content: &str) -> Result<Content, Unreadable> {
    match format {
        1 => first::decode(kind, content),
        other => Err(Unreadable::Format(other)),
    }
}
