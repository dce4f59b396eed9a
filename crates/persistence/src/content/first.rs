//! Format 1: the JSON that the API of version 1 shows.

use super::Unreadable;
use domain::content::{
    Action, Button, ButtonKind, ComponentParameters, Content, Header, Interactive, MediaContent,
    MessageKind, Parameter, ParameterPlace, Row, Section, TemplateContent, TextContent,
};
use domain::keyword::Keyword;
use domain::media::{MediaKind, WebAddress};
use domain::template::{Language, TemplateName};
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

#[derive(Deserialize)]
struct Template {
    name: String,
    language: String,
    #[serde(default)]
    components: Vec<Component>,
}

#[derive(Deserialize)]
struct Component {
    #[serde(rename = "type")]
    kind: String,
    sub_type: Option<String>,
    index: Option<Index>,
    #[serde(default)]
    parameters: Vec<ParameterRow>,
}

/// Rows of 2026 hold a number where the request had one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Index {
    Number(u8),
    Text(String),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ParameterRow {
    Text { parameter_name: Option<String>, text: String },
    Image { image: Link },
    Video { video: Link },
    Document { document: Link },
    Payload { payload: String },
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
        MessageKind::Template => template(serde_json::from_str(json)?).map(Content::Template),
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
        _ => return Err(Unreadable::Keyword(kind, "an interactive message")),
    };
    Ok(Interactive::stored(header, body.text, footer.map(|it| it.text), action))
}

fn template(row: Template) -> Result<TemplateContent, Unreadable> {
    let Template { name, language, components } = row;
    let components: Result<Vec<_>, _> = components.into_iter().map(component).collect();
    let (name, language) = (TemplateName::stored(name), Language::stored(language));
    Ok(TemplateContent::stored(name, language, components?))
}

fn component(row: Component) -> Result<ComponentParameters, Unreadable> {
    let Component { kind, sub_type, index, parameters } = row;
    let place = match kind.as_str() {
        "header" => ParameterPlace::Header,
        "body" => ParameterPlace::Body,
        "button" => {
            let sub_type = sub_type.unwrap_or_default();
            ParameterPlace::Button(
                keyword::<ButtonKind>(&sub_type, "a kind of button")?,
                place_of(index)?,
            )
        }
        _ => return Err(Unreadable::Keyword(kind, "a component")),
    };
    let parameters = parameters.into_iter().map(|it| match it {
        ParameterRow::Text { parameter_name, text } => {
            Parameter::Text { name: parameter_name, text }
        }
        ParameterRow::Image { image } => Parameter::Image(WebAddress::stored(image.link)),
        ParameterRow::Video { video } => Parameter::Video(WebAddress::stored(video.link)),
        ParameterRow::Document { document } => {
            Parameter::Document(WebAddress::stored(document.link), document.filename)
        }
        ParameterRow::Payload { payload } => Parameter::Payload(payload),
    });
    Ok(ComponentParameters::new(place, parameters.collect()))
}

fn place_of(index: Option<Index>) -> Result<u8, Unreadable> {
    let text = match index {
        Some(Index::Number(number)) => return Ok(number),
        Some(Index::Text(text)) => text,
        None => String::new(),
    };
    let number: Option<i64> = text.parse().ok();
    let number = number.and_then(|number| u8::try_from(number).ok());
    number.ok_or(Unreadable::Keyword(text, "the index of a button"))
}
