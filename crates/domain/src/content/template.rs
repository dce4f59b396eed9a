//! A template as a message names it, with the parameters that fill it in.

use crate::keyword::keywords;
use crate::media::WebAddress;
use crate::template::{Language, TemplateName};
use crate::violation::{Fault, Field, Violations};

/// A template and what fills it in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateContent {
    /// Which template.
    pub name: TemplateName,
    /// In which language.
    pub language: Language,
    /// What fills it in.
    pub components: Vec<ComponentParameters>,
}

/// The parameters of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComponentParameters {
    /// Which component.
    pub place: ParameterPlace,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A component that takes parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterPlace {
    /// What stands above the body.
    Header,
    /// The text.
    Body,
    /// A button, by its index.
    Button(ButtonKind, u8),
}

keywords! {
    /// What a button that takes a parameter does.
    pub enum ButtonKind {
        /// Replies with a payload.
        QuickReply = "quick_reply",
        /// Opens an address with a variable ending.
        Url = "url",
        /// Copies a code.
        CopyCode = "copy_code",
    }
}

/// What fills in one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Words, for a variable with that name where the template names its variables.
    Text {
        /// The variable's name.
        name: Option<String>,
        /// The words.
        text: String,
    },
    /// A picture.
    Image(WebAddress),
    /// A film.
    Video(WebAddress),
    /// A file.
    Document(WebAddress, Option<String>),
    /// What a quick reply sends back.
    Payload(String),
}

/// The components that take parameters.
pub const COMPONENTS: [&str; 3] = ["header", "body", "button"];
/// The types of parameters.
pub const PARAMETERS: [&str; 5] = ["text", "image", "video", "document", "payload"];
/// Maximum number of characters in a parameter.
pub const MAX_PARAMETER_LENGTH: usize = 4096;
/// Maximum number of characters in a payload.
pub const MAX_PAYLOAD_LENGTH: usize = 256;
/// The highest index of a button.
pub const MAX_BUTTON_INDEX: i64 = 9;

impl TemplateContent {
    /// A template that was accepted earlier, whatever the bounds are now.
    #[must_use]
    pub const fn stored(
        name: TemplateName,
        language: Language,
        components: Vec<ComponentParameters>,
    ) -> Self {
        Self { name, language, components }
    }

    /// Puts together what was read one by one.
    pub fn parse(
        name: Option<&str>,
        language: Option<&str>,
        components: Vec<ComponentParameters>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let name = TemplateName::parse(&Field::root("template_name"), name, faults);
        let language = Language::parse(&Field::root("language"), language, faults);
        for (index, component) in components.iter().enumerate() {
            let mut earlier = components.iter().take(index);
            if earlier.any(|other| other.place == component.place) {
                let at = Field::root("components");
                let message = "the same component is repeated";
                faults.add(&at.index(index), Fault::Duplicate, message);
            }
        }
        Some(Self { name: name?, language: language?, components })
    }

    /// What fills in `place`; nothing where the message does not mention it.
    #[must_use]
    pub fn parameters_of(&self, place: ParameterPlace) -> &[Parameter] {
        let found = self.components.iter().find(|part| part.place == place);
        found.map_or(&[], |part| &part.parameters)
    }
}

impl ComponentParameters {
    /// The parameters of `place`.
    #[must_use]
    pub const fn new(place: ParameterPlace, parameters: Vec<Parameter>) -> Self {
        Self { place, parameters }
    }
}

impl ParameterPlace {
    /// Reads `type`, `sub_type` and `index` of a component.
    pub fn parse(
        at: &Field<'_>,
        component: Option<&str>,
        sub_type: Option<&str>,
        index: Option<i64>,
        faults: &mut Violations,
    ) -> Option<Self> {
        match faults.require(&at.key("type"), component)? {
            "header" => Some(Self::Header),
            "body" => Some(Self::Body),
            "button" => {
                let kind = faults
                    .require(&at.key("sub_type"), sub_type)
                    .and_then(|word| faults.word(&at.key("sub_type"), word));
                let index = faults.require(&at.key("index"), index)?;
                if !(0..=MAX_BUTTON_INDEX).contains(&index) {
                    let message = format!("must be 0 to {MAX_BUTTON_INDEX}");
                    faults.add(&at.key("index"), Fault::OutOfRange, message);
                }
                Some(Self::Button(kind?, u8::try_from(index).ok()?))
            }
            _ => {
                let message = format!("must be one of {}", COMPONENTS.join(", "));
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}

impl Parameter {
    /// Words.
    pub fn text(
        at: &Field<'_>,
        name: Option<&str>,
        text: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let text = faults.required_text(&at.key("text"), text, MAX_PARAMETER_LENGTH)?;
        let name = name.map(str::to_owned);
        Some(Self::Text { name, text })
    }

    /// What a quick reply sends back.
    pub fn payload(at: &Field<'_>, payload: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let payload = faults.required_text(&at.key("payload"), payload, MAX_PAYLOAD_LENGTH)?;
        Some(Self::Payload(payload))
    }

    /// The address of a file's `link`.
    pub fn link(at: &Field<'_>, link: Option<&str>, faults: &mut Violations) -> Option<WebAddress> {
        let at = at.key("link");
        let link = faults.require(&at, link)?;
        let parsed = WebAddress::parse(link);
        parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
    }

    /// Its type's word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Image(_) => "image",
            Self::Video(_) => "video",
            Self::Document(..) => "document",
            Self::Payload(_) => "payload",
        }
    }
}
