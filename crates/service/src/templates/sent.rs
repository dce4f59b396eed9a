//! The texts of messages that were sent from templates. A message stores only the name of its
//! template and the parameters. So its text is made from the template as it is now.

use api_types::template::{PartWire, definition};
use domain::content::{self, Content, MessageKind, TemplateContent};
use domain::message::Direction;
use domain::template::{BodyPart, Definition, PartInput};
use persistence::content::decode;
use persistence::records::Message;
use persistence::{Reader, Result};
use platform::Deps;
use std::collections::{BTreeMap, BTreeSet};

/// The templates that some messages were sent from.
#[derive(Debug, Default)]
pub struct SentTemplates {
    /// The templates by name and language.
    definitions: BTreeMap<(String, String), Definition>,
}

/// The text and the buttons that the recipient of a template sees.
#[derive(Debug, PartialEq, Eq)]
pub struct FilledTemplate {
    /// Header, body and footer, one per line.
    pub text: String,
    /// The labels of the buttons.
    pub buttons: Vec<String>,
}

/// Finds the templates of some messages, with one query if there are any.
pub async fn find_sent<'a>(
    deps: &Deps,
    reader: Reader,
    messages: impl IntoIterator<Item = &'a Message>,
) -> Result<SentTemplates> {
    let wanted = messages.into_iter().filter_map(content_of).map(|it| key(&it)).collect();
    find_named(deps, reader, wanted).await
}

/// Finds the template of a message that is not sent yet.
pub async fn find_drafted(deps: &Deps, reader: Reader, content: &Content) -> Result<SentTemplates> {
    let Content::Template(content) = content else { return Ok(SentTemplates::default()) };
    find_named(deps, reader, BTreeSet::from([key(content)])).await
}

async fn find_named(
    deps: &Deps,
    reader: Reader,
    wanted: BTreeSet<(String, String)>,
) -> Result<SentTemplates> {
    if wanted.is_empty() {
        return Ok(SentTemplates::default());
    }
    let wanted = wanted.into_iter().collect();
    let mut definitions = BTreeMap::new();
    for template in deps.db.reads(reader).templates_named(wanted).await? {
        match definition(&template.components.0) {
            Ok(known) => {
                definitions.insert((template.name, template.language), known);
            }
            Err(error) => {
                tracing::error!(%error, template = %template.id, "a template cannot be read");
            }
        }
    }
    Ok(SentTemplates { definitions })
}

impl SentTemplates {
    /// Returns the text that the recipient of a message reads. Returns `None` if the message was
    /// not sent from a template, or if the template is unknown or no longer fits the parameters.
    /// Also returns `None` for a one-time code, which only the recipient may read.
    #[must_use]
    pub fn fill(&self, message: &Message) -> Option<FilledTemplate> {
        let content = content_of(message)?;
        fill(self.definitions.get(&key(&content))?, &content)
    }

    /// Returns the text that the recipient of a message that is not sent yet will read. See
    /// [`Self::fill`].
    #[must_use]
    pub fn fill_draft(&self, content: &Content) -> Option<FilledTemplate> {
        let Content::Template(content) = content else { return None };
        fill(self.definitions.get(&key(content))?, content)
    }
}

/// Returns the template and the parameters of a message that was sent from a template.
fn content_of(message: &Message) -> Option<TemplateContent> {
    if (message.kind, message.direction) != (MessageKind::Template, Direction::Outbound) {
        return None;
    }
    match decode(message.content_format, message.kind, &message.content.0) {
        Ok(Content::Template(content)) => Some(content),
        _ => None,
    }
}

fn key(content: &TemplateContent) -> (String, String) {
    (content.name.to_string(), content.language.to_string())
}

fn fill(template: &Definition, content: &TemplateContent) -> Option<FilledTemplate> {
    let is_code = matches!(template.body, BodyPart::OneTimeCode { .. });
    if is_code || content::check(template, content).is_err() {
        return None;
    }
    let text = content::render(template, content);
    Some(FilledTemplate { text: text.trim().to_owned(), buttons: labels(template) })
}

/// Returns the labels of a template's buttons.
fn labels(template: &Definition) -> Vec<String> {
    let labels = template.buttons.iter().map(|it| it.text.clone());
    labels.filter(|it| !it.is_empty()).collect()
}

/// Returns what a recipient reads if each variable has its example as its value. `components` are
/// in their stored form.
pub fn with_examples(components: &str) -> serde_json::Result<FilledTemplate> {
    let template = definition(components)?;
    let parts: Vec<PartWire> = serde_json::from_str(components)?;
    let inputs: Vec<PartInput<'_>> = parts.iter().map(PartWire::proposal).collect();
    let text = content::render_examples(&template, &inputs);
    Ok(FilledTemplate { text: text.trim().to_owned(), buttons: labels(&template) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::content::{ComponentParameters, Parameter, ParameterPlace};
    use domain::template::{ButtonType, FooterPart, HeaderPart, TemplateButton};
    use domain::violation::Violations;

    fn content(texts: &[&str]) -> TemplateContent {
        let text = |it: &&str| Parameter::Text { name: None, text: (*it).to_owned() };
        let texts = texts.iter().map(text).collect();
        let body = ComponentParameters::new(ParameterPlace::Body, texts);
        let mut faults = Violations::default();
        let (name, language) = (Some("order_update"), Some("en"));
        TemplateContent::parse(name, language, vec![body], Vec::new(), &mut faults).unwrap()
    }

    #[test]
    fn a_template_is_filled_in_with_its_parameters() {
        let button = |kind, text: &str| TemplateButton {
            kind: Some(kind),
            text: text.to_owned(),
            url: None,
        };
        let template = Definition {
            header: Some(HeaderPart::Text("Your order".to_owned())),
            body: BodyPart::Text("Hi {{1}}, order {{2}} is on its way.".to_owned()),
            footer: Some(FooterPart::Text("Demo Bakery".to_owned())),
            buttons: vec![button(ButtonType::QuickReply, "Thanks")],
            ..Definition::default()
        };
        let filled = fill(&template, &content(&["Liam", "7"])).unwrap();
        assert_eq!(filled.text, "Your order\nHi Liam, order 7 is on its way.\nDemo Bakery");
        assert_eq!(filled.buttons, ["Thanks"]);
        // The template has another number of variables since the message was sent.
        assert_eq!(fill(&template, &content(&["Liam"])), None);
    }

    #[test]
    fn a_template_is_shown_with_its_examples() {
        let components = r#"[
            {"type": "BODY", "text": "Hi {{1}}.", "example": {"body_text": [["Ada"]]}},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Thanks"}]}
        ]"#;
        let filled = with_examples(components).unwrap();
        assert_eq!(filled.text, "Hi Ada.");
        assert_eq!(filled.buttons, ["Thanks"]);
        assert!(with_examples("{}").is_err());
    }

    #[test]
    fn a_one_time_code_is_not_shown() {
        let body = BodyPart::OneTimeCode { with_recommendation: true };
        let template = Definition { body, ..Definition::default() };
        assert_eq!(fill(&template, &content(&["123456"])), None);
    }
}
