//! Templates as resources of Twilio's Content API. There, the variables of all components are
//! numbered in one sequence.

use domain::content::{ButtonKind, Parameter, ParameterPlace, TemplateContent};
use domain::template::variables as names_of;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A component of a template, in Meta's format.
#[derive(Deserialize)]
struct TwilioComponent {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    example: TwilioExample,
    #[serde(default)]
    buttons: Vec<TwilioButton>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TwilioExample {
    header_text: Vec<String>,
    body_text: Vec<Vec<String>>,
    header_text_named_params: Vec<TwilioNamedExample>,
    body_text_named_params: Vec<TwilioNamedExample>,
}

#[derive(Deserialize)]
struct TwilioNamedExample {
    param_name: String,
    example: String,
}

#[derive(Deserialize)]
struct TwilioButton {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    phone_number: String,
    #[serde(default)]
    example: Vec<String>,
}

/// Whether a text is a well-formed id of a resource.
pub fn is_sid(text: &str) -> bool {
    let rest = text.strip_prefix("HX").unwrap_or_default();
    rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Numbers the variables in the order in which they appear, and stores their values.
#[derive(Default)]
struct Numbering {
    next: usize,
    values: Map<String, Value>,
}

impl Numbering {
    /// Renumbers the variables of a text. `value` returns the value of a variable, given its name.
    fn number(&mut self, text: &str, value: impl Fn(&str) -> Option<String>) -> String {
        let mut numbered = text.to_owned();
        let first = self.next;
        let names = names_of::variables(text);
        // New numbers are first written with a NUL before them, which no text contains. Otherwise a
        // `{{1}}` that has become `{{2}}` would be replaced again as the old `{{2}}`.
        for (index, name) in names.iter().enumerate() {
            let number = first + index + 1;
            for written in [format!("{{{{{name}}}}}"), format!("{{{{ {name} }}}}")] {
                numbered = numbered.replace(&written, &format!("{{{{\0{number}}}}}"));
            }
            let filled = value(name).unwrap_or_default();
            self.values.insert(number.to_string(), Value::String(filled));
        }
        self.next = first + names.len();
        numbered.replace('\0', "")
    }
}

/// Returns the example of a variable: by its number in `list`, otherwise by its name in `named`.
fn example(name: &str, list: &[String], named: &[TwilioNamedExample]) -> Option<String> {
    let by_place = name.parse::<usize>().ok().and_then(|number| list.get(number.checked_sub(1)?));
    let by_name = || named.iter().find(|it| it.param_name == name).map(|it| &it.example);
    by_place.or_else(by_name).cloned()
}

/// Returns the two fields of a template's resource: `types`, and `variables` with the examples.
pub fn resource(components: &str) -> Result<(Value, Value), serde_json::Error> {
    let parts: Vec<TwilioComponent> = serde_json::from_str(components)?;
    let mut numbering = Numbering::default();
    let mut card = Map::new();
    let mut actions = Vec::new();
    for part in &parts {
        let samples = &part.example;
        match part.kind.as_str() {
            "HEADER" => {
                let text = numbering.number(&part.text, |name| {
                    example(name, &samples.header_text, &samples.header_text_named_params)
                });
                card.insert("header_text".to_owned(), Value::String(text));
            }
            "BODY" => {
                let list = samples.body_text.first().map(Vec::as_slice).unwrap_or_default();
                let text = numbering.number(&part.text, |name| {
                    example(name, list, &samples.body_text_named_params)
                });
                card.insert("body".to_owned(), Value::String(text));
            }
            "FOOTER" => {
                card.insert("footer".to_owned(), Value::String(part.text.clone()));
            }
            _ => actions.extend(part.buttons.iter().map(|it| action(it, &mut numbering))),
        }
    }
    if !actions.is_empty() {
        card.insert("actions".to_owned(), Value::Array(actions));
    }
    let kind = if card.len() == 1 { "twilio/text" } else { "whatsapp/card" };
    Ok((json!({ kind: card }), Value::Object(numbering.values)))
}

fn action(button: &TwilioButton, numbering: &mut Numbering) -> Value {
    let title = &button.text;
    match button.kind.as_str() {
        "URL" => {
            // The example is a whole URL, but the resource needs only the value of the variable.
            let start = button.url.split("{{").next().unwrap_or_default();
            let sample = button.example.first();
            let sample = sample.map(|it| it.strip_prefix(start).unwrap_or(it).to_owned());
            let url = numbering.number(&button.url, |_| sample.clone());
            json!({ "type": "URL", "title": title, "url": url })
        }
        "PHONE_NUMBER" => {
            json!({ "type": "PHONE_NUMBER", "title": title, "phone": button.phone_number })
        }
        _ => json!({ "type": "QUICK_REPLY", "title": title, "id": title }),
    }
}

/// Returns the `ContentVariables` of a message: the values of the variables, with the same numbers
/// as in [`resource`].
pub fn variables(components: &str, content: &TemplateContent) -> Result<String, serde_json::Error> {
    let parts: Vec<TwilioComponent> = serde_json::from_str(components)?;
    let mut numbering = Numbering::default();
    for part in &parts {
        match part.kind.as_str() {
            "HEADER" => fill(&mut numbering, &part.text, content, ParameterPlace::Header),
            "BODY" => fill(&mut numbering, &part.text, content, ParameterPlace::Body),
            "BUTTONS" => {
                for (index, button) in (0..).zip(&part.buttons) {
                    let place = ParameterPlace::Button(ButtonKind::Url, index);
                    fill(&mut numbering, &button.url, content, place);
                }
            }
            _ => {}
        }
    }
    Ok(Value::Object(numbering.values).to_string())
}

fn fill(numbering: &mut Numbering, text: &str, content: &TemplateContent, place: ParameterPlace) {
    let found = content.components.iter().find(|part| part.place == place);
    let given = found.map_or(&[][..], |part| &part.parameters);
    let value = |name: &str| {
        let by_place = name.parse::<usize>().ok().and_then(|it| given.get(it.checked_sub(1)?));
        let called = |it: &&Parameter| it.words().is_some_and(|(other, _)| other == Some(name));
        let filled = by_place.or_else(|| given.iter().find(called))?;
        filled.words().map(|(_, words)| words.to_owned())
    };
    numbering.number(text, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::content::ComponentParameters;
    use domain::violation::Violations;

    const PARTS: &str = r#"[
        {"type":"HEADER","format":"TEXT","text":"Order {{1}}","example":{"header_text":["1042"]}},
        {"type":"BODY","text":"Hello {{2}}, {{1}} is on its way, {{2}}!","example":{"body_text":[["it","Ada"]]}},
        {"type":"FOOTER","text":"Acme"},
        {"type":"BUTTONS","buttons":[
            {"type":"QUICK_REPLY","text":"Stop"},
            {"type":"URL","text":"Track","url":"https://acme.example/t/{{1}}","example":["https://acme.example/t/9"]},
            {"type":"PHONE_NUMBER","text":"Call","phone_number":"+12025550123"}]}]"#;

    #[test]
    fn variables_are_numbered_through_all_parts() {
        let (types, samples) = resource(PARTS).unwrap();
        let expected = json!({
            "whatsapp/card": {
                "header_text": "Order {{1}}",
                "body": "Hello {{2}}, {{3}} is on its way, {{2}}!",
                "footer": "Acme",
                "actions": [
                    {"type": "QUICK_REPLY", "title": "Stop", "id": "Stop"},
                    {"type": "URL", "title": "Track", "url": "https://acme.example/t/{{4}}"},
                    {"type": "PHONE_NUMBER", "title": "Call", "phone": "+12025550123"},
                ],
            },
        });
        assert_eq!(types, expected);
        assert_eq!(samples, json!({"1": "1042", "2": "Ada", "3": "it", "4": "9"}));
    }

    #[test]
    fn a_message_fills_them_in_by_the_same_numbers() {
        let text = |text: &str| Parameter::Text { name: None, text: text.to_owned() };
        let parts = vec![
            ComponentParameters::new(ParameterPlace::Body, vec![text("your bread"), text("Bob")]),
            ComponentParameters::new(ParameterPlace::Header, vec![text("7")]),
            ComponentParameters::new(ParameterPlace::Button(ButtonKind::Url, 1), vec![text("8")]),
        ];
        let mut faults = Violations::default();
        let content =
            TemplateContent::parse(Some("order"), Some("en"), parts, Vec::new(), &mut faults);
        let filled = variables(PARTS, &content.unwrap()).unwrap();
        let filled: Value = serde_json::from_str(&filled).unwrap();
        assert_eq!(filled, json!({"1": "7", "2": "Bob", "3": "your bread", "4": "8"}));
    }

    #[test]
    fn a_body_alone_is_a_text_and_named_variables_are_numbered() {
        let parts = r#"[{"type":"BODY","text":"Hello {{first_name}}.",
            "example":{"body_text_named_params":[{"param_name":"first_name","example":"Ada"}]}}]"#;
        let (types, samples) = resource(parts).unwrap();
        assert_eq!(types, json!({"twilio/text": {"body": "Hello {{1}}."}}));
        assert_eq!(samples, json!({"1": "Ada"}));
    }
}
