//! Checks templates that are created.

use super::shape_check::{Checked, Fields, Located};
use super::template_button_shapes::buttons;
use serde_json::Value;

const MAX_LINE_LENGTH: usize = 60;
const MAX_BODY_BYTES: usize = 1024;
const MAX_EXAMPLE_LENGTH: usize = 2000;

/// A component type that stands for later versions of the API.
pub const LATER: &str = "LATER";

/// Returns whether a text is a valid template name.
pub fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns whether a text is a language code such as `en` or `pt_BR`.
pub fn is_language(text: &str) -> bool {
    let (language, region) = text.split_once('_').unwrap_or((text, "XX"));
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && (2..=3).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_uppercase())
}

pub fn template(body: &Value) -> Checked {
    let at = Located::root(body);
    let known = [
        "name",
        "language",
        "category",
        "parameter_format",
        "allow_category_change",
        "message_send_ttl_seconds",
        "components",
    ];
    let fields = at.object(&known)?;
    fields.need("name")?.text_like(512, is_name, "lower case letters, digits and _")?;
    fields.need("language")?.text_like(16, is_language, "a language such as en_US")?;
    fields.need("category")?.word(&["AUTHENTICATION", "MARKETING", "UTILITY"])?;
    fields.if_there("allow_category_change", Located::flag)?;
    let format = fields.may("parameter_format");
    let format = format.map(|at| at.word(&["positional", "POSITIONAL", "named", "NAMED"]));
    let by_name = format.transpose()?.is_some_and(|word| word.eq_ignore_ascii_case("named"));
    let components = fields.need("components")?;
    let kinds = parts(&components, by_name)?;
    if kinds.contains(&"BODY") { Ok(()) } else { components.wrong("a BODY is required") }
}

/// Checks a change of a template.
pub fn edit(body: &Value) -> Checked {
    let at = Located::root(body);
    let fields = at.object(&["category", "components", "message_send_ttl_seconds"])?;
    fields.if_there("category", |at| {
        at.word(&["AUTHENTICATION", "MARKETING", "UTILITY"]).map(drop)
    })?;
    fields.if_there("components", |at| parts(at, false).map(drop))
}

/// Checks the components of a template or a card. Returns their types.
fn parts(components: &Located<'_>, by_name: bool) -> Checked<Vec<&'static str>> {
    let known = ["HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER", LATER];
    let mut seen = Vec::new();
    for entry in components.list(1, 8)? {
        let kind = entry.fields()?.need("type")?.word(&known)?;
        if seen.contains(&kind) {
            return entry.wrong(format!("there is a {kind} already"));
        }
        seen.push(kind);
        match kind {
            "HEADER" => header(&entry, by_name)?,
            "BODY" => text_body(&entry, by_name)?,
            "FOOTER" => footer(&entry)?,
            "BUTTONS" => buttons(&entry)?,
            "CAROUSEL" => carousel(&entry, by_name)?,
            "LIMITED_TIME_OFFER" => offer(&entry)?,
            _ => {}
        }
    }
    Ok(seen)
}

fn carousel(at: &Located<'_>, by_name: bool) -> Checked {
    let cards = at.object(&["type", "cards"])?.need("cards")?;
    let mut first = None;
    for card in cards.list(2, 10)? {
        let parts = parts(&card.object(&["components"])?.need("components")?, by_name)?;
        if first.get_or_insert_with(|| parts.clone()) != &parts {
            return cards.wrong("must have the same parts each");
        }
        if !parts.contains(&"HEADER") {
            return card.wrong("a HEADER is required");
        }
    }
    Ok(())
}

fn offer(at: &Located<'_>) -> Checked {
    let offer = at.object(&["type", "limited_time_offer"])?.need("limited_time_offer")?;
    let offer = offer.object(&["text", "has_expiration"])?;
    offer.need("text")?.text(1, 16)?;
    offer.if_there("has_expiration", Located::flag)
}

fn header(at: &Located<'_>, by_name: bool) -> Checked {
    let formats = ["TEXT", "IMAGE", "VIDEO", "GIF", "DOCUMENT", "LOCATION", "PRODUCT", LATER];
    match at.fields()?.need("format")?.word(&formats)? {
        "TEXT" => {
            let fields = at.object(&["type", "format", "text", "example"])?;
            let text = fields.need("text")?;
            text.text(1, MAX_LINE_LENGTH)?;
            let names = variables(&text, by_name)?;
            if names.len() > 1 {
                return text.wrong("must have at most one variable");
            }
            if by_name {
                return named_examples(&fields, "header_text_named_params", &names);
            }
            let examples = examples(&fields, "header_text", names.is_empty())?;
            examples.map_or(Ok(()), |at| samples(&at, names.len()))
        }
        "LOCATION" | "PRODUCT" => at.object(&["type", "format"]).map(drop),
        LATER => Ok(()),
        _ => {
            let example = at.object(&["type", "format", "example"])?.need("example")?;
            samples(&example.object(&["header_handle"])?.need("header_handle")?, 1)
        }
    }
}

fn text_body(at: &Located<'_>, by_name: bool) -> Checked {
    if at.fields()?.may("text").is_none() {
        let code = at.object(&["type", "add_security_recommendation"])?;
        return code.if_there("add_security_recommendation", Located::flag);
    }
    let fields = at.object(&["type", "text", "example"])?;
    let text = fields.need("text")?;
    let words = text.text(1, MAX_BODY_BYTES)?.trim();
    let names = variables(&text, by_name)?;
    if words.starts_with("{{") || words.ends_with("}}") {
        return text.wrong("must not begin or end with a variable");
    }
    if by_name {
        return named_examples(&fields, "body_text_named_params", &names);
    }
    let Some(examples) = examples(&fields, "body_text", names.is_empty())? else { return Ok(()) };
    for row in examples.list(1, 1)? {
        samples(&row, names.len())?;
    }
    Ok(())
}

fn footer(at: &Located<'_>) -> Checked {
    if at.fields()?.may("text").is_none() {
        let minutes =
            at.object(&["type", "code_expiration_minutes"])?.need("code_expiration_minutes")?;
        let fits = minutes.value.as_u64().is_some_and(|it| (1..=90).contains(&it));
        return if fits { Ok(()) } else { minutes.wrong("must be 1 to 90") };
    }
    let text = at.object(&["type", "text"])?.need("text")?;
    let words = text.text(1, MAX_LINE_LENGTH)?;
    if words.contains("{{") { text.wrong("must have no variables") } else { Ok(()) }
}

/// Returns the names of a text's variables without duplicates: `1`, `2`... or words.
fn variables<'a>(at: &Located<'a>, by_name: bool) -> Checked<Vec<&'a str>> {
    let mut names: Vec<&str> = Vec::new();
    for part in at.text(0, usize::MAX)?.split("{{").skip(1) {
        let Some((name, _)) = part.split_once("}}") else { return at.wrong("a variable is open") };
        let is_word = !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && is_name(name);
        let is_number = name.parse::<usize>().is_ok_and(|number| number > 0);
        if !(if by_name { is_word } else { is_number }) {
            return at.wrong(format!("{{{{{name}}}}} is not a variable of this parameter_format"));
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let in_a_row = (1..=names.len()).all(|number| names.contains(&number.to_string().as_str()));
    if by_name || in_a_row { Ok(names) } else { at.wrong("variables must be {{1}}, {{2}}, ...") }
}

/// Checks that there are examples of the right kind and no other; they may be missing if
/// `optional`.
fn examples<'a>(fields: &Fields<'a>, kind: &str, optional: bool) -> Checked<Option<Located<'a>>> {
    if optional && fields.may("example").is_none() {
        return Ok(None);
    }
    fields.need("example")?.object(&[kind])?.need(kind).map(Some)
}

fn named_examples(fields: &Fields<'_>, kind: &str, names: &[&str]) -> Checked {
    let Some(at) = examples(fields, kind, names.is_empty())? else { return Ok(()) };
    let mut given = Vec::new();
    for entry in at.list(names.len(), names.len())? {
        let entry = entry.object(&["param_name", "example"])?;
        given.push(entry.need("param_name")?.text(1, 512)?);
        entry.need("example")?.text(1, MAX_BODY_BYTES)?;
    }
    match names.iter().find(|name| !given.contains(name)) {
        Some(name) => at.wrong(format!("has none for {name}")),
        None => Ok(()),
    }
}

/// Checks for exactly `count` texts, none of them empty.
pub fn samples(at: &Located<'_>, count: usize) -> Checked {
    at.list(count, count)?.iter().try_for_each(|entry| entry.text(1, MAX_EXAMPLE_LENGTH).map(drop))
}
