//! Interactive messages in Meta's shape.

use crate::wire::object::Object;
use domain::content::{Action, Button, Header, Interactive, Row, Section};
use domain::media::MediaKind;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interactive message.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct InteractiveWire {
    /// `button`, `list` or `cta_url`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What stands above the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Object<HeaderWire>>,
    /// The text: 1 to 1024 characters.
    body: Option<Object<TextWire>>,
    /// Small print below the body: at most 60 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    footer: Option<Object<TextWire>>,
    /// What the person can do.
    action: Option<Object<ActionWire>>,
}

/// A piece of text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct TextWire {
    /// The text.
    text: Option<String>,
}

/// What stands above the body.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct HeaderWire {
    /// `text`, `image`, `video` or `document`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// At most 60 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Object<LinkWire>>,
    /// The film.
    #[serde(skip_serializing_if = "Option::is_none")]
    video: Option<Object<LinkWire>>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Object<LinkWire>>,
}

/// A file at an address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct LinkWire {
    /// Its address.
    link: Option<String>,
}

/// What the person can do.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct ActionWire {
    /// 1 to 3, for `button`.
    #[serde(skip_serializing_if = "Option::is_none")]
    buttons: Option<Vec<Object<ButtonWire>>>,
    /// What the button says that opens a `list`: at most 20 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    button: Option<String>,
    /// 1 to 10 with at most 10 rows in all, for `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<Object<SectionWire>>>,
    /// `cta_url`, for `cta_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The link, for `cta_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Object<LinkParameters>>,
}

/// A button.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct ButtonWire {
    /// `reply`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What it says and sends.
    reply: Option<Object<ReplyWire>>,
}

/// What a button says and sends.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct ReplyWire {
    /// At most 256 characters, unlike the others.
    id: Option<String>,
    /// At most 20 characters, unlike the others.
    title: Option<String>,
}

/// A part of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct SectionWire {
    /// At most 24 characters; needed where there are several sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// At least one.
    rows: Option<Vec<Object<RowWire>>>,
}

/// A choice in a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct RowWire {
    /// At most 200 characters, unlike the others.
    id: Option<String>,
    /// At most 24 characters.
    title: Option<String>,
    /// At most 72 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// The link of a `cta_url`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct LinkParameters {
    /// At most 20 characters.
    display_text: Option<String>,
    /// An http or https address.
    url: Option<String>,
}

impl InteractiveWire {
    /// Reads it, with all its faults.
    pub fn parse(&self, faults: &mut Violations) -> Option<Interactive> {
        let at = Field::root("interactive");
        let header = match &self.header {
            None => Some(None),
            Some(header) => header.parse(&at.key("header"), faults).map(Some),
        };
        let body = self.body.as_ref().and_then(|body| body.text.as_deref());
        let footer = self.footer.as_ref().map(|footer| footer.text.as_deref());
        let action = |faults: &mut Violations| self.action(&at, faults);
        Interactive::parse(&at, header, body, footer, action, faults)
    }

    fn action(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        let kind = faults.require(&at.key("type"), self.kind.as_deref());
        let (field, empty) = (at.key("action"), Object::<ActionWire>::default());
        let action = faults.require(&field, self.action.as_ref()).unwrap_or(&empty);
        self.action.as_ref()?;
        match kind? {
            "button" => action.buttons(&field, faults),
            "list" => action.list(&field, faults),
            "cta_url" => action.link(&field, faults),
            _ => {
                let message = "must be one of button, list, cta_url";
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}

impl HeaderWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Header> {
        let link = |part: &'static str| match part {
            "image" => self.image.as_ref(),
            "video" => self.video.as_ref(),
            _ => self.document.as_ref(),
        };
        let media = |part, kind, faults: &mut Violations| {
            Header::media(at, kind, link(part).and_then(|it| it.link.as_deref()), faults)
        };
        match faults.require(&at.key("type"), self.kind.as_deref())? {
            "text" => Header::text(at, self.text.as_deref(), faults),
            "image" => media("image", MediaKind::Image, faults),
            "video" => media("video", MediaKind::Video, faults),
            "document" => media("document", MediaKind::Document, faults),
            _ => {
                let message = "must be one of text, image, video, document";
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}

impl ActionWire {
    fn buttons(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        let entries = self.buttons.as_deref().unwrap_or_default();
        let mut buttons = Vec::with_capacity(entries.len());
        for (index, button) in entries.iter().enumerate() {
            let (list, empty) = (at.key("buttons"), Object::<ReplyWire>::default());
            let at = list.index(index);
            if button.kind.as_deref() != Some("reply") {
                faults.add(&at.key("type"), Fault::NotOneOf, "must be reply");
            }
            let reply = button.reply.as_ref().unwrap_or(&empty);
            let (id, title) = (reply.id.as_deref(), reply.title.as_deref());
            buttons.extend(Button::parse(&at.key("reply"), id, title, faults));
        }
        Action::buttons(at, entries.len(), buttons, faults)
    }

    fn list(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        let entries = self.sections.as_deref().unwrap_or_default();
        let mut sections = Vec::with_capacity(entries.len());
        let mut count = 0;
        for (index, section) in entries.iter().enumerate() {
            let list = at.key("sections");
            let at = list.index(index);
            let rows = section.rows.as_deref().unwrap_or_default();
            count += rows.len();
            let mut parsed = Vec::with_capacity(rows.len());
            for (index, row) in rows.iter().enumerate() {
                let (id, title) = (row.id.as_deref(), row.title.as_deref());
                let rows = at.key("rows");
                let row =
                    Row::parse(&rows.index(index), id, title, row.description.as_deref(), faults);
                parsed.extend(row);
            }
            if rows.is_empty() || !parsed.is_empty() {
                sections.extend(Section::parse(&at, section.title.as_deref(), parsed, faults));
            }
        }
        Action::list(at, self.button.as_deref(), sections, (entries.len(), count), faults)
    }

    fn link(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        if self.name.as_deref() != Some("cta_url") {
            faults.add(&at.key("name"), Fault::NotOneOf, "must be cta_url");
        }
        let empty = Object::<LinkParameters>::default();
        let parameters = self.parameters.as_ref().unwrap_or(&empty);
        let (text, url) = (parameters.display_text.as_deref(), parameters.url.as_deref());
        Action::link(at, text, url, faults)
    }
}
