//! The parts of a template that somebody wants made, in Meta's shape and bounds.

use super::variables::{at_an_end, fault, variables};
use super::{Definition, HeaderPart, ParameterFormat, TemplateButton};
use crate::media::{MediaKind, WebAddress};
use crate::phone::PhoneNumber;
use crate::violation::{Fault, Field, Violations};

/// A part as it came in.
#[derive(Clone, Debug, Default)]
pub struct PartInput<'a> {
    /// `HEADER`, `BODY`, `FOOTER` or `BUTTONS`, in either case.
    pub kind: Option<&'a str>,
    /// `TEXT`, `IMAGE`, `VIDEO` or `DOCUMENT`, of a header.
    pub format: Option<&'a str>,
    /// The text, of all but buttons.
    pub text: Option<&'a str>,
    /// What the variables may be, for the reviewer.
    pub example: Option<Example<'a>>,
    /// The buttons.
    pub buttons: Option<Vec<ButtonInput<'a>>>,
}

/// Examples of what variables may be.
#[derive(Clone, Debug, Default)]
pub struct Example<'a> {
    /// In order.
    pub positional: Option<&'a [String]>,
    /// By name: `param_name` and `example`.
    pub named: Vec<(Option<&'a str>, Option<&'a str>)>,
}

/// A button as it came in.
#[derive(Clone, Debug, Default)]
pub struct ButtonInput<'a> {
    /// `QUICK_REPLY`, `URL`, `PHONE_NUMBER` or `COPY_CODE`.
    pub kind: Option<&'a str>,
    /// What it says.
    pub text: Option<&'a str>,
    /// The address it opens, which may end with one variable.
    pub url: Option<&'a str>,
    /// The number it calls.
    pub phone_number: Option<&'a str>,
    /// What the variable may be, or the code.
    pub example: Option<&'a [String]>,
}

/// The kinds of parts.
pub const KINDS: [&str; 4] = ["HEADER", "BODY", "FOOTER", "BUTTONS"];
/// What a header can be.
pub const FORMATS: [&str; 4] = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT"];
/// What a button can do.
pub const BUTTONS: [&str; 4] = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE"];
/// Maximum number of characters in a body.
pub const MAX_BODY_LENGTH: usize = 1024;
/// Maximum number of characters in a header or a footer.
pub const MAX_LINE_LENGTH: usize = 60;
/// Maximum number of buttons.
pub const MAX_BUTTONS: usize = 10;
/// Maximum number of characters in a button's label.
pub const MAX_BUTTON_TEXT_LENGTH: usize = 25;
/// Maximum number of characters in a button's address.
pub const MAX_BUTTON_URL_LENGTH: usize = 2000;
/// Maximum number of parts: a header, a body, a footer and the buttons.
pub const MAX_PARTS: usize = 4;

/// Reads the parts, with all their faults.
pub fn parse(
    at: &Field<'_>,
    parts: &[PartInput<'_>],
    format: ParameterFormat,
    faults: &mut Violations,
) -> Definition {
    let mut definition = Definition::default();
    let mut seen: Vec<&str> = Vec::new();
    for (index, part) in parts.iter().take(MAX_PARTS + 1).enumerate() {
        let at = at.index(index);
        let kind = faults.require(&at.key("type"), part.kind);
        let Some(kind) = kind.and_then(|word| kind_of(&at, word, faults)) else { continue };
        if seen.contains(&kind) {
            faults.add(&at, Fault::Duplicate, format!("there is a {kind} already"));
            continue;
        }
        seen.push(kind);
        let reader = Reader { at: &at, part, format };
        match kind {
            "HEADER" => definition.header = reader.header(faults),
            "BODY" => definition.body = reader.body(faults).unwrap_or_default(),
            "FOOTER" => definition.footer = reader.footer(faults),
            _ => definition.buttons = reader.buttons(faults),
        }
    }
    if parts.len() > MAX_PARTS {
        let message = format!("has {} entries; at most {MAX_PARTS} are allowed", parts.len());
        faults.add(at, Fault::TooLong, message);
    }
    if !seen.contains(&"BODY") {
        faults.add(at, Fault::Required, "a component of type BODY is required");
    }
    definition
}

fn kind_of(at: &Field<'_>, word: &str, faults: &mut Violations) -> Option<&'static str> {
    one_of(&at.key("type"), word, &KINDS, faults)
}

fn one_of(
    at: &Field<'_>,
    word: &str,
    words: &[&'static str],
    faults: &mut Violations,
) -> Option<&'static str> {
    let found = words.iter().copied().find(|known| known.eq_ignore_ascii_case(word));
    if found.is_none() {
        faults.add(at, Fault::NotOneOf, format!("must be one of {}", words.join(", ")));
    }
    found
}

/// One part in its place.
struct Reader<'a> {
    at: &'a Field<'a>,
    part: &'a PartInput<'a>,
    format: ParameterFormat,
}

impl Reader<'_> {
    fn header(&self, faults: &mut Violations) -> Option<HeaderPart> {
        self.forbid_buttons("header", faults);
        let at = self.at.key("format");
        let format = faults.require(&at, self.part.format);
        let format = format.and_then(|word| one_of(&at, word, &FORMATS, faults))?;
        let kind = match format {
            "IMAGE" => MediaKind::Image,
            "VIDEO" => MediaKind::Video,
            "DOCUMENT" => MediaKind::Document,
            _ => {
                let text = self.text(MAX_LINE_LENGTH, faults)?;
                if variables(&text).len() > 1 {
                    let message = "a header has at most one variable";
                    faults.add(&self.at.key("text"), Fault::InvalidFormat, message);
                    return None;
                }
                self.with_variables(&text, "header_text", "header_text_named_params", faults);
                return Some(HeaderPart::Text(text));
            }
        };
        let context = format!("a header of format {format}");
        faults.forbid(&self.at.key("text"), self.part.text.as_ref(), &context);
        Some(HeaderPart::Media(kind))
    }

    fn body(&self, faults: &mut Violations) -> Option<String> {
        self.forbid_buttons("body", faults);
        self.forbid_format("body", faults);
        let text = self.text(MAX_BODY_LENGTH, faults)?;
        self.with_variables(&text, "body_text", "body_text_named_params", faults);
        Some(text)
    }

    fn footer(&self, faults: &mut Violations) -> Option<String> {
        self.forbid_buttons("footer", faults);
        self.forbid_format("footer", faults);
        let text = self.text(MAX_LINE_LENGTH, faults)?;
        if text.contains("{{") {
            let message = "a footer has no variables";
            faults.add(&self.at.key("text"), Fault::InvalidFormat, message);
        }
        Some(text)
    }

    fn text(&self, most: usize, faults: &mut Violations) -> Option<String> {
        faults.required_text(&self.at.key("text"), self.part.text, most)
    }

    fn forbid_buttons(&self, of: &str, faults: &mut Violations) {
        let context = format!("a {of}; buttons are a component of their own");
        faults.forbid(&self.at.key("buttons"), self.part.buttons.as_ref(), &context);
    }

    fn forbid_format(&self, of: &str, faults: &mut Violations) {
        let context = format!("a {of}; only a header has one");
        faults.forbid(&self.at.key("format"), self.part.format.as_ref(), &context);
    }

    /// Variables are written right, not at an end, and each has an example.
    fn with_variables(&self, text: &str, positional: &str, named: &str, faults: &mut Violations) {
        let at = self.at.key("text");
        if let Some(message) = fault(text, self.format) {
            faults.add(&at, Fault::InvalidFormat, message);
            return;
        }
        if at_an_end(text) {
            let message = "must not begin or end with a variable; put a word there";
            faults.add(&at, Fault::InvalidFormat, message);
        }
        let wanted = variables(text);
        let example = self.part.example.as_ref();
        let at = self.at.key("example");
        let (at, given) = match self.format {
            ParameterFormat::Positional => {
                let examples = example.and_then(|it| it.positional).unwrap_or_default();
                let given = examples.iter().filter(|it| !it.is_empty()).count();
                (at.key(positional), given.min(wanted.len()))
            }
            ParameterFormat::Named => {
                let has = |name: &&&str| {
                    example.into_iter().flat_map(|it| &it.named).any(|(of, value)| {
                        *of == Some(**name) && value.is_some_and(|value| !value.is_empty())
                    })
                };
                (at.key(named), wanted.iter().filter(has).count())
            }
        };
        if given < wanted.len() {
            let message = format!(
                "needs an example for each of the {} variables; {given} came",
                wanted.len()
            );
            faults.add(&at, Fault::Required, message);
        }
    }

    fn buttons(&self, faults: &mut Violations) -> Vec<TemplateButton> {
        self.forbid_format("BUTTONS component", faults);
        let context = "a BUTTONS component; each button has its own";
        faults.forbid(&self.at.key("text"), self.part.text.as_ref(), context);
        let list = self.at.key("buttons");
        let Some(buttons) = faults.require(&list, self.part.buttons.as_deref()) else {
            return Vec::new();
        };
        if buttons.is_empty() {
            faults.add(&list, Fault::Empty, "must not be empty");
        }
        if buttons.len() > MAX_BUTTONS {
            let message =
                format!("has {} entries; at most {MAX_BUTTONS} are allowed", buttons.len());
            faults.add(&list, Fault::TooLong, message);
        }
        let buttons = buttons.iter().take(MAX_BUTTONS).enumerate();
        buttons.filter_map(|(index, it)| button(&list.index(index), it, faults)).collect()
    }
}

fn button(
    at: &Field<'_>,
    button: &ButtonInput<'_>,
    faults: &mut Violations,
) -> Option<TemplateButton> {
    let kind = faults.require(&at.key("type"), button.kind);
    let kind = kind.and_then(|word| one_of(&at.key("type"), word, &BUTTONS, faults));
    let text = match (kind, button.text) {
        // The channel writes what a button says that copies a code.
        (Some("COPY_CODE"), None) => Some(String::new()),
        (_, text) => faults.required_text(&at.key("text"), text, MAX_BUTTON_TEXT_LENGTH),
    };
    let context = |kind: &str| format!("a button of type {kind}");
    let kind = kind?;
    if kind != "URL" {
        faults.forbid(&at.key("url"), button.url.as_ref(), &context(kind));
    }
    if kind != "PHONE_NUMBER" {
        faults.forbid(&at.key("phone_number"), button.phone_number.as_ref(), &context(kind));
    }
    let mut url = None;
    match kind {
        "URL" => url = Some(address(at, button, faults)?),
        "PHONE_NUMBER" => {
            let at = at.key("phone_number");
            let number = faults.require(&at, button.phone_number)?;
            if let Err(wrong) = PhoneNumber::parse(number) {
                faults.add(&at, Fault::InvalidFormat, wrong.to_string());
            }
        }
        "COPY_CODE" => {
            faults.require(&at.key("example"), button.example.filter(|it| !it.is_empty()))?;
        }
        _ => {}
    }
    Some(TemplateButton { text: text?, url })
}

/// An address that may end with one variable, which then has an example.
fn address(at: &Field<'_>, button: &ButtonInput<'_>, faults: &mut Violations) -> Option<String> {
    let field = at.key("url");
    let url = faults.required_text(&field, button.url, MAX_BUTTON_URL_LENGTH)?;
    let (start, has_variable) = match url.split_once("{{") {
        Some((start, "1}}")) => (start, true),
        Some(_) => {
            let message = "may have one variable, {{1}}, at its end";
            faults.add(&field, Fault::InvalidFormat, message);
            return None;
        }
        None => (url.as_str(), false),
    };
    if let Err(wrong) = WebAddress::parse(start) {
        faults.add(&field, Fault::InvalidFormat, wrong.to_string());
    }
    if has_variable {
        faults.require(&at.key("example"), button.example.filter(|it| !it.is_empty()))?;
    }
    Some(url)
}
