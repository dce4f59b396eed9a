//! Checks messages against the Cloud API's documentation.

use super::filled_shapes::template;
use super::interactive_shapes as shapes;
use super::shape_check::{Checked, Fields, Located, all_differ};
use serde_json::Value;

/// The message types. Each stands for the name of the field with the message's content.
const TYPES: [&str; 11] = [
    "text",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "interactive",
    "template",
    "location",
    "contacts",
    "reaction",
];
const INTERACTIVE: [&str; 14] = [
    "button",
    "list",
    "cta_url",
    "flow",
    "location_request_message",
    "request_contact_info",
    "call_permission_request",
    "address_message",
    "catalog_message",
    "product",
    "product_list",
    "carousel",
    "order_details",
    "order_status",
];
pub const MEDIA: [&str; 3] = ["image", "video", "document"];
const MAX_HEADER_LENGTH: usize = 60;
const MAX_BODY_BYTES: usize = 1024;
const MAX_LIST_BODY_LENGTH: usize = 4096;
const MAX_FOOTER_LENGTH: usize = 60;
pub const MAX_LABEL_LENGTH: usize = 20;

pub fn message(body: &Value) -> Checked {
    let at = Located::root(body);
    if body.get("type").is_none() && body.get("status").is_some() {
        return receipt(&at);
    }
    let kind = at.fields()?.need("type")?.word(&TYPES)?;
    let fields = at.object(&[
        "messaging_product",
        "recipient_type",
        "to",
        "recipient",
        "type",
        "context",
        "biz_opaque_callback_data",
        kind,
    ])?;
    fields.need("messaging_product")?.word(&["whatsapp"])?;
    fields.if_there("recipient_type", |at| at.word(&["individual"]))?;
    fields.if_there("to", |at| {
        at.text_like(16, is_number, "a number of 5 to 15 digits, with or without +").map(drop)
    })?;
    fields.if_there("recipient", |at| at.text_like(140, is_user_id, "a user id").map(drop))?;
    if body["recipient"].is_null() {
        fields.need("to")?;
    }
    fields
        .if_there("context", |at| at.object(&["message_id"])?.need("message_id")?.text(1, 512))?;
    fields.if_there("biz_opaque_callback_data", |at| at.text(1, 512))?;
    let content = fields.need(kind)?;
    match kind {
        "text" => text(&content),
        "interactive" => interactive(&content),
        "template" => template(&content),
        "location" => shapes::location(&content),
        "contacts" => shapes::contacts(&content),
        "reaction" if fields.may("context").is_some() => content.wrong("a reaction has no context"),
        "reaction" => shapes::reaction(&content),
        _ => media(&content, kind),
    }
}

/// Checks a request that marks a message as read.
fn receipt(at: &Located<'_>) -> Checked {
    let fields = at.object(&["messaging_product", "status", "message_id", "typing_indicator"])?;
    fields.need("messaging_product")?.word(&["whatsapp"])?;
    fields.need("status")?.word(&["read"])?;
    fields.need("message_id")?.text(1, 512)?;
    fields.if_there("typing_indicator", |at| at.object(&["type"])?.need("type")?.word(&["text"]))
}

/// Checks a request that changes who has control of a conversation.
pub fn thread_control(body: &Value) -> Checked {
    let at = Located::root(body);
    let fields = at.object(&["messaging_product", "to", "recipient", "action"])?;
    fields.need("messaging_product")?.word(&["whatsapp"])?;
    fields.need("action")?.word(&["pass", "release", "take"])?;
    fields.if_there("to", |at| at.text_like(16, is_number, "a number").map(drop))?;
    fields.if_there("recipient", |at| at.text_like(140, is_user_id, "a user id").map(drop))?;
    if body["recipient"].is_null() {
        fields.need("to")?;
    }
    Ok(())
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    (5..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_user_id(text: &str) -> bool {
    let Some((country, id)) = text.split_once('.') else { return false };
    country.len() == 2
        && !id.is_empty()
        && id.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.')
}

fn text(at: &Located<'_>) -> Checked {
    let fields = at.object(&["body", "preview_url"])?;
    fields.if_there("preview_url", Located::flag)?;
    fields.need("body")?.text(1, 4096).map(drop)
}

/// Checks a media object, given by its URL or its id.
fn media(at: &Located<'_>, kind: &str) -> Checked {
    let known: &[&str] = match kind {
        "document" => &["link", "id", "caption", "filename"],
        "audio" => &["link", "id", "voice"],
        "sticker" => &["link", "id"],
        _ => &["link", "id", "caption"],
    };
    let fields = at.object(known)?;
    source(at, &fields)?;
    fields.if_there("caption", |at| at.text(1, 1024))?;
    fields.if_there("filename", |at| at.text(1, 240))?;
    fields.if_there("voice", Located::flag)
}

/// Checks a media object that may not have a caption: a header's.
pub fn bare_media(at: &Located<'_>, kind: &str) -> Checked {
    let known: &[&str] =
        if kind == "document" { &["link", "id", "filename"] } else { &["link", "id"] };
    let fields = at.object(known)?;
    fields.if_there("filename", |at| at.text(1, 240))?;
    source(at, &fields)
}

fn source(at: &Located<'_>, fields: &Fields<'_>) -> Checked {
    match (fields.may("link"), fields.may("id")) {
        (Some(link), None) => link.link(usize::MAX).map(drop),
        (None, Some(id)) => id.text(1, 128).map(drop),
        _ => at.wrong("must have either link or id"),
    }
}

fn interactive(at: &Located<'_>) -> Checked {
    let fields = at.object(&["type", "header", "body", "footer", "action"])?;
    let kind = fields.need("type")?.word(&INTERACTIVE)?;
    let headers: &[&str] = match kind {
        "button" | "cta_url" | "flow" | "address_message" | "order_details" => {
            &["text", "image", "video", "document"]
        }
        "list" | "product_list" => &["text"],
        _ => &[],
    };
    if kind == "product_list" {
        fields.need("header")?;
    }
    fields.if_there("header", |at| header(at, headers))?;
    let max_length = if kind == "list" { MAX_LIST_BODY_LENGTH } else { MAX_BODY_BYTES };
    if kind != "product" || fields.may("body").is_some() {
        fields.need("body")?.object(&["text"])?.need("text")?.text(1, max_length)?;
    }
    fields.if_there("footer", |at| {
        at.object(&["text"])?.need("text")?.text(1, MAX_FOOTER_LENGTH).map(drop)
    })?;
    let action = fields.need("action")?;
    match kind {
        "button" => buttons(&action),
        "list" => list(&action),
        "cta_url" => link(&action),
        "flow" => shapes::flow(&action),
        "location_request_message" => shapes::request(&action, "send_location"),
        "request_contact_info" => shapes::request(&action, "request_contact_info"),
        "call_permission_request" => shapes::request(&action, "call_permission_request"),
        "address_message" => shapes::address(&action),
        "catalog_message" => shapes::catalog(&action),
        "product" => shapes::product(&action),
        "product_list" => shapes::product_list(&action),
        "carousel" => shapes::carousel(&action),
        "order_details" => shapes::order_details(&action),
        _ => shapes::order_status(&action),
    }
}

fn header(at: &Located<'_>, kinds: &[&'static str]) -> Checked {
    let kind = at.fields()?.need("type")?.word(kinds)?;
    let content = at.object(&["type", kind])?.need(kind)?;
    if kind == "text" {
        content.text(1, MAX_HEADER_LENGTH).map(drop)
    } else {
        bare_media(&content, kind)
    }
}

fn buttons(at: &Located<'_>) -> Checked {
    let buttons = at.object(&["buttons"])?.need("buttons")?;
    let (mut ids, mut titles) = (Vec::new(), Vec::new());
    for button in buttons.list(1, 3)? {
        let button = button.object(&["type", "reply"])?;
        button.need("type")?.word(&["reply"])?;
        let (id, title) = reply(&button.need("reply")?)?;
        ids.push(id);
        titles.push(title);
    }
    all_differ(&ids, &buttons)?;
    all_differ(&titles, &buttons)
}

/// Checks a reply button. Returns its id and title.
pub fn reply<'a>(at: &Located<'a>) -> Checked<(&'a str, &'a str)> {
    let reply = at.object(&["id", "title"])?;
    let trimmed = |id: &str| id.trim() == id;
    let id = reply.need("id")?.text_like(256, trimmed, "without spaces at its ends")?;
    Ok((id, reply.need("title")?.text(1, MAX_LABEL_LENGTH)?))
}

fn list(at: &Located<'_>) -> Checked {
    let fields = at.object(&["button", "sections"])?;
    fields.need("button")?.text(1, MAX_LABEL_LENGTH)?;
    let sections = fields.need("sections")?;
    let entries = sections.list(1, 10)?;
    let mut ids = Vec::new();
    for entry in &entries {
        let section = entry.object(&["title", "rows"])?;
        section.if_there("title", |at| at.text(1, 24))?;
        if entries.len() > 1 {
            section.need("title")?;
        }
        for row in section.need("rows")?.list(1, 10)? {
            let row = row.object(&["id", "title", "description"])?;
            ids.push(row.need("id")?.text(1, 200)?);
            row.need("title")?.text(1, 24)?;
            row.if_there("description", |at| at.text(1, 72))?;
        }
    }
    if ids.len() > 10 {
        return sections.wrong("must have at most 10 rows in all");
    }
    all_differ(&ids, &sections)
}

fn link(at: &Located<'_>) -> Checked {
    let fields = at.object(&["name", "parameters"])?;
    fields.need("name")?.word(&["cta_url"])?;
    let parameters = fields.need("parameters")?.object(&["display_text", "url"])?;
    parameters.need("display_text")?.text(1, MAX_LABEL_LENGTH)?;
    parameters.need("url")?.link(usize::MAX).map(drop)
}
