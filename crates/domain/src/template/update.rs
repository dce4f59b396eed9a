//! What the channel changes of a template by itself (`docs/contract.md#templates`).

use super::{Category, TemplateQuality};
use crate::id::{AccountId, TemplateId};
use crate::keyword::keywords;

keywords! {
    /// What of a template was changed.
    pub enum ChangedPart {
        /// What people make of it.
        Quality = "quality",
        /// What it is for.
        Category = "category",
        /// Its texts and buttons.
        Components = "components",
    }
}

/// A change that the channel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateUpdate {
    /// People make something else of it.
    Quality(TemplateQuality),
    /// The channel files it under another category.
    Category(Category),
    /// Its texts or buttons are others.
    Components(ComponentTexts),
}

/// The texts and buttons of a template as the channel has them now; what it does not mention stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentTexts {
    /// The text of the header.
    pub header: Option<String>,
    /// The text of the body.
    pub body: Option<String>,
    /// The text of the footer.
    pub footer: Option<String>,
    /// The buttons; empty where the channel does not mention them.
    pub buttons: Vec<ButtonText>,
}

/// A button as the channel has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonText {
    /// Meta's word for what it does.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// The address that it opens.
    pub url: Option<String>,
    /// The number that it calls.
    pub phone_number: Option<String>,
}

/// What the channel changed of a template, as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChange {
    /// Its id.
    pub id: TemplateId,
    /// The number that it was made for.
    pub account: AccountId,
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// What was changed.
    pub part: ChangedPart,
    /// What it was, as JSON: a word, or the components; none if it was not known.
    pub previous: Option<String>,
    /// What it is, as JSON.
    pub current: String,
}

impl TemplateUpdate {
    /// What it changes.
    #[must_use]
    pub const fn part(&self) -> ChangedPart {
        match self {
            Self::Quality(_) => ChangedPart::Quality,
            Self::Category(_) => ChangedPart::Category,
            Self::Components(_) => ChangedPart::Components,
        }
    }
}
