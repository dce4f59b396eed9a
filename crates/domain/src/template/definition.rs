//! What a template is made of, as far as filling it in needs to know.

use crate::media::MediaKind;

/// A template's text and its places for parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// Above the body.
    pub header: Option<HeaderPart>,
    /// The text.
    pub body: String,
    /// Below the body.
    pub footer: Option<String>,
    /// At most ten.
    pub buttons: Vec<TemplateButton>,
}

/// What stands above the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPart {
    /// A line with at most one variable.
    Text(String),
    /// A file that each message brings.
    Media(MediaKind),
}

/// A button of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateButton {
    /// What it says.
    pub text: String,
    /// The address it opens, which may end with a variable.
    pub url: Option<String>,
}
