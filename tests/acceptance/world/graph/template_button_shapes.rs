//! Checks the buttons of a template.

use super::shape_check::{Checked, Fields, Located};
use super::template_shapes::{LATER, samples};
use serde_json::Value;

const MAX_BUTTON_TEXT_LENGTH: usize = 25;
const MAX_BUTTON_URL_LENGTH: usize = 2000;

/// Checks the buttons of a template or a card.
pub fn buttons(at: &Located<'_>) -> Checked {
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

/// Checks a button. Returns its type.
fn button(at: &Located<'_>) -> Checked<&'static str> {
    let kinds = [
        "QUICK_REPLY",
        "URL",
        "PHONE_NUMBER",
        "COPY_CODE",
        "OTP",
        "FLOW",
        "CATALOG",
        "MPM",
        "SPM",
        "VOICE_CALL",
        "REQUEST_CONTACT_INFO",
        LATER,
    ];
    let kind = at.fields()?.need("type")?.word(&kinds)?;
    let known: &[&str] = match kind {
        "URL" => &["type", "text", "url", "example"],
        "PHONE_NUMBER" => &["type", "text", "phone_number"],
        "OTP" => return one_time_code(at).map(|()| kind),
        "FLOW" => {
            &["type", "text", "flow_id", "flow_name", "flow_json", "flow_action", "navigate_screen"]
        }
        "QUICK_REPLY" | "CATALOG" | "MPM" | "SPM" | "VOICE_CALL" => &["type", "text"],
        "COPY_CODE" => &["type", "example"],
        // The channel chooses the label of this button.
        "REQUEST_CONTACT_INFO" => return at.object(&["type", "text"]).map(|_| kind),
        _ => return Ok(kind),
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

/// Checks a URL that may end with one variable, which then needs an example.
fn address(fields: &Fields<'_>) -> Checked {
    let url = fields.need("url")?;
    let text = url.link(MAX_BUTTON_URL_LENGTH)?;
    match text.split_once("{{") {
        Some((_, "1}}")) => samples(&fields.need("example")?, 1),
        Some(_) => url.wrong("may have one variable, {{1}}, at its end"),
        None => fields.if_there("example", |at| samples(at, 1)),
    }
}

fn one_time_code(at: &Located<'_>) -> Checked {
    let fields = at.object(&[
        "type",
        "otp_type",
        "text",
        "autofill_text",
        "zero_tap_terms_accepted",
        "supported_apps",
    ])?;
    let kind = fields.need("otp_type")?.word(&["COPY_CODE", "ONE_TAP", "ZERO_TAP"])?;
    fields.if_there("text", |at| at.text(1, MAX_BUTTON_TEXT_LENGTH))?;
    fields.if_there("autofill_text", |at| at.text(1, MAX_BUTTON_TEXT_LENGTH))?;
    if kind == "COPY_CODE" {
        return Ok(());
    }
    for app in fields.need("supported_apps")?.list(1, 5)? {
        let app = app.object(&["package_name", "signature_hash"])?;
        app.need("package_name")?.text(1, 224)?;
        app.need("signature_hash")?.text(11, 11)?;
    }
    match kind {
        "ZERO_TAP" if !fields.need("zero_tap_terms_accepted")?.flag()? => {
            at.wrong("the terms must be accepted")
        }
        _ => Ok(()),
    }
}
