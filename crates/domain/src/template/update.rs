//! Changes that the channel makes to a template on its own (`docs/contract.md#templates`).

use super::{Category, TemplateQuality};
use crate::id::{AccountId, TemplateId};
use crate::keyword::keywords;

keywords! {
    /// The part of a template that the channel changed.
    pub enum ChangedPart {
        Quality = "quality",
        Category = "category",
        /// The texts and the buttons of the template.
        Components = "components",
    }
}

/// A change that the channel made to a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateUpdate {
    Quality {
        /// The quality before the change, if the channel names it.
        previous: Option<TemplateQuality>,
        current: TemplateQuality,
    },
    Category(Category),
    Components(ComponentTexts),
}

/// The current texts and buttons of a template, as the channel reports them. A part that is missing
/// in the report is unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentTexts {
    pub header: Option<String>,
    pub body: Option<String>,
    pub footer: Option<String>,
    /// The buttons. An empty list means that the report does not mention them, and that they are
    /// unchanged.
    pub buttons: Vec<ButtonText>,
}

/// The current type, label and target of a button, as the channel reports them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonText {
    /// The type of the button, as Meta writes it.
    pub kind: String,
    /// The label of the button.
    pub text: String,
    pub url: Option<String>,
    pub phone_number: Option<String>,
}

/// A change that the channel made to a template, as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChange {
    pub id: TemplateId,
    /// The account that the template was created for.
    pub account: AccountId,
    pub name: String,
    pub language: String,
    pub part: ChangedPart,
    /// The value before the change, as JSON, if it was known. The value is a keyword, or the
    /// components.
    pub previous: Option<String>,
    /// The value after the change, as JSON.
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
