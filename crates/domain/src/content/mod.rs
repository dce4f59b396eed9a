//! What a message says: one of some types, each within Meta's bounds (`docs/contract.md#messages`).

pub mod contacts;
mod fill;
pub mod interactive;
pub mod media;
pub mod parameter;
pub mod passthrough;
pub mod reaction;
pub mod template;
pub mod text;

pub use contacts::ContactCard;
pub use fill::{Mismatch, check, render};
pub use interactive::{Action, Button, Header, Interactive, List, Row, Section};
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
    /// The type of a message that can be sent.
    pub enum ContentType {
        /// Plain text.
        Text = "text",
        /// A file.
        Media = "media",
        /// Buttons, a list or a link.
        Interactive = "interactive",
        /// A template that the reviewer approved.
        Template = "template",
        /// A place on the map.
        Location = "location",
        /// Contact cards.
        Contacts = "contacts",
        /// An emoji on a message.
        Reaction = "reaction",
        /// A body of the channel's own.
        Channel = "channel",
    }
}

keywords! {
    /// The type of a message that is kept, whichever way it went.
    pub enum MessageKind {
        /// Plain text.
        Text = "text",
        /// A file.
        Media = "media",
        /// Buttons, a list, a form and the like; or the answer to one.
        Interactive = "interactive",
        /// A template that the reviewer approved.
        Template = "template",
        /// A place on the map.
        Location = "location",
        /// Contact cards.
        Contacts = "contacts",
        /// An emoji on a message.
        Reaction = "reaction",
        /// A body of the channel's own.
        Channel = "channel",
        /// What a person chose of a catalog.
        Order = "order",
        /// Something that the channel brought and this release does not understand.
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

/// What a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(TextContent),
    /// A file.
    Media(MediaContent),
    /// Buttons, a list or a link.
    Interactive(Interactive),
    /// A template with its parameters.
    Template(TemplateContent),
    /// A place on the map.
    Location(Location),
    /// Contact cards.
    Contacts(Vec<ContactCard>),
    /// An emoji on a message.
    Reaction(ReactionContent),
    /// A body of the channel's own.
    Channel(PassthroughContent),
}

impl Content {
    /// Its type.
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

    /// Whether somebody wrote it by hand, as it were: it pauses the AI agent and needs an open
    /// window, which a template does not (`docs/contract.md#messages`).
    #[must_use]
    pub fn is_free_form(&self) -> bool {
        match self {
            Self::Template(_) => false,
            Self::Channel(it) => !it.is_template(),
            _ => true,
        }
    }

    /// The documents that the sender has not named: where each is, and where its name belongs.
    pub fn unnamed_documents(&mut self) -> Vec<(&WebAddress, &mut Option<String>)> {
        match self {
            Self::Media(MediaContent {
                kind: MediaKind::Document,
                url,
                filename: name @ None,
                ..
            }) => vec![(&*url, name)],
            Self::Interactive(Interactive {
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

    /// What a person would read of it; of a template that is not known its name.
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
