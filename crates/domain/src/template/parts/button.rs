//! Parses the buttons of a template.

use super::{
    LocatedPart, MAX_BUTTON_TEXT_LENGTH, MAX_BUTTON_URL_LENGTH, MAX_COUPON_CODE_LENGTH,
    MAX_SUPPORTED_APPS, known_type,
};
use crate::media::WebAddress;
use crate::phone::PhoneNumber;
use crate::template::input::{AppInput, ButtonInput};
use crate::template::warning::Findings;
use crate::template::{ButtonType, OneTimeCodeType, TemplateButton};
use crate::violation::{Fault, Field};

/// Maximum number of characters in an Android package name.
const MAX_PACKAGE_LENGTH: usize = 224;
/// Number of characters in the hash of the key with which an Android app is signed.
const SIGNATURE_HASH_LENGTH: usize = 11;
/// Maximum number of characters in the name or the id of a flow.
const MAX_FLOW_NAME_LENGTH: usize = 200;
/// Maximum number of characters in the JSON text that defines a flow.
const MAX_FLOW_JSON_LENGTH: usize = 100_000;

/// Parses the buttons of a component. A component may have at most `most` buttons.
pub fn list(
    place: &LocatedPart<'_>,
    most: usize,
    findings: &mut Findings<'_>,
) -> Vec<TemplateButton> {
    let list = place.at.key("buttons");
    let Some(buttons) = findings.faults.require(&list, place.part.buttons.as_deref()) else {
        return Vec::new();
    };
    if buttons.is_empty() {
        findings.faults.add(&list, Fault::Empty, "must not be empty");
    }
    if buttons.len() > most {
        let message = format!("has {} entries; at most {most} are allowed", buttons.len());
        findings.faults.add(&list, Fault::TooLong, message);
    }
    let buttons = buttons.iter().take(most).enumerate();
    buttons.filter_map(|(index, it)| button(&list.index(index), it, findings)).collect()
}

fn button(
    at: &Field<'_>,
    button: &ButtonInput<'_>,
    findings: &mut Findings<'_>,
) -> Option<TemplateButton> {
    findings.unknown_fields(at, &button.unknown);
    let kind = known_type::<ButtonType>(&at.key("type"), button.kind, findings);
    if kind.is_none() {
        let (text, url) =
            (button.text.unwrap_or_default().to_owned(), button.url.map(str::to_owned));
        return button.kind.map(|_| TemplateButton { kind, text, url });
    }
    let text = label(at, kind, button, findings);
    let kind = kind?;
    forbid_foreign_fields(at, kind, button, findings);
    let mut url = None;
    match kind {
        ButtonType::Url => url = Some(address(at, button, findings)?),
        ButtonType::PhoneNumber => {
            let at = at.key("phone_number");
            let number = findings.faults.require(&at, button.phone_number)?;
            if let Err(wrong) = PhoneNumber::parse(number) {
                findings.faults.add(&at, Fault::InvalidFormat, wrong.to_string());
            }
        }
        ButtonType::CopyCode => {
            let at = at.key("example");
            let example = button.example.and_then(<[String]>::first);
            let code = findings.faults.require(&at, example)?;
            findings.faults.text(&at, code, MAX_COUPON_CODE_LENGTH);
        }
        ButtonType::OneTimeCode => one_time_code(at, button, findings),
        ButtonType::Flow => flow(at, button, findings),
        ButtonType::QuickReply
        | ButtonType::Catalog
        | ButtonType::MultiProduct
        | ButtonType::SingleProduct
        | ButtonType::VoiceCall
        | ButtonType::CallPermissionRequest
        | ButtonType::RequestContactInfo => {}
    }
    Some(TemplateButton { kind: Some(kind), text: text?, url })
}

/// Parses the label of a button. For some types of buttons, the label may be missing, because the
/// channel then supplies one.
fn label(
    at: &Field<'_>,
    kind: Option<ButtonType>,
    button: &ButtonInput<'_>,
    findings: &mut Findings<'_>,
) -> Option<String> {
    use ButtonType::{CallPermissionRequest, CopyCode, OneTimeCode, RequestContactInfo};
    let of_channel = [CopyCode, OneTimeCode, CallPermissionRequest, RequestContactInfo];
    if button.text.is_none() && kind.is_some_and(|kind| of_channel.contains(&kind)) {
        return Some(String::new());
    }
    findings.faults.required_text(&at.key("text"), button.text, MAX_BUTTON_TEXT_LENGTH)
}

fn forbid_foreign_fields(
    at: &Field<'_>,
    kind: ButtonType,
    button: &ButtonInput<'_>,
    findings: &mut Findings<'_>,
) {
    let mut only = |home: ButtonType, field: &str, is_there: bool| {
        if home != kind {
            let context = format!("a button of type {kind}");
            findings.faults.forbid(&at.key(field), is_there.then_some(&()), &context);
        }
    };
    only(ButtonType::Url, "url", button.url.is_some());
    only(ButtonType::PhoneNumber, "phone_number", button.phone_number.is_some());
    only(ButtonType::OneTimeCode, "otp_type", button.otp_type.is_some());
    only(ButtonType::OneTimeCode, "autofill_text", button.autofill_text.is_some());
    only(ButtonType::OneTimeCode, "supported_apps", button.supported_apps.is_some());
    let accepted = button.zero_tap_terms_accepted.is_some();
    only(ButtonType::OneTimeCode, "zero_tap_terms_accepted", accepted);
    only(ButtonType::Flow, "flow_id", button.flow.id.is_some());
    only(ButtonType::Flow, "flow_name", button.flow.name.is_some());
    only(ButtonType::Flow, "flow_json", button.flow.json.is_some());
    only(ButtonType::Flow, "flow_action", button.flow.action.is_some());
    only(ButtonType::Flow, "navigate_screen", button.flow.screen.is_some());
}

/// Parses the URL of a button. The URL may end with one variable, for which there must then be an
/// example.
fn address(
    at: &Field<'_>,
    button: &ButtonInput<'_>,
    findings: &mut Findings<'_>,
) -> Option<String> {
    let field = at.key("url");
    let url = findings.faults.required_text(&field, button.url, MAX_BUTTON_URL_LENGTH)?;
    let (start, has_variable) = match url.split_once("{{") {
        Some((start, "1}}")) => (start, true),
        Some(_) => {
            let message = "may have one variable, {{1}}, at its end";
            findings.faults.add(&field, Fault::InvalidFormat, message);
            return None;
        }
        None => (url.as_str(), false),
    };
    if let Err(wrong) = WebAddress::parse(start) {
        findings.faults.add(&field, Fault::InvalidFormat, wrong.to_string());
    }
    if has_variable {
        let example = button.example.filter(|it| !it.is_empty());
        findings.faults.require(&at.key("example"), example)?;
    }
    Some(url)
}

/// Checks the way in which the one-time code gets into an app, and the apps that may fill the code
/// in.
fn one_time_code(at: &Field<'_>, button: &ButtonInput<'_>, findings: &mut Findings<'_>) {
    let field = at.key("otp_type");
    let known = known_type::<OneTimeCodeType>(&field, button.otp_type, findings);
    let Some(kind) = known else { return };
    findings.faults.optional_text(
        &at.key("autofill_text"),
        button.autofill_text,
        MAX_BUTTON_TEXT_LENGTH,
    );
    let (apps, terms) = (at.key("supported_apps"), at.key("zero_tap_terms_accepted"));
    if kind == OneTimeCodeType::CopyCode {
        let context = "a button that copies the code";
        findings.faults.forbid(&apps, button.supported_apps.as_ref(), context);
        findings.faults.forbid(&at.key("autofill_text"), button.autofill_text.as_ref(), context);
        findings.faults.forbid(&terms, button.zero_tap_terms_accepted.as_ref(), context);
        return;
    }
    if kind == OneTimeCodeType::ZeroTap && button.zero_tap_terms_accepted != Some(true) {
        let message = "must be true: Meta's terms for codes without a tap have to be accepted";
        findings.faults.add(&terms, Fault::Required, message);
    }
    let Some(list) = findings.faults.require(&apps, button.supported_apps.as_deref()) else {
        return;
    };
    if list.is_empty() {
        findings.faults.add(&apps, Fault::Empty, "must not be empty");
    }
    if list.len() > MAX_SUPPORTED_APPS {
        let message =
            format!("has {} entries; at most {MAX_SUPPORTED_APPS} are allowed", list.len());
        findings.faults.add(&apps, Fault::TooLong, message);
    }
    for (index, app) in list.iter().take(MAX_SUPPORTED_APPS).enumerate() {
        application(&apps.index(index), app, findings);
    }
}

fn application(at: &Field<'_>, app: &AppInput<'_>, findings: &mut Findings<'_>) {
    findings.unknown_fields(at, &app.unknown);
    let name = at.key("package_name");
    findings.faults.required_text(&name, app.package_name, MAX_PACKAGE_LENGTH);
    let hash = at.key("signature_hash");
    let Some(text) = findings.faults.require(&hash, app.signature_hash) else { return };
    let is_hash = text.len() == SIGNATURE_HASH_LENGTH
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    if !is_hash {
        let message = format!(
            "must be the {SIGNATURE_HASH_LENGTH} characters of the application's signing key hash"
        );
        findings.faults.add(&hash, Fault::InvalidFormat, message);
    }
}

/// Checks that exactly one of the fields `flow_id`, `flow_name` and `flow_json` is set.
fn flow(at: &Field<'_>, button: &ButtonInput<'_>, findings: &mut Findings<'_>) {
    let given = [
        ("flow_id", button.flow.id, MAX_FLOW_NAME_LENGTH),
        ("flow_name", button.flow.name, MAX_FLOW_NAME_LENGTH),
        ("flow_json", button.flow.json, MAX_FLOW_JSON_LENGTH),
    ];
    let opens = [("flow_action", button.flow.action), ("navigate_screen", button.flow.screen)];
    let opens = opens.map(|(field, text)| (field, text, MAX_FLOW_NAME_LENGTH));
    for (field, text, most) in given.into_iter().chain(opens) {
        findings.faults.optional_text(&at.key(field), text, most);
    }
    match given.iter().filter(|(_, text, _)| text.is_some()).count() {
        1 => {}
        0 => {
            let message = "one of flow_id, flow_name and flow_json is required";
            findings.faults.add(&at.key("flow_id"), Fault::Required, message);
        }
        _ => {
            let message = "give one of flow_id, flow_name and flow_json";
            findings.faults.add(at, Fault::NotAllowed, message);
        }
    }
}
