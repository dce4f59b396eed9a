//! Edits and deletions of a message by its sender (`docs/contract.md#messages-and-history`).

use crate::content::{MediaDocument, media_and_transcript, plain_text, raw};
use crate::schema::{Instant, OneOf};
use domain::content::MessageKind;
use domain::keyword::Keyword as _;
use domain::revision::Version;
use persistence::Document;
use persistence::content::{StoredContent, revisions};
use persistence::records::Message;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

/// An earlier version of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageVersion")]
pub struct VersionRecord {
    /// The type of that version.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<MessageKind>")]
    kind: &'static str,
    /// The text, if the version was a text.
    text: Option<String>,
    /// The file, if the version was a media message.
    #[schemars(with = "Option<MediaDocument>")]
    media: Option<Box<RawValue>>,
    /// When the version was written.
    created_at: Instant,
}

/// The edits and the deletion of a message.
#[derive(Debug, Default)]
pub struct RevisionsRecord {
    /// When the message was last edited.
    pub edited_at: Option<Instant>,
    /// The earlier versions, the oldest first.
    pub previous_versions: Option<Vec<VersionRecord>>,
    /// When the message was deleted.
    pub deleted_at: Option<Instant>,
}

impl RevisionsRecord {
    /// Reads the revisions of a message. Revisions that cannot be parsed are logged as an error,
    /// and none are shown.
    #[must_use]
    pub fn from_message(row: &Message) -> Self {
        let Some(changes) = &row.changes else { return Self::default() };
        let read = revisions::decode(&changes.0).inspect_err(|error| {
            tracing::error!(%error, message = %row.id, "the stored revisions of a message cannot be parsed");
        });
        let Ok(read) = read else { return Self::default() };
        let previous = read.versions().split_last().map(|(_, previous)| previous);
        let previous = previous.filter(|it| !it.is_empty());
        Self {
            edited_at: read.edited_at().map(Instant),
            previous_versions: previous.map(|it| it.iter().map(VersionRecord::from).collect()),
            deleted_at: read.deletion().map(|it| Instant(it.at)),
        }
    }
}

impl From<&Version<StoredContent>> for VersionRecord {
    fn from(it: &Version<StoredContent>) -> Self {
        let StoredContent { kind, document } = &it.content;
        let document = Document(document.clone());
        let media = (*kind == MessageKind::Media).then(|| raw(&document)).flatten();
        Self {
            kind: kind.as_str(),
            text: plain_text(*kind, &document),
            // The transcript is a separate field of the message, so it is left out here.
            media: media.and_then(|it| media_and_transcript(it).0),
            created_at: Instant(it.written_at),
        }
    }
}
