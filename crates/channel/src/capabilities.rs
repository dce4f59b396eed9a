//! The capabilities of channels. A send that needs a missing capability is rejected before anything
//! is stored (`docs/contract.md#channel`).

use domain::contact::Address;
use domain::content::{Content, ContentType, Parameter};
use domain::keyword::Keyword;
use domain::media::MediaKind;
use domain::template::{ButtonType, Category, ComponentType, HeaderFormat, NewTemplate};
use serde::Deserialize;

/// The capabilities of a channel.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The supported message types.
    pub content: &'static [ContentType],
    /// The maximum number of characters in a text message, if the channel allows fewer than
    /// Switchboard.
    pub max_text: Option<usize>,
    /// Whether a message can be a reply to another one.
    pub replies: bool,
    /// Whether a message can be sent to a user id, for a contact whose number is unknown.
    pub user_ids: bool,
    /// Whether a contact's message can be marked as read.
    pub receipts: bool,
    /// The supported fields of media messages.
    pub media: MediaFields,
    /// The supported features of templates.
    pub templates: TemplateCapabilities,
}

/// The supported fields of media messages.
#[derive(Clone, Copy, Debug)]
pub struct MediaFields {
    /// The kinds of media that can have a caption.
    pub captions: &'static [MediaKind],
    /// Whether a document can have a file name.
    pub filenames: bool,
    /// Whether audio can be sent as a voice message.
    pub voice: bool,
}

/// The supported features of templates and of template messages.
#[derive(Clone, Copy, Debug)]
pub struct TemplateCapabilities {
    /// Whether messages can use a template that was not created through Switchboard.
    pub made_elsewhere: bool,
    /// Whether a template can be changed after its review.
    pub edits: bool,
    /// The supported parts. `None` if the channel supports everything that Meta supports, including
    /// parts that this version does not know.
    pub parts: Option<TemplateParts>,
}

/// The supported parts of templates.
#[derive(Clone, Copy, Debug)]
pub struct TemplateParts {
    /// The template categories.
    pub categories: &'static [Category],
    /// The component types.
    pub components: &'static [ComponentType],
    /// The header formats.
    pub headers: &'static [HeaderFormat],
    /// The button types.
    pub buttons: &'static [ButtonType],
    /// The types of parameters in template messages.
    pub parameters: &'static [&'static str],
}

/// A feature that a channel does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the channel does not support {feature}")]
pub struct Unsupported {
    /// The feature, in words.
    pub feature: String,
    /// The supported alternatives; empty if there are none.
    pub supported: Vec<&'static str>,
}

impl Capabilities {
    /// All capabilities that this version knows.
    pub const ALL: Self = Self {
        content: ContentType::ALL,
        max_text: None,
        replies: true,
        user_ids: true,
        receipts: true,
        media: MediaFields { captions: MediaKind::ALL, filenames: true, voice: true },
        templates: TemplateCapabilities { made_elsewhere: true, edits: true, parts: None },
    };

    /// Checks whether messages can be sent to an address.
    pub fn check_address(&self, to: &Address) -> Result<(), Unsupported> {
        if self.user_ids || to.phone_number().is_some() {
            return Ok(());
        }
        let feature = "people without a known phone number".to_owned();
        Err(Unsupported { feature, supported: vec!["phone_number"] })
    }

    /// Checks whether a message can be sent.
    pub fn check(&self, content: &Content, is_reply: bool) -> Result<(), Unsupported> {
        let kind = content.content_type();
        one_of(self.content, kind, &format!("messages of type {kind}"))?;
        if is_reply && !self.replies {
            return Err(Unsupported::entirely("reply_to"));
        }
        match content {
            Content::Text(text) => match self.max_text {
                Some(most) if text.text.chars().count() > most => {
                    Err(Unsupported::entirely(format!("texts of more than {most} characters")))
                }
                _ => Ok(()),
            },
            Content::Media(media) => {
                if media.caption.is_some() {
                    let feature = format!("a caption of media_type {}", media.kind);
                    one_of(self.media.captions, media.kind, &feature)?;
                }
                if media.filename.is_some() && !self.media.filenames {
                    return Err(Unsupported::entirely("filename"));
                }
                let voice = media.voice && !self.media.voice;
                if voice { Err(Unsupported::entirely("voice")) } else { Ok(()) }
            }
            Content::Template(template) => {
                let Some(parts) = self.templates.parts else { return Ok(()) };
                let all = template.components.iter().flat_map(|part| &part.parameters);
                let other = all.map(Parameter::word).find(|it| !parts.parameters.contains(it));
                match other {
                    Some(word) => Err(Unsupported {
                        feature: format!("parameters of type {word}"),
                        supported: parts.parameters.to_vec(),
                    }),
                    None => Ok(()),
                }
            }
            Content::Interactive(_)
            | Content::Location(_)
            | Content::Contacts(_)
            | Content::Reaction(_)
            | Content::Channel(_) => Ok(()),
        }
    }

    /// Checks whether a template can be created. `components` is its components as stored JSON.
    pub fn check_template(&self, new: &NewTemplate, components: &str) -> Result<(), Unsupported> {
        let Some(of) = self.templates.parts else { return Ok(()) };
        let category = format!("templates of category {}", new.category);
        one_of(of.categories, new.category, &category)?;
        if new.message_send_ttl_seconds.is_some() {
            return Err(Unsupported::entirely("message_send_ttl_seconds"));
        }
        let parts: Vec<StoredComponent> = serde_json::from_str(components)
            .map_err(|error| Unsupported::entirely(format!("these components: {error}")))?;
        for StoredComponent { kind, format, buttons } in parts {
            word_of(of.components, &kind, &format!("components of type {kind}"))?;
            if let Some(format) = format {
                word_of(of.headers, &format, &format!("headers of format {format}"))?;
            }
            for StoredButton { kind } in buttons {
                word_of(of.buttons, &kind, &format!("buttons of type {kind}"))?;
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct StoredComponent {
    #[serde(rename = "type")]
    kind: String,
    format: Option<String>,
    #[serde(default)]
    buttons: Vec<StoredButton>,
}

#[derive(Deserialize)]
struct StoredButton {
    #[serde(rename = "type")]
    kind: String,
}

impl Unsupported {
    /// Returns the error for a feature that has no supported alternative.
    pub fn entirely(feature: impl Into<String>) -> Self {
        Self { feature: feature.into(), supported: Vec::new() }
    }
}

fn one_of<T: Keyword>(all: &'static [T], wanted: T, feature: &str) -> Result<(), Unsupported> {
    word_of(all, wanted.as_str(), feature)
}

fn word_of<T: Keyword>(all: &'static [T], wanted: &str, feature: &str) -> Result<(), Unsupported> {
    let supported: Vec<&'static str> = all.iter().map(|it| it.as_str()).collect();
    if supported.contains(&wanted) {
        return Ok(());
    }
    Err(Unsupported { feature: feature.to_owned(), supported })
}
