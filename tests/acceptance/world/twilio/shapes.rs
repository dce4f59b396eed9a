//! Checks that a request has exactly the fields and values that Twilio accepts.

use super::Content;
use super::routes::ReceivedRequest;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const FIELDS: [&str; 7] =
    ["To", "From", "Body", "MediaUrl", "ContentSid", "ContentVariables", "StatusCallback"];
const MAX_BODY: usize = 1600;

/// Checks the fields of a message.
pub fn message(
    asked: &ReceivedRequest,
    contents: &[Content],
) -> Result<BTreeMap<String, String>, String> {
    if asked.content_type != "application/x-www-form-urlencoded" {
        return Err(format!("content-type: {:?} is not a form's", asked.content_type));
    }
    let mut fields = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(&asked.body) {
        if !FIELDS.contains(&name.as_ref()) || value.is_empty() {
            return Err(format!("{name}={value:?}: no such field, or nothing in it"));
        }
        if fields.insert(name.clone().into_owned(), value.into_owned()).is_some() {
            return Err(format!("{name}: twice"));
        }
    }
    for name in ["To", "From"] {
        let address = fields.get(name).and_then(|it| it.strip_prefix("whatsapp:+"));
        if !address.is_some_and(|it| it.len() > 6 && it.bytes().all(|it| it.is_ascii_digit())) {
            return Err(format!("{name}: {:?} is no address of WhatsApp", fields.get(name)));
        }
    }
    let callback = fields.get("StatusCallback").and_then(|it| url::Url::parse(it).ok());
    if callback.is_none_or(|it| it.host_str().is_none_or(|host| host.contains('_'))) {
        return Err("StatusCallback: no address".to_owned());
    }
    if fields.get("Body").is_some_and(|body| body.chars().count() > MAX_BODY) {
        return Err("Body: too long".to_owned());
    }
    let has = |name: &str| fields.contains_key(name);
    match (has("Body"), has("MediaUrl"), has("ContentSid")) {
        (true, false, false) | (_, true, false) if !has("ContentVariables") => {}
        (false, false, true) => template(&fields, contents)?,
        _ => return Err("one of Body, MediaUrl and ContentSid".to_owned()),
    }
    Ok(fields)
}

/// Checks that a message names an approved template and gives each of its variables.
fn template(fields: &BTreeMap<String, String>, contents: &[Content]) -> Result<(), String> {
    let sid = &fields["ContentSid"];
    let content = contents.iter().find(|it| it.sid == *sid);
    let content = content.filter(|it| it.status == "approved");
    let content = content.ok_or_else(|| format!("{sid}: no resource that is approved"))?;
    let given = fields.get("ContentVariables").map_or("{}", String::as_str);
    let given: Map<String, Value> =
        serde_json::from_str(given).map_err(|error| format!("ContentVariables: {error}"))?;
    let wanted = content.body["variables"].as_object().cloned().unwrap_or_default();
    if given.keys().ne(wanted.keys())
        || given.values().any(|it| it.as_str().is_none_or(str::is_empty))
    {
        return Err(format!("ContentVariables: {given:?} for {wanted:?}"));
    }
    Ok(())
}

fn object(asked: &ReceivedRequest, allowed: &[&str]) -> Result<Value, String> {
    if asked.content_type != "application/json" {
        return Err(format!("content-type: {:?} is not JSON's", asked.content_type));
    }
    let body: Value = serde_json::from_slice(&asked.body).map_err(|error| error.to_string())?;
    only(&body, allowed)?;
    Ok(body)
}

fn only(value: &Value, allowed: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or_else(|| format!("{value} is no object"))?;
    match object.keys().find(|key| !allowed.contains(&key.as_str())) {
        Some(key) => Err(format!("{key}: no such field")),
        None => Ok(()),
    }
}

/// Checks a new resource of the Content API.
pub fn content(asked: &ReceivedRequest) -> Result<Value, String> {
    let body = object(asked, &["friendly_name", "language", "variables", "types"])?;
    let text = |name: &str| body[name].as_str().is_some_and(|it| !it.is_empty());
    if !text("language") || !text("friendly_name") {
        return Err("language, friendly_name: needed".to_owned());
    }
    let types = body["types"].as_object().ok_or("types: needed")?;
    let (Some((kind, parts)), 1) = (types.iter().next(), types.len()) else {
        return Err("types: one of them".to_owned());
    };
    match kind.as_str() {
        "twilio/text" => only(parts, &["body"])?,
        "whatsapp/card" => {
            only(parts, &["body", "header_text", "footer", "actions"])?;
            if parts.as_object().is_some_and(|it| it.len() < 2) {
                return Err("whatsapp/card: a body and something besides".to_owned());
            }
            for action in parts["actions"].as_array().into_iter().flatten() {
                match action["type"].as_str() {
                    Some("QUICK_REPLY") => only(action, &["type", "title", "id"])?,
                    Some("URL") => only(action, &["type", "title", "url"])?,
                    Some("PHONE_NUMBER") => only(action, &["type", "title", "phone"])?,
                    _ => return Err(format!("actions: {action}")),
                }
            }
        }
        _ => return Err(format!("types: {kind}")),
    }
    // Each variable has a sample value, and there are no other samples.
    let mut used = BTreeSet::new();
    for piece in parts.to_string().split("{{").skip(1) {
        used.extend(piece.split_once("}}").map(|(name, _)| name.to_owned()));
    }
    let variables = body["variables"].as_object().cloned().unwrap_or_default();
    let samples: BTreeSet<String> = variables.keys().cloned().collect();
    let empty = variables.values().any(|it| it.as_str().is_none_or(str::is_empty));
    if used != samples || empty || used.iter().any(|name| name.parse::<u8>().is_err()) {
        return Err(format!("variables: {variables:?} for {used:?}"));
    }
    Ok(body)
}

pub fn approval(asked: &ReceivedRequest) -> Result<Value, String> {
    let body = object(asked, &["name", "category"])?;
    let name = body["name"].as_str().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(format!("name: {name:?}"));
    }
    if !matches!(body["category"].as_str(), Some("UTILITY" | "MARKETING" | "AUTHENTICATION")) {
        return Err(format!("category: {}", body["category"]));
    }
    Ok(body)
}
