//! What a network can do. A send that needs more is refused before anything of it is stored
//! (`docs/contract.md#channel`).

use domain::contact::Address;
use domain::content::{Content, ContentType, Parameter};
use domain::keyword::Keyword;
use domain::media::MediaKind;
use domain::template::{ButtonType, Category, ComponentType, HeaderFormat, NewTemplate};
use serde::Deserialize;

/// What a network can do.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The types of messages.
    pub content: &'static [ContentType],
    /// Maximum number of characters in a text, where it is less than ours.
    pub max_text: Option<usize>,
    /// Whether a message can name the one that it answers.
    pub replies: bool,
    /// Whether a message can go to a user id, where a person's number is not known.
    pub user_ids: bool,
    /// Whether a person can be told that their message was read.
    pub receipts: bool,
    /// What goes along with files.
    pub media: MediaFields,
    /// Templates.
    pub templates: TemplateCapabilities,
}

/// What goes along with files.
#[derive(Clone, Copy, Debug)]
pub struct MediaFields {
    /// The kinds of files that take a caption.
    pub captions: &'static [MediaKind],
    /// Whether a document takes a name.
    pub filenames: bool,
    /// Whether sound can be a voice message.
    pub voice: bool,
}

/// What templates can be, and what their messages can bring.
#[derive(Clone, Copy, Debug)]
pub struct TemplateCapabilities {
    /// Whether one can be sent that was not made here.
    pub made_elsewhere: bool,
    /// What they are made of; none where the network takes all of Meta's, known here or not.
    pub parts: Option<TemplateParts>,
}

/// What templates are made of.
#[derive(Clone, Copy, Debug)]
pub struct TemplateParts {
    /// The categories.
    pub categories: &'static [Category],
    /// The components.
    pub components: &'static [ComponentType],
    /// The formats of headers.
    pub headers: &'static [HeaderFormat],
    /// The types of buttons.
    pub buttons: &'static [ButtonType],
    /// The types of parameters that a message fills them in with.
    pub parameters: &'static [&'static str],
}

/// Something that a network cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the channel does not support {feature}")]
pub struct Unsupported {
    /// What.
    pub feature: String,
    /// What it could do instead; empty if nothing of the sort.
    pub supported: Vec<&'static str>,
}

impl Capabilities {
    /// All that this version knows.
    pub const ALL: Self = Self {
        content: ContentType::ALL,
        max_text: None,
        replies: true,
        user_ids: true,
        receipts: true,
        media: MediaFields { captions: MediaKind::ALL, filenames: true, voice: true },
        templates: TemplateCapabilities { made_elsewhere: true, parts: None },
    };

    /// Whether a message can go there.
    pub fn check_address(&self, to: &Address) -> Result<(), Unsupported> {
        if self.user_ids || to.phone_number().is_some() {
            return Ok(());
        }
        let feature = "people without a known phone number".to_owned();
        Err(Unsupported { feature, supported: vec!["phone_number"] })
    }

    /// Whether a message can be sent.
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

    /// Whether a template can be made; `components` are its parts as they are stored.
    pub fn check_template(&self, new: &NewTemplate, components: &str) -> Result<(), Unsupported> {
        let Some(of) = self.templates.parts else { return Ok(()) };
        let category = format!("templates of category {}", new.category);
        one_of(of.categories, new.category, &category)?;
        if new.message_send_ttl_seconds.is_some() {
            return Err(Unsupported::entirely("message_send_ttl_seconds"));
        }
        let parts: Vec<Part> = serde_json::from_str(components)
            .map_err(|error| Unsupported::entirely(format!("these components: {error}")))?;
        for Part { kind, format, buttons } in parts {
            word_of(of.components, &kind, &format!("components of type {kind}"))?;
            if let Some(format) = format {
                word_of(of.headers, &format, &format!("headers of format {format}"))?;
            }
            for Button { kind } in buttons {
                word_of(of.buttons, &kind, &format!("buttons of type {kind}"))?;
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    format: Option<String>,
    #[serde(default)]
    buttons: Vec<Button>,
}

#[derive(Deserialize)]
struct Button {
    #[serde(rename = "type")]
    kind: String,
}

impl Unsupported {
    /// With nothing instead.
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
