//! Format 1: the JSON that the API of version 1 shows. Each content is written in one way only; older rows, which hold
//! what the request said, are read too.

mod interactive;
mod template;

use super::Unreadable;
use domain::content::{Content, MediaContent, MessageKind, TextContent};
use domain::keyword::Keyword;
use domain::media::WebAddress;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Text {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview_url: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct FileRow {
    url: String,
    media_type: String,
    caption: Option<String>,
    filename: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Link {
    link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
}

impl Link {
    fn to(address: &WebAddress) -> Self {
        Self { link: address.as_str().to_owned(), filename: None }
    }
}

/// Reads what was stored.
pub fn decode(kind: MessageKind, json: &str) -> Result<Content, Unreadable> {
    match kind {
        MessageKind::Text => {
            let Text { text, preview_url } = serde_json::from_str(json)?;
            Ok(Content::Text(TextContent::stored(text, preview_url == Some(true))))
        }
        MessageKind::Media => {
            let FileRow { url, media_type, caption, filename } = serde_json::from_str(json)?;
            let (kind, url) = (keyword(&media_type, "a kind of media")?, WebAddress::stored(url));
            Ok(Content::Media(MediaContent::stored(kind, url, caption, filename)))
        }
        MessageKind::Interactive => interactive::decode(json).map(Content::Interactive),
        MessageKind::Template => template::decode(json).map(Content::Template),
        MessageKind::Reaction | MessageKind::Unsupported => Err(Unreadable::NeverSent(kind)),
    }
}

/// Writes what is to be stored.
pub fn encode(content: &Content) -> serde_json::Result<String> {
    match content {
        Content::Text(it) => serde_json::to_string(&Text {
            text: it.text.clone(),
            preview_url: it.preview_url.then_some(true),
        }),
        Content::Media(it) => serde_json::to_string(&FileRow {
            url: it.url.as_str().to_owned(),
            media_type: it.kind.as_str().to_owned(),
            caption: it.caption.clone(),
            filename: it.filename.clone(),
        }),
        Content::Interactive(it) => interactive::encode(it),
        Content::Template(it) => template::encode(it),
    }
}

fn keyword<K: Keyword>(text: &str, what: &'static str) -> Result<K, Unreadable> {
    K::from_keyword(text).ok_or_else(|| Unreadable::Keyword(text.to_owned(), what))
}
