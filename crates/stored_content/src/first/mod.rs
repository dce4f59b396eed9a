//! Format 1: the JSON of version 1 of the API. A content always has the same encoding. Older rows,
//! which hold the text of the request and may differ from it, are also decoded.

mod carousel;
pub mod contacts;
mod interactive;
mod parameters;
mod template;

use super::Unreadable;
use contacts::ContactRow;
use domain::content::{
    Content, MediaContent, MessageKind, PassthroughContent, ReactionContent, TextContent,
};
use domain::id::MessageId;
use domain::keyword::Keyword;
use domain::location::Location;
use domain::media::WebAddress;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct TextContentRow {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    voice: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct LocationRow {
    latitude: f64,
    longitude: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl From<Location> for LocationRow {
    fn from(it: Location) -> Self {
        let Location { latitude, longitude, name, address, .. } = it;
        Self { latitude, longitude, name, address }
    }
}

impl From<LocationRow> for Location {
    fn from(it: LocationRow) -> Self {
        Self::stored(it.latitude, it.longitude, it.name, it.address)
    }
}

/// A reaction. The id of the message that got the reaction is also in the content, so that the
/// content can be decoded without other columns.
#[derive(Serialize, Deserialize)]
struct ReactionRow {
    text: String,
    message_id: String,
}

#[derive(Deserialize)]
struct ChannelRow {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Serialize, Deserialize)]
struct FileLinkRow {
    link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
}

impl FileLinkRow {
    fn to(address: &WebAddress) -> Self {
        Self { link: address.as_str().to_owned(), filename: None }
    }
}

pub fn decode(kind: MessageKind, json: &str) -> Result<Content, Unreadable> {
    match kind {
        MessageKind::Text => {
            let TextContentRow { text, preview_url } = serde_json::from_str(json)?;
            Ok(Content::Text(TextContent::stored(text, preview_url == Some(true))))
        }
        MessageKind::Media => {
            let FileRow { url, media_type, caption, filename, voice } = serde_json::from_str(json)?;
            let (kind, url) = (keyword(&media_type, "a kind of media")?, WebAddress::stored(url));
            let voice = voice == Some(true);
            Ok(Content::Media(MediaContent::stored(kind, url, caption, filename, voice)))
        }
        MessageKind::Interactive => interactive::decode(json).map(Content::Interactive),
        MessageKind::Template => template::decode(json).map(Content::Template),
        MessageKind::Location => {
            let row: LocationRow = serde_json::from_str(json)?;
            Ok(Content::Location(row.into()))
        }
        MessageKind::Contacts => {
            let rows: Vec<ContactRow> = serde_json::from_str(json)?;
            Ok(Content::Contacts(rows.into_iter().map(Into::into).collect()))
        }
        MessageKind::Reaction => {
            let ReactionRow { text, message_id } = serde_json::from_str(json)?;
            let message = message_id.parse::<MessageId>();
            let message =
                message.map_err(|_| Unreadable::Keyword(message_id, "the id of a message"))?;
            Ok(Content::Reaction(ReactionContent::stored(message, text)))
        }
        MessageKind::Channel => {
            let ChannelRow { kind } = serde_json::from_str(json)?;
            Ok(Content::Channel(PassthroughContent::stored(kind, json.to_owned())))
        }
        MessageKind::Order | MessageKind::Unsupported => Err(Unreadable::NeverSent(kind)),
    }
}

pub fn encode(content: &Content) -> serde_json::Result<String> {
    match content {
        Content::Text(it) => serde_json::to_string(&TextContentRow {
            text: it.text.clone(),
            preview_url: it.preview_url.then_some(true),
        }),
        Content::Media(it) => serde_json::to_string(&FileRow {
            url: it.url.as_str().to_owned(),
            media_type: it.kind.as_str().to_owned(),
            caption: it.caption.clone(),
            filename: it.filename.clone(),
            voice: it.voice.then_some(true),
        }),
        Content::Interactive(it) => interactive::encode(it),
        Content::Template(it) => template::encode(it),
        Content::Location(it) => serde_json::to_string(&LocationRow::from(it.clone())),
        Content::Contacts(cards) => {
            let rows: Vec<ContactRow> = cards.iter().cloned().map(Into::into).collect();
            serde_json::to_string(&rows)
        }
        Content::Reaction(it) => {
            let (text, message_id) = (it.emoji.clone(), it.message.to_string());
            serde_json::to_string(&ReactionRow { text, message_id })
        }
        // A body that is not valid JSON cannot be stored.
        Content::Channel(it) => serde_json::from_str::<&serde_json::value::RawValue>(&it.body)
            .map(|it| it.get().to_owned()),
    }
}

fn keyword<K: Keyword>(text: &str, what: &'static str) -> Result<K, Unreadable> {
    K::from_keyword(text).ok_or_else(|| Unreadable::Keyword(text.to_owned(), what))
}
