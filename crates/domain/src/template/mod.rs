//! Templates: names, definitions, review and parameters (`docs/contract.md#templates`).

mod definition;
mod input;
mod lint;
pub mod parts;
mod proposal;
mod review;
mod update;
pub mod variables;
mod warning;

pub use definition::{
    BodyPart, ButtonType, CardPart, ComponentType, Definition, FooterPart, HeaderFormat,
    HeaderPart, OfferPart, OneTimeCodeType, TemplateButton,
};
pub use input::{
    AppInput, ButtonInput, CardInput, ExampleInput, FlowButtonInput, OfferInput, PartInput,
};
pub use lint::{LintFinding, LintRule, LintSeverity, lint_text};
pub use proposal::{NewTemplate, TemplateInput};
pub use review::{ReportedVerdict, Review, ReviewLog, Verdict, ask_again_after, verdicts_up_to};
pub use update::{ButtonText, ChangedPart, ComponentTexts, TemplateChange, TemplateUpdate};
pub use warning::{TemplateWarning, Unchecked};

use crate::keyword::keywords;
use crate::violation::{Fault, Field, Violations};
use std::fmt;

keywords! {
    /// The status of a template in its review.
    pub enum TemplateStatus {
        /// The template was created, but not yet submitted.
        Draft = "draft",
        /// The template was submitted, and not yet reviewed.
        Pending = "pending",
        /// The reviewer approved the template. Messages may use it.
        Approved = "approved",
        /// The reviewer rejected the template. Messages may not use it. It can be changed and
        /// submitted again.
        Rejected = "rejected",
        /// The channel paused the template. Messages may not use it until the pause ends.
        Paused = "paused",
        /// The channel disabled the template. Messages may not use it unless the channel reinstates
        /// it.
        Disabled = "disabled",
        /// The channel archived the template. Messages may not use it unless the channel unarchives
        /// it.
        Archived = "archived",
        /// The template was deleted, here or at the channel.
        Deleted = "deleted",
    }
}

impl TemplateStatus {
    /// Whether messages may use a template with this status.
    #[must_use]
    pub const fn is_sendable(self) -> bool {
        matches!(self, Self::Approved)
    }

    /// Whether a template with this status can be changed and submitted again. The rule is Meta's.
    #[must_use]
    pub const fn is_editable(self) -> bool {
        matches!(self, Self::Approved | Self::Rejected | Self::Paused)
    }
}

keywords! {
    /// The purpose of the messages of a template.
    pub enum Category {
        /// The messages are about something that the recipient did or asked for.
        Utility = "utility",
        Marketing = "marketing",
        /// The messages contain one-time codes.
        Authentication = "authentication",
    }
}

impl Category {
    /// Returns the bounds, in seconds, of the time for which the channel tries to deliver a message
    /// of this category. The template sets that time.
    #[must_use]
    pub const fn send_ttl_bounds(self) -> (i64, i64) {
        match self {
            Self::Authentication => (30, 900),
            Self::Utility => (30, 43_200),
            Self::Marketing => (43_200, 2_592_000),
        }
    }
}

keywords! {
    pub enum RejectionReason {
        /// The template insults or threatens its recipients.
        AbusiveContent = "abusive_content",
        /// The template has the wrong category for its content.
        IncorrectCategory = "incorrect_category",
        /// Variables or components of the template are not valid.
        InvalidFormat = "invalid_format",
        /// The template advertises something, which its category does not allow.
        Promotional = "promotional",
        /// The template deceives its recipients.
        Scam = "scam",
        /// The text is not in the language that the template names.
        TagContentMismatch = "tag_content_mismatch",
    }
}

impl RejectionReason {
    /// Returns a title that tells people the reason of the rejection.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::AbusiveContent => "The reviewer found abusive content",
            Self::IncorrectCategory => "The text doesn’t fit the category",
            Self::InvalidFormat => "Variables or components are wrong",
            Self::Promotional => "The text advertises something",
            Self::Scam => "The reviewer takes the text for a scam",
            Self::TagContentMismatch => "The text isn’t in the stated language",
        }
    }

    /// Returns full sentences that tell people what to change in the template.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::AbusiveContent => "Remove what could insult or threaten the recipient.",
            Self::IncorrectCategory => {
                "A utility template is about an order or an appointment that exists. Offers, news and \
                 invitations are marketing. Choose the other category, or change the text."
            }
            Self::InvalidFormat => {
                "Check that the variables are numbered without gaps, that words stand around each of \
                 them, and that the examples and the links are what a recipient would get."
            }
            Self::Promotional => {
                "Outside the category marketing, a template can’t offer, advertise or invite. Remove \
                 such words, or choose the category marketing."
            }
            Self::Scam => {
                "Say who you are and why you write, link to your own domain, and don’t ask for \
                 passwords, card numbers or codes."
            }
            Self::TagContentMismatch => "Choose the language of the text, or translate the text.",
        }
    }
}

keywords! {
    /// The quality of a template, as the channel measures it.
    pub enum TemplateQuality {
        /// The channel has not rated the template yet.
        Unknown = "unknown",
        /// Recipients rarely complain about messages of the template.
        Green = "green",
        /// Some recipients complain, or block the sender.
        Yellow = "yellow",
        /// Many recipients complain, or block the sender. The channel is about to pause the
        /// template.
        Red = "red",
    }
}

keywords! {
    /// The way in which a template writes its variables.
    pub enum ParameterFormat {
        /// The variables have numbers: `{{1}}`, `{{2}}`.
        Positional = "positional",
        /// The variables have names: `{{first_name}}`.
        Named = "named",
    }
}

/// Maximum number of characters in a template's name.
pub const MAX_NAME_LENGTH: usize = 512;

/// A template's name: 1 to 512 characters of `a-z`, `0-9` and `_`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateName(String);

impl TemplateName {
    /// Wraps a name from the database, which is not checked.
    #[must_use]
    pub const fn stored(name: String) -> Self {
        Self(name)
    }

    pub fn parse(at: &Field<'_>, name: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let name = faults.required_text(at, name, MAX_NAME_LENGTH)?;
        let fits = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'_');
        if name.bytes().all(fits) {
            return Some(Self(name));
        }
        let message = "may only have lowercase letters a to z, digits and underscores";
        faults.add(at, Fault::InvalidFormat, message);
        None
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A language code in Meta's notation: `en` or `en_US`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Language(String);

impl Language {
    /// Wraps a language code from the database, which is not checked.
    #[must_use]
    pub const fn stored(code: String) -> Self {
        Self(code)
    }

    /// Parses a language code.
    pub fn parse(at: &Field<'_>, code: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let code = faults.require(at, code)?;
        let (language, region) = match code.split_once('_') {
            Some((language, region)) => (language, Some(region)),
            None => (code, None),
        };
        let letters = |text: &str, most: usize, fits: fn(&u8) -> bool| {
            (2..=most).contains(&text.len()) && text.as_bytes().iter().all(fits)
        };
        if letters(language, 3, u8::is_ascii_lowercase)
            && region.is_none_or(|region| letters(region, 3, u8::is_ascii_uppercase))
        {
            return Some(Self(code.to_owned()));
        }
        faults.add(at, Fault::InvalidFormat, "must be written like en or en_US");
        None
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_languages_follow_meta() {
        let mut faults = Violations::default();
        let at = Field::root("x");
        for good in ["en", "en_US", "fil"] {
            assert!(Language::parse(&at, Some(good), &mut faults).is_some(), "{good}");
        }
        for bad in ["", "e", "EN", "en-US", "en_us", "en_", "english"] {
            assert!(Language::parse(&at, Some(bad), &mut faults).is_none(), "{bad}");
        }
        assert!(TemplateName::parse(&at, Some("order_1"), &mut faults).is_some());
        assert!(TemplateName::parse(&at, Some("Order"), &mut faults).is_none());
    }

    #[test]
    fn only_an_approved_template_is_sent() {
        use crate::keyword::Keyword;
        let sendable: Vec<_> = TemplateStatus::ALL.iter().filter(|s| s.is_sendable()).collect();
        assert_eq!(sendable, [&TemplateStatus::Approved]);
    }
}
