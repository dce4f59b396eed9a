//! The content of a message to send. It has one of several types, each with Meta's bounds
//! (`docs/contract.md#messages`).

pub mod contacts;
mod fill;
pub mod interactive;
mod lint;
pub mod media;
mod order_reference;
pub mod parameter;
pub mod passthrough;
pub mod reaction;
pub mod template;
pub mod text;

pub use contacts::ContactCard;
pub use fill::{Mismatch, check, render, render_examples};
pub use interactive::{Action, Button, Header, Interactive, List, Row, Section};
pub use lint::lint;
pub use media::{MediaContent, MediaInput};
pub use parameter::{ActionParameter, DateParts, Parameter, ProductSection, TapTarget};
pub use passthrough::PassthroughContent;
pub use reaction::ReactionContent;
pub use template::{
    ButtonKind, CardParameters, ComponentParameters, ParameterPlace, TemplateContent,
};
pub use text::TextContent;

use crate::keyword::keywords;
use crate::location::Location;
use crate::media::{MediaKind, WebAddress};

keywords! {
    /// The type of a message that a request sends.
    pub enum ContentType {
        Text = "text",
        Media = "media",
        /// Buttons, a list, a form or another interactive action.
        Interactive = "interactive",
        /// A template that the reviewer approved.
        Template = "template",
        /// A place on a map.
        Location = "location",
        /// One or several contact cards.
        Contacts = "contacts",
        /// An emoji as a reaction to a message.
        Reaction = "reaction",
        /// A message in the channel's own format.
        Channel = "channel",
    }
}

keywords! {
    /// The type of a stored message, which may be inbound or outbound.
    pub enum MessageKind {
        Text = "text",
        Media = "media",
        /// Buttons, a list, a form or another interactive action, or the contact's answer to one.
        Interactive = "interactive",
        /// A template that the reviewer approved.
        Template = "template",
        /// A place on a map.
        Location = "location",
        /// One or several contact cards.
        Contacts = "contacts",
        /// An emoji as a reaction to a message.
        Reaction = "reaction",
        /// A message in the channel's own format.
        Channel = "channel",
        /// An order: products that the contact selected from a catalog.
        Order = "order",
        /// An inbound message that this version of Switchboard does not understand.
        Unsupported = "unsupported",
    }
}

impl From<ContentType> for MessageKind {
    fn from(sent: ContentType) -> Self {
        match sent {
            ContentType::Text => Self::Text,
            ContentType::Media => Self::Media,
            ContentType::Interactive => Self::Interactive,
            ContentType::Template => Self::Template,
            ContentType::Location => Self::Location,
            ContentType::Contacts => Self::Contacts,
            ContentType::Reaction => Self::Reaction,
            ContentType::Channel => Self::Channel,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(TextContent),
    Media(MediaContent),
    Interactive(Interactive),
    /// A template with its parameters.
    Template(TemplateContent),
    /// A place on a map.
    Location(Location),
    /// One or several contact cards.
    Contacts(Vec<ContactCard>),
    /// An emoji as a reaction to a message.
    Reaction(ReactionContent),
    /// A message in the channel's own format.
    Channel(PassthroughContent),
}

impl Content {
    #[must_use]
    pub const fn content_type(&self) -> ContentType {
        match self {
            Self::Text(_) => ContentType::Text,
            Self::Media(_) => ContentType::Media,
            Self::Interactive(_) => ContentType::Interactive,
            Self::Template(_) => ContentType::Template,
            Self::Location(_) => ContentType::Location,
            Self::Contacts(_) => ContentType::Contacts,
            Self::Reaction(_) => ContentType::Reaction,
            Self::Channel(_) => ContentType::Channel,
        }
    }

    /// Whether the message is free-form. A free-form message needs an open customer service window,
    /// and pauses the AI agent. A template message needs no open window and does not pause the
    /// agent (`docs/contract.md#messages`).
    #[must_use]
    pub fn is_free_form(&self) -> bool {
        match self {
            Self::Template(_) => false,
            Self::Channel(it) => !it.is_template(),
            _ => true,
        }
    }

    /// Returns the documents of the message that have no file name. Each is a pair of the
    /// document's URL and its empty file name, which the caller can set.
    pub fn unnamed_documents(&mut self) -> Vec<(&WebAddress, &mut Option<String>)> {
        match self {
            Self::Media(MediaContent {
                kind: MediaKind::Document,
                url,
                filename: name @ None,
                ..
            })
            | Self::Interactive(Interactive {
                header:
                    Some(Header::Media { kind: MediaKind::Document, url, filename: name @ None }),
                ..
            }) => vec![(&*url, name)],
            Self::Template(TemplateContent { components, cards, .. }) => {
                let mut all = unnamed_parameters(components);
                for card in cards {
                    all.extend(unnamed_parameters(&mut card.components));
                }
                all
            }
            _ => Vec::new(),
        }
    }

    /// Renders the message as text that people can read. For a template message, that is only the
    /// name and the language of the template.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Text(text) => text.text.clone(),
            Self::Media(media) => {
                let caption = media.caption.as_deref().map(|caption| format!("\n{caption}"));
                format!("[{}] {}{}", media.kind, media.url, caption.unwrap_or_default())
            }
            Self::Interactive(interactive) => interactive.words(),
            Self::Template(it) => format!("[template {} {}]", it.name, it.language),
            Self::Location(place) => format!("[location] {}", place.words()),
            Self::Contacts(cards) => contacts::words(cards),
            Self::Reaction(reaction) => reaction.words().to_owned(),
            Self::Channel(body) => body.words(),
        }
    }
}

fn unnamed_parameters(
    parts: &mut [ComponentParameters],
) -> Vec<(&WebAddress, &mut Option<String>)> {
    let all = parts.iter_mut().flat_map(|part| &mut part.parameters);
    all.filter_map(|it| match it {
        Parameter::Document(url, name @ None) => Some((&*url, name)),
        _ => None,
    })
    .collect()
}
