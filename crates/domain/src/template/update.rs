//! Changes that the channel itself makes to a template (`docs/contract.md#templates`).

use super::{Category, TemplateQuality};
use crate::id::{AccountId, TemplateId};
use crate::keyword::keywords;

keywords! {
    /// The part of a template that changed.
    pub enum ChangedPart {
        Quality = "quality",
        Category = "category",
        /// The texts and buttons.
        Components = "components",
    }
}

/// A change of a template that the channel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateUpdate {
    Quality {
        /// The previous quality, if the channel names it.
        previous: Option<TemplateQuality>,
        current: TemplateQuality,
    },
    Category(Category),
    Components(ComponentTexts),
}

/// The current texts and buttons of a template at the channel. A part that the channel does not
/// mention is unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentTexts {
    pub header: Option<String>,
    pub body: Option<String>,
    pub footer: Option<String>,
    /// The buttons. Empty if the channel does not mention them.
    pub buttons: Vec<ButtonText>,
}

/// The current state of a button at the channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonText {
    /// The type, as Meta writes it.
    pub kind: String,
    /// The label.
    pub text: String,
    pub url: Option<String>,
    pub phone_number: Option<String>,
}

/// A change of a template as events show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChange {
    pub id: TemplateId,
    /// The account that the template was created for.
    pub account: AccountId,
    pub name: String,
    pub language: String,
    pub part: ChangedPart,
    /// The previous value as JSON, if it was known. The value is a word, or the components.
    pub previous: Option<String>,
    /// The current value as JSON.
    pub current: String,
}

impl TemplateUpdate {
    #[must_use]
    pub const fn part(&self) -> ChangedPart {
        match self {
            Self::Quality { .. } => ChangedPart::Quality,
            Self::Category(_) => ChangedPart::Category,
            Self::Components(_) => ChangedPart::Components,
        }
    }
}
