//! What a message says: one of four types, each within Meta's bounds (`docs/contract.md#messages`).

mod fill;
pub mod interactive;
pub mod media;
pub mod parameter;
pub mod template;
pub mod text;

pub use fill::{Mismatch, check, render};
pub use interactive::{Action, Button, Header, Interactive, List, Row, Section};
pub use media::{MediaContent, MediaInput};
pub use parameter::{ActionParameter, Parameter, ProductSection};
pub use template::{
    ButtonKind, CardParameters, ComponentParameters, ParameterPlace, TemplateContent,
};
pub use text::TextContent;

use crate::keyword::keywords;

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
    }
}

keywords! {
    /// The type of a message that is kept, whichever way it went.
    pub enum MessageKind {
        /// Plain text.
        Text = "text",
        /// A file.
        Media = "media",
        /// Buttons, a list or a link; or a tap on one.
        Interactive = "interactive",
        /// A template that the reviewer approved.
        Template = "template",
        /// A person's emoji on a message.
        Reaction = "reaction",
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
        }
    }

    /// Whether somebody wrote it by hand, as it were: it pauses the AI agent and needs an open
    /// window, which a template does not (`docs/contract.md#messages`).
    #[must_use]
    pub const fn is_free_form(&self) -> bool {
        !matches!(self, Self::Template(_))
    }
}
