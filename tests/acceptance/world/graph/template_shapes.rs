//! The shapes of templates that are created.

use super::shape_check::{Checked, Fields, Located};
use serde_json::Value;

const MAX_LINE_LENGTH: usize = 60;
const MAX_BODY_BYTES: usize = 1024;
const MAX_BUTTON_TEXT_LENGTH: usize = 25;
const MAX_BUTTON_URL_LENGTH: usize = 2000;

/// A template's name.
pub fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A language such as `en` or `pt_BR`.
pub fn is_language(text: &str) -> bool {
    let (language, region) = text.split_once('_').unwrap_or((text, "XX"));
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && (2..=3).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// A template that is created.
pub fn template(body: &Value) -> Checked {
    let at = Located::root(body);
    let known =
        ["name", "language", "category", "parameter_format", "allow_category_change", "components"];
    let fields = at.object(&known)?;
    fields.need("name")?.text_like(512, is_name, "lower case letters, digits and _")?;
    fields.need("language")?.text_like(16, is_language, "a language such as en_US")?;
    fields.need("category")?.word(&["AUTHENTICATION", "MARKETING", "UTILITY"])?;
    fields.if_there("allow_category_change", Located::flag)?;
    let format = fields.may("parameter_format");
    let format = format.map(|at| at.word(&["positional", "POSITIONAL", "named", "NAMED"]));
    let by_name = format.transpose()?.is_some_and(|word| word.eq_ignore_ascii_case("named"));
    let components = fields.need("components")?;
    let mut seen = Vec::new();
    for entry in components.list(1, 4)? {
        let kind = entry.fields()?.need("type")?.word(&["HEADER", "BODY", "FOOTER", "BUTTONS"])?;
        if seen.contains(&kind) {
            return entry.wrong(format!("there is a {kind} already"));
        }
        seen.push(kind);
        match kind {
            "HEADER" => header(&entry, by_name)?,
            "BODY" => text_body(&entry, by_name)?,
            "FOOTER" => footer(&entry)?,
            _ => buttons(&entry)?,
        }
    }
    if seen.contains(&"BODY") { Ok(()) } else { components.wrong("a BODY is required") }
}

fn header(at: &Located<'_>, by_name: bool) -> Checked {
    let formats = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"];
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
        "LOCATION" => at.object(&["type", "format"]).map(drop),
        _ => {
            let example = at.object(&["type", "format", "example"])?.need("example")?;
            samples(&example.object(&["header_handle"])?.need("header_handle")?, 1)
        }
    }
}

fn text_body(at: &Located<'_>, by_name: bool) -> Checked {
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
    let text = at.object(&["type", "text"])?.need("text")?;
    let words = text.text(1, MAX_LINE_LENGTH)?;
    if words.contains("{{") { text.wrong("must have no variables") } else { Ok(()) }
}

/// The names of a text's variables, each once: `1`, `2`... or words.
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

/// The examples of one kind, which must be there unless they are `optional`, and of no other kind.
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

/// So many texts, none of them empty.
fn samples(at: &Located<'_>, count: usize) -> Checked {
    at.list(count, count)?
        .iter()
        .try_for_each(|entry| entry.text(1, MAX_BUTTON_URL_LENGTH).map(drop))
}

fn buttons(at: &Located<'_>) -> Checked {
    let buttons = at.object(&["type", "buttons"])?.need("buttons")?;
    let mut kinds = Vec::new();
    for entry in buttons.list(1, 10)? {
        kinds.push(button(&entry)?);
    }
    for (kind, most) in [("URL", 2), ("PHONE_NUMBER", 1), ("COPY_CODE", 1)] {
        if kinds.iter().filter(|it| **it == kind).count() > most {
            return buttons.wrong(format!("must have at most {most} of type {kind}"));
        }
    }
    let changes = kinds.windows(2);
    let changes =
        changes.filter(|pair| (pair[0] == "QUICK_REPLY") != (pair[1] == "QUICK_REPLY")).count();
    if changes > 1 {
        return buttons.wrong("those of type QUICK_REPLY must stand together");
    }
    Ok(())
}

/// A button; says its type.
fn button(at: &Located<'_>) -> Checked<&'static str> {
    let kinds = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE"];
    let kind = at.fields()?.need("type")?.word(&kinds)?;
    let known: &[&str] = match kind {
        "QUICK_REPLY" => &["type", "text"],
        "URL" => &["type", "text", "url", "example"],
        "PHONE_NUMBER" => &["type", "text", "phone_number"],
        _ => &["type", "example"],
    };
    let fields = at.object(known)?;
    if kind == "COPY_CODE" {
        let example = fields.need("example")?;
        match example.value {
            Value::Array(_) => example.list(1, 1)?[0].text(1, 15)?,
            _ => example.text(1, 15)?,
        };
        return Ok(kind);
    }
    fields.need("text")?.text(1, MAX_BUTTON_TEXT_LENGTH)?;
    match kind {
        "URL" => address(&fields)?,
        "PHONE_NUMBER" => fields.need("phone_number")?.text(1, 20).map(drop)?,
        _ => {}
    }
    Ok(kind)
}

/// An address that may end with one variable, which then has an example.
fn address(fields: &Fields<'_>) -> Checked {
    let url = fields.need("url")?;
    let text = url.link(MAX_BUTTON_URL_LENGTH)?;
    match text.split_once("{{") {
        Some((_, "1}}")) => samples(&fields.need("example")?, 1),
        Some(_) => url.wrong("may have one variable, {{1}}, at its end"),
        None => fields.if_there("example", |at| samples(at, 1)),
    }
}
