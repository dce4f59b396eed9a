//! Buttons, lists and links.

use super::Link;
use crate::content::Unreadable;
use domain::content::{Action, Button, Header, Interactive, List, Row, Section};
use domain::media::{MediaKind, WebAddress};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The action is read by its type: rows of 2026 hold whatever else the request had beside that part, half empty.
#[derive(Serialize, Deserialize)]
struct InteractiveRow<A> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<HeaderRow>,
    body: Words,
    #[serde(skip_serializing_if = "Option::is_none")]
    footer: Option<Words>,
    action: A,
}

#[derive(Serialize, Deserialize)]
struct Words {
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum HeaderRow {
    Text { text: String },
    Image { image: Link },
    Video { video: Link },
    Document { document: Link },
}

#[derive(Serialize, Deserialize)]
struct ButtonsRow {
    buttons: Vec<ButtonRow>,
}

#[derive(Serialize, Deserialize)]
struct ButtonRow {
    #[serde(rename = "type", default = "reply")]
    kind: String,
    reply: Reply,
}

fn reply() -> String {
    "reply".to_owned()
}

#[derive(Serialize, Deserialize)]
struct Reply {
    id: String,
    title: String,
}

#[derive(Serialize, Deserialize)]
struct ListRow {
    button: String,
    sections: Vec<SectionRow>,
}

#[derive(Serialize, Deserialize)]
struct SectionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    rows: Vec<Choice>,
}

#[derive(Serialize, Deserialize)]
struct Choice {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// An action with a name and parameters.
#[derive(Serialize, Deserialize)]
struct Named<P> {
    #[serde(default)]
    name: String,
    parameters: P,
}

#[derive(Serialize, Deserialize)]
struct LinkParameters {
    display_text: String,
    url: String,
}

/// Reads what was stored.
pub fn decode(json: &str) -> Result<Interactive, Unreadable> {
    let row: InteractiveRow<Value> = serde_json::from_str(json)?;
    let InteractiveRow { kind, header, body, footer, action } = row;
    let file = |kind, link: Link| Header::Media(kind, WebAddress::stored(link.link));
    let header = header.map(|header| match header {
        HeaderRow::Text { text } => Header::Text(text),
        HeaderRow::Image { image } => file(MediaKind::Image, image),
        HeaderRow::Video { video } => file(MediaKind::Video, video),
        HeaderRow::Document { document } => file(MediaKind::Document, document),
    });
    let action = match kind.as_str() {
        "button" => {
            let ButtonsRow { buttons } = serde_json::from_value(action)?;
            let buttons = buttons.into_iter().map(|it| Button::stored(it.reply.id, it.reply.title));
            Action::Buttons(buttons.collect())
        }
        "list" => {
            let ListRow { button, sections } = serde_json::from_value(action)?;
            let row = |it: Choice| Row::stored(it.id, it.title, it.description);
            let section =
                |it: SectionRow| Section::stored(it.title, it.rows.into_iter().map(row).collect());
            Action::stored_list(button, sections.into_iter().map(section).collect())
        }
        "cta_url" => {
            let Named { parameters, .. } = serde_json::from_value(action)?;
            let LinkParameters { display_text, url } = parameters;
            Action::Link { display_text, url: WebAddress::stored(url) }
        }
        "request_contact_info" => Action::RequestContactInfo,
        _ => return Err(Unreadable::Keyword(kind, "an interactive message")),
    };
    Ok(Interactive::stored(header, body.text, footer.map(|it| it.text), action))
}

/// Writes what is to be stored.
pub fn encode(it: &Interactive) -> serde_json::Result<String> {
    match &it.action {
        Action::Buttons(buttons) => {
            let button = |it: &Button| ButtonRow {
                kind: reply(),
                reply: Reply { id: it.id.clone(), title: it.title.clone() },
            };
            write(it, "button", ButtonsRow { buttons: buttons.iter().map(button).collect() })
        }
        Action::List(List { button, sections, .. }) => {
            let row = |it: &Row| Choice {
                id: it.id.clone(),
                title: it.title.clone(),
                description: it.description.clone(),
            };
            let section = |it: &Section| SectionRow {
                title: it.title.clone(),
                rows: it.rows.iter().map(row).collect(),
            };
            let sections = sections.iter().map(section).collect();
            write(it, "list", ListRow { button: button.clone(), sections })
        }
        Action::Link { display_text, url } => {
            let (display_text, url) = (display_text.clone(), url.as_str().to_owned());
            let (kind, parameters) = ("cta_url", LinkParameters { display_text, url });
            write(it, kind, Named { name: kind.to_owned(), parameters })
        }
        Action::RequestContactInfo => {
            let name = "request_contact_info";
            write(it, name, NameOnly { name })
        }
    }
}

#[derive(Serialize)]
struct NameOnly {
    name: &'static str,
}

fn write<A: Serialize>(it: &Interactive, kind: &str, action: A) -> serde_json::Result<String> {
    serde_json::to_string(&InteractiveRow {
        kind: kind.to_owned(),
        header: it.header.as_ref().map(header),
        body: Words { text: it.body.clone() },
        footer: it.footer.clone().map(|text| Words { text }),
        action,
    })
}

fn header(header: &Header) -> HeaderRow {
    match header {
        Header::Text(text) => HeaderRow::Text { text: text.clone() },
        Header::Media(MediaKind::Image, address) => HeaderRow::Image { image: Link::to(address) },
        Header::Media(MediaKind::Video, address) => HeaderRow::Video { video: Link::to(address) },
        // No other file stands above a message.
        Header::Media(_, address) => HeaderRow::Document { document: Link::to(address) },
    }
}
