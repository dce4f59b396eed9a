//! Changes that the channel makes to the components of a template.

use super::{PartWire, TemplateButtonWire};
use crate::object::Object;
use domain::template::{ComponentTexts, ComponentType};

/// Applies the channel's changes to stored components. A text replaces that of its component, which
/// is added if it is missing. Buttons replace all existing buttons.
pub fn updated(components: &str, texts: &ComponentTexts) -> serde_json::Result<String> {
    let mut parts: Vec<PartWire> = serde_json::from_str(components)?;
    let given = [
        (ComponentType::Header, &texts.header),
        (ComponentType::Body, &texts.body),
        (ComponentType::Footer, &texts.footer),
    ];
    for (kind, text) in given {
        if let Some(text) = text {
            change(&mut parts, kind, |part| part.text = Some(text.clone()));
        }
    }
    if !texts.buttons.is_empty() {
        let button = |it: &domain::template::ButtonText| {
            Object(TemplateButtonWire {
                kind: Some(it.kind.clone()),
                text: Some(it.text.clone()).filter(|text| !text.is_empty()),
                url: it.url.clone(),
                phone_number: it.phone_number.clone(),
                ..TemplateButtonWire::default()
            })
        };
        let buttons = texts.buttons.iter().map(button).collect();
        change(&mut parts, ComponentType::Buttons, |part| part.buttons = Some(buttons));
    }
    serde_json::to_string(&parts)
}

/// Changes the component of that type. Adds it at the end if it is missing.
fn change(parts: &mut Vec<PartWire>, kind: ComponentType, to: impl FnOnce(&mut PartWire)) {
    if let Some(part) = parts.iter_mut().find(|it| it.known_type() == Some(kind)) {
        return to(part);
    }
    let format = (kind == ComponentType::Header).then(|| "TEXT".to_owned());
    let mut part = PartWire { kind: Some(kind.to_string()), format, ..PartWire::default() };
    to(&mut part);
    parts.push(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::template::ButtonText;
    use serde_json::{Value, json};

    #[test]
    fn what_the_channel_names_takes_the_place_of_what_was() {
        let before = json!([
            {"type": "BODY", "text": "Hello {{1}}.", "example": {"body_text": [["Ada"]]}, "later_mood": "glad"},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Yes"}]},
        ]);
        let button = ButtonText {
            kind: "URL".to_owned(),
            text: "Support".to_owned(),
            url: Some("https://a.example/".to_owned()),
            phone_number: None,
        };
        let texts = ComponentTexts {
            header: Some("News".to_owned()),
            body: Some("Dear {{1}}, hello.".to_owned()),
            footer: None,
            buttons: vec![button],
        };
        let after = updated(&before.to_string(), &texts).unwrap();
        let expected = json!([
            {"type": "BODY", "text": "Dear {{1}}, hello.", "example": {"body_text": [["Ada"]]}, "later_mood": "glad"},
            {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "Support", "url": "https://a.example/"}]},
            {"type": "HEADER", "format": "TEXT", "text": "News"},
        ]);
        assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), expected);
        assert_eq!(updated(&after, &ComponentTexts::default()).unwrap(), after);
    }
}
