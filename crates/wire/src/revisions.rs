//! What became of a message that its writer changed or deleted (`docs/contract.md#messages-and-history`).

use crate::content::{MediaDocument, raw, text_of};
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

/// What a message said before it was changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageVersion")]
pub struct VersionRecord {
    /// What it was.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<MessageKind>")]
    kind: &'static str,
    /// What it said, of a text.
    text: Option<String>,
    /// The file, of a media message.
    #[schemars(with = "Option<MediaDocument>")]
    media: Option<Box<RawValue>>,
    /// When that was written.
    created_at: Instant,
}

/// What became of a message.
#[derive(Debug, Default)]
pub struct RevisionsRecord {
    /// When it was last changed.
    pub edited_at: Option<Instant>,
    /// What it said before, the first version first.
    pub previous_versions: Option<Vec<VersionRecord>>,
    /// When it was deleted.
    pub deleted_at: Option<Instant>,
}

impl RevisionsRecord {
    /// What is stored of a message; should it be unreadable, nothing of it is shown.
    #[must_use]
    pub fn of(row: &Message) -> Self {
        let Some(changes) = &row.changes else { return Self::default() };
        let read = revisions::decode(&changes.0).inspect_err(|error| {
            tracing::error!(%error, message = %row.id, "what became of a message cannot be read");
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
        Self {
            kind: kind.as_str(),
            text: text_of(*kind, &document),
            media: (*kind == MessageKind::Media).then(|| raw(&document)).flatten(),
            created_at: Instant(it.written_at),
        }
    }
}
