//! The parameters of a template in the body of a send.

use domain::keyword::Keyword as _;
use domain::template::variables::variables;
use domain::template::{BodyPart, ButtonType, Definition, HeaderPart, ParameterFormat};
use serde_json::{Value, json};

/// Returns why a template cannot be filled in with only texts and links, or `None` if it can.
pub const fn unsupported(definition: &Definition) -> Option<&'static str> {
    if !definition.cards.is_empty() {
        return Some("Templates with cards can only be sent through the API.");
    }
    match (&definition.header, &definition.body) {
        (Some(HeaderPart::Location | HeaderPart::Product | HeaderPart::Unknown), _) => {
            Some("Templates with this header can only be sent through the API.")
        }
        (_, BodyPart::OneTimeCode { .. }) => {
            Some("Templates with a one-time code can only be sent through the API.")
        }
        _ => None,
    }
}

/// Returns the parameters of a template by component, in the format of the API. `value` returns the
/// text for a place: `header.1`, `body.first_name` or `button.0`. `link` is the URL of the header's
/// file.
pub fn components(
    definition: &Definition,
    format: ParameterFormat,
    value: impl Fn(&str) -> String,
    link: &str,
) -> Vec<Value> {
    let words = |place: &str, text: &str| -> Vec<Value> {
        let parameter = |variable: &str| {
            let text = value(&format!("{place}.{variable}"));
            match format {
                ParameterFormat::Positional => json!({"type": "text", "text": text}),
                ParameterFormat::Named => {
                    json!({"type": "text", "parameter_name": variable, "text": text})
                }
            }
        };
        variables(text).into_iter().map(parameter).collect()
    };
    let mut components = Vec::new();
    let header = match &definition.header {
        Some(HeaderPart::Text(text)) => words("header", text),
        Some(HeaderPart::Media(kind)) => {
            let kind = kind.as_str();
            vec![json!({"type": kind, kind: {"link": link}})]
        }
        Some(HeaderPart::Gif) => {
            vec![json!({"type": "video", "video": {"link": link}})]
        }
        _ => Vec::new(),
    };
    if !header.is_empty() {
        components.push(json!({"type": "header", "parameters": header}));
    }
    if let BodyPart::Text(text) = &definition.body {
        let body = words("body", text);
        if !body.is_empty() {
            components.push(json!({"type": "body", "parameters": body}));
        }
    }
    for (place, button) in definition.buttons.iter().enumerate() {
        let url = button.url.as_deref().unwrap_or_default();
        let text = value(&format!("button.{place}"));
        let (kind, parameter) = if !variables(url).is_empty() {
            ("url", json!({"type": "text", "text": text}))
        } else if button.kind == Some(ButtonType::CopyCode) {
            ("copy_code", json!({"type": "coupon_code", "coupon_code": text}))
        } else {
            continue;
        };
        components.push(json!({
            "type": "button", "sub_type": kind, "index": place.to_string(), "parameters": [parameter],
        }));
    }
    components
}
