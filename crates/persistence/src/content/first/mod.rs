//! Format 1: the JSON that the API of version 1 shows.

mod template;

use super::Unreadable;
use domain::content::{
    Action, Button, Content, Header, Interactive, MediaContent, MessageKind, Row, Section,
    TextContent,
};
use domain::keyword::Keyword;
use domain::media::{MediaKind, WebAddress};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Text {
    text: String,
    #[serde(default)]
    preview_url: Option<bool>,
}

#[derive(Deserialize)]
struct FileRow {
    url: String,
    media_type: String,
    caption: Option<String>,
    filename: Option<String>,
}

#[derive(Deserialize)]
struct InteractiveRow {
    header: Option<HeaderRow>,
    body: Words,
    footer: Option<Words>,
    action: ActionRow,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Words {
    text: String,
}

#[derive(Deserialize)]
struct Link {
    link: String,
    filename: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum HeaderRow {
    Text { text: String },
    Image { image: Link },
    Video { video: Link },
    Document { document: Link },
}

/// The API judges and needs only the part that the type names; whatever else came stands beside it, half empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ActionRow {
    buttons: Value,
    button: Option<String>,
    sections: Value,
    parameters: Value,
}

#[derive(Deserialize)]
struct ButtonRow {
    reply: Reply,
}

#[derive(Deserialize)]
struct Reply {
    id: String,
    title: String,
}

#[derive(Deserialize)]
struct SectionRow {
    title: Option<String>,
    rows: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    id: String,
    title: String,
    description: Option<String>,
}

#[derive(Deserialize)]
struct LinkParameters {
    display_text: String,
    url: String,
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
        MessageKind::Interactive => {
            interactive(serde_json::from_str(json)?).map(Content::Interactive)
        }
        MessageKind::Template => template::decode(json).map(Content::Template),
        MessageKind::Reaction | MessageKind::Unsupported => Err(Unreadable::NeverSent(kind)),
    }
}

fn keyword<K: Keyword>(text: &str, what: &'static str) -> Result<K, Unreadable> {
    K::from_keyword(text).ok_or_else(|| Unreadable::Keyword(text.to_owned(), what))
}

fn interactive(row: InteractiveRow) -> Result<Interactive, Unreadable> {
    let InteractiveRow { header, body, footer, action, kind } = row;
    let file = |kind, link: Link| Header::Media(kind, WebAddress::stored(link.link));
    let header = header.map(|header| match header {
        HeaderRow::Text { text } => Header::Text(text),
        HeaderRow::Image { image } => file(MediaKind::Image, image),
        HeaderRow::Video { video } => file(MediaKind::Video, video),
        HeaderRow::Document { document } => file(MediaKind::Document, document),
    });
    let ActionRow { buttons, button, sections, parameters } = action;
    let action = match kind.as_str() {
        "button" => {
            let buttons: Vec<ButtonRow> = serde_json::from_value(buttons)?;
            let buttons = buttons.into_iter().map(|it| Button::stored(it.reply.id, it.reply.title));
            Action::Buttons(buttons.collect())
        }
        "list" => {
            let row = |it: Choice| Row::stored(it.id, it.title, it.description);
            let section =
                |it: SectionRow| Section::stored(it.title, it.rows.into_iter().map(row).collect());
            let sections: Vec<SectionRow> = serde_json::from_value(sections)?;
            let sections = sections.into_iter().map(section).collect();
            Action::stored_list(button.unwrap_or_default(), sections)
        }
        "cta_url" => {
            let LinkParameters { display_text, url } = serde_json::from_value(parameters)?;
            Action::Link { display_text, url: WebAddress::stored(url) }
        }
        "request_contact_info" => Action::RequestContactInfo,
        _ => return Err(Unreadable::Keyword(kind, "an interactive message")),
    };
    Ok(Interactive::stored(header, body.text, footer.map(|it| it.text), action))
}
