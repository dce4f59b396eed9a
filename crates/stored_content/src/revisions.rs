//! The stored revisions of a message that its sender edited or deleted: each version and its times.

use crate::StoredContent;
use domain::content::MessageKind;
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::revision::{Deletion, Revisions, Version};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The stored form of revisions. Times are microseconds since 1970.
#[derive(Serialize, Deserialize)]
struct RevisionsRow {
    versions: Vec<VersionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion: Option<DeletionRow>,
}

#[derive(Serialize, Deserialize)]
struct VersionRow {
    #[serde(rename = "type")]
    kind: String,
    content: Box<RawValue>,
    written_at: i64,
    noted_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct DeletionRow {
    at: i64,
    noted_at: i64,
}

/// The reason why stored revisions cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRevisions {
    /// The text is not valid JSON, or has another structure.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The message type is unknown.
    #[error("a message of type {0:?} is not known")]
    Kind(String),
    /// The list of versions is empty. It must contain at least the first version.
    #[error("it has no version")]
    Empty,
}

pub fn decode(stored: &str) -> Result<Revisions<StoredContent>, UnreadableRevisions> {
    let RevisionsRow { versions, deletion } = serde_json::from_str(stored)?;
    let version = |it: VersionRow| {
        let kind = MessageKind::from_keyword(&it.kind);
        let kind = kind.ok_or(UnreadableRevisions::Kind(it.kind))?;
        Ok(Version {
            content: StoredContent { kind, document: it.content.get().to_owned() },
            written_at: Timestamp::from_micros(it.written_at),
            noted_at: Timestamp::from_micros(it.noted_at),
            change: it.change,
        })
    };
    let versions: Result<Vec<_>, UnreadableRevisions> = versions.into_iter().map(version).collect();
    let deletion = deletion.map(|it| Deletion {
        at: Timestamp::from_micros(it.at),
        noted_at: Timestamp::from_micros(it.noted_at),
    });
    Revisions::stored(versions?, deletion).ok_or(UnreadableRevisions::Empty)
}

/// Encodes revisions.
///
/// # Errors
///
/// The content of a version is not valid JSON.
pub fn encode(revisions: &Revisions<StoredContent>) -> serde_json::Result<String> {
    let version = |it: &Version<StoredContent>| {
        Ok(VersionRow {
            kind: it.content.kind.as_str().to_owned(),
            content: RawValue::from_string(it.content.document.clone())?,
            written_at: it.written_at.micros(),
            noted_at: it.noted_at.micros(),
            change: it.change.clone(),
        })
    };
    let versions: serde_json::Result<Vec<_>> = revisions.versions().iter().map(version).collect();
    let deletion = revisions.deletion();
    let deletion =
        deletion.map(|it| DeletionRow { at: it.at.micros(), noted_at: it.noted_at.micros() });
    serde_json::to_string(&RevisionsRow { versions: versions?, deletion })
}

/// Returns a media content with the URL of its file. Any other content, or one that cannot be
/// decoded, is returned unchanged.
#[must_use]
pub fn with_address(content: StoredContent, url: &str) -> StoredContent {
    with_field(content, "url", url)
}

/// Whether a content is audio, such as a voice message, that has never had a transcript. An erased
/// transcript counts as one.
#[must_use]
pub fn lacks_transcript(content: &StoredContent) -> bool {
    let fields = media_fields(content);
    fields.is_some_and(|it| {
        let is_audio = it.get("media_type").is_some_and(|it| it == MediaKind::Audio.as_str());
        is_audio && !it.contains_key("transcript")
    })
}

/// Returns a media content with the transcript of its file. Any other content, or one that cannot be
/// decoded, is returned unchanged.
#[must_use]
pub fn with_transcript(content: StoredContent, transcript: &str) -> StoredContent {
    with_field(content, "transcript", transcript)
}

fn with_field(content: StoredContent, name: &str, value: &str) -> StoredContent {
    match media_fields(&content) {
        Some(mut fields) => {
            fields.insert(name.to_owned(), value.into());
            StoredContent { document: Value::Object(fields).to_string(), ..content }
        }
        None => content,
    }
}

fn media_fields(content: &StoredContent) -> Option<Map<String, Value>> {
    let is_media = content.kind == MessageKind::Media;
    is_media.then(|| serde_json::from_str(&content.document).ok()).flatten()
}

/// Returns the content of a message after an edit. An edit of a media message changes only the
/// caption, not the file.
#[must_use]
pub fn changed(before: &StoredContent, after: StoredContent) -> StoredContent {
    if (before.kind, after.kind) != (MessageKind::Media, MessageKind::Media) {
        return after;
    }
    let read = |of: &StoredContent| serde_json::from_str::<Map<String, Value>>(&of.document);
    let (Ok(mut file), Ok(mut new)) = (read(before), read(&after)) else { return after };
    file.insert("caption".to_owned(), new.remove("caption").unwrap_or_default());
    StoredContent { document: Value::Object(file).to_string(), ..after }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as it was first stored.
    const STORED: &str = r#"{"versions":[{"type":"text","content":{"text":"Tuesday"},"written_at":1000000,"noted_at":2000000},{"type":"media","content":{"url":null,"media_type":"image"},"written_at":3000000,"noted_at":4000000,"change":"wamid.B"}],"deletion":{"at":5000000,"noted_at":6000000}}"#;

    #[test]
    fn a_row_is_read_and_written_as_it_always_was() {
        let read = decode(STORED).unwrap();
        let said: Vec<&str> =
            read.versions().iter().map(|it| it.content.document.as_str()).collect();
        assert_eq!(said, [r#"{"text":"Tuesday"}"#, r#"{"url":null,"media_type":"image"}"#]);
        assert_eq!(read.edited_at(), Some(Timestamp::from_seconds(3)));
        assert_eq!(read.deletion().map(|it| it.at), Some(Timestamp::from_seconds(5)));
        assert_eq!(encode(&read).unwrap(), STORED);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let why = |stored: &str| decode(stored).unwrap_err().to_string();
        assert_eq!(why(r#"{"versions":[]}"#), "it has no version");
        assert!(why(&STORED.replace("media\"", "hologram\"")).contains("hologram"));
        assert!(why("7").contains("invalid type"));
    }

    #[test]
    fn a_file_has_its_address() {
        let content = |kind, document: &str| StoredContent { kind, document: document.to_owned() };
        let file = content(MessageKind::Media, r#"{"url":null,"caption":"Look"}"#);
        let file = with_address(file, "https://example.com/a.png");
        assert_eq!(file.document, r#"{"url":"https://example.com/a.png","caption":"Look"}"#);
        let new = content(MessageKind::Media, r#"{"url":null,"content_type":"","caption":"See"}"#);
        let changed = changed(&file, new);
        assert_eq!(changed.document, r#"{"url":"https://example.com/a.png","caption":"See"}"#);
        let text = content(MessageKind::Text, r#"{"text":"Look"}"#);
        assert_eq!(with_address(text.clone(), "x"), text);
    }
}
