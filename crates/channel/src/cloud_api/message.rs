//! A message in the shape in which the Cloud API takes it.

use super::GraphRequest;
use super::json::set;
use super::template_parameters::template;
use crate::OutboundMessage;
use domain::contact::Address;
use domain::content::{Action, Content, Header, Interactive, MediaContent};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use serde_json::{Value, json};

/// Asks for a message to be sent from a number. Our id goes with it and comes back with each report.
#[must_use]
pub fn submit_message(phone_number_id: &str, handover: &OutboundMessage<'_>) -> GraphRequest {
    let (kind, content) = content(handover.content);
    let mut body = json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "type": kind,
        "biz_opaque_callback_data": handover.message.to_string(),
    });
    let recipient = match handover.to {
        Address::Phone(_) => "to",
        Address::User(_) => "recipient",
    };
    set(&mut body, recipient, Some(Value::from(handover.to.as_str())));
    set(&mut body, kind, Some(content));
    set(&mut body, "context", handover.answers.map(|id| json!({ "message_id": id })));
    GraphRequest::post(format!("{phone_number_id}/messages"), body)
}

fn content(content: &Content) -> (&'static str, Value) {
    match content {
        Content::Text(text) => {
            let mut shape = json!({ "body": text.text });
            set(&mut shape, "preview_url", text.preview_url.then_some(Value::Bool(true)));
            ("text", shape)
        }
        Content::Media(media) => (media.kind.as_str(), file(media)),
        Content::Interactive(content) => ("interactive", interactive(content)),
        Content::Template(content) => ("template", template(content)),
    }
}

fn file(media: &MediaContent) -> Value {
    let mut shape = json!({ "link": media.url.as_str() });
    set(&mut shape, "caption", media.caption.clone().map(Value::from));
    set(&mut shape, "filename", media.filename.clone().map(Value::from));
    shape
}

fn interactive(interactive: &Interactive) -> Value {
    let (kind, action) = action(&interactive.action);
    let mut shape = json!({ "type": kind, "body": { "text": interactive.body }, "action": action });
    let header = interactive.header.as_ref().map(|header| match header {
        Header::Text(text) => json!({ "type": "text", "text": text }),
        Header::Media(kind, url) => with_file(*kind, json!({ "link": url.as_str() })),
    });
    set(&mut shape, "header", header);
    set(&mut shape, "footer", interactive.footer.as_ref().map(|text| json!({ "text": text })));
    shape
}

/// `{"type": "image", "image": {…}}`
fn with_file(kind: MediaKind, file: Value) -> Value {
    let mut shape = json!({ "type": kind.as_str() });
    set(&mut shape, kind.as_str(), Some(file));
    shape
}

fn action(action: &Action) -> (&'static str, Value) {
    match action {
        Action::Buttons(buttons) => {
            let buttons = buttons.iter().map(|button| {
                json!({ "type": "reply", "reply": { "id": button.id, "title": button.title } })
            });
            ("button", json!({ "buttons": buttons.collect::<Vec<_>>() }))
        }
        Action::List(list) => {
            let sections = list.sections.iter().map(|section| {
                let rows = section.rows.iter().map(|row| {
                    let mut shape = json!({ "id": row.id, "title": row.title });
                    set(&mut shape, "description", row.description.clone().map(Value::from));
                    shape
                });
                let mut shape = json!({ "rows": rows.collect::<Vec<_>>() });
                set(&mut shape, "title", section.title.clone().map(Value::from));
                shape
            });
            ("list", json!({ "button": list.button, "sections": sections.collect::<Vec<_>>() }))
        }
        Action::Link { display_text, url } => {
            let parameters = json!({ "display_text": display_text, "url": url.as_str() });
            ("cta_url", json!({ "name": "cta_url", "parameters": parameters }))
        }
        Action::RequestContactInfo => {
            ("request_contact_info", json!({ "name": "request_contact_info" }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::content::{
        ButtonKind, ComponentParameters, Parameter, ParameterPlace, TemplateContent, TextContent,
    };
    use domain::id::{AccountId, MessageId};
    use domain::template::{Language, TemplateName};
    use domain::time::Timestamp;
    use domain::violation::{Field, Violations};

    fn asked(content: &Content, answers: Option<&str>) -> Value {
        let now = Timestamp::from_seconds(1_800_000_000);
        let handover = OutboundMessage {
            message: MessageId::new(now, [1; 10]),
            account: AccountId::new(now, [2; 10]),
            to: &Address::read("+12025550110").unwrap(),
            content,
            rendered: None,
            template: None,
            answers,
            attempts: 0,
        };
        let asked = submit_message("106540352242922", &handover);
        assert_eq!(asked.path, "106540352242922/messages");
        asked.body.unwrap()
    }

    #[test]
    fn a_text_names_the_message_that_it_answers() {
        let text = TextContent::parse(Some("Hello"), Some(true), &mut Violations::default());
        let body = asked(&Content::Text(text.unwrap()), Some("wamid.A"));
        assert_eq!(body["text"], json!({ "body": "Hello", "preview_url": true }));
        assert_eq!(body["context"], json!({ "message_id": "wamid.A" }));
        assert!(body["biz_opaque_callback_data"].as_str().unwrap().starts_with("msg_"));
    }

    #[test]
    fn a_template_has_its_parameters_in_their_places() {
        let mut faults = Violations::default();
        let at = Field::root("x");
        assert!(TemplateName::parse(&at, Some("order"), &mut faults).is_some());
        assert!(Language::parse(&at, Some("en_US"), &mut faults).is_some());
        let text = Parameter::Text { name: Some("who".into()), text: "Ada".into() };
        let parts = vec![
            ComponentParameters::new(ParameterPlace::Body, vec![text]),
            ComponentParameters::new(
                ParameterPlace::Button(ButtonKind::QuickReply, 1),
                vec![Parameter::Payload("yes".into())],
            ),
        ];
        let content =
            TemplateContent::parse(Some("order"), Some("en_US"), (parts, Vec::new()), &mut faults);
        let body = asked(&Content::Template(content.unwrap()), None);
        let expected = json!({"name": "order", "language": {"code": "en_US"}, "components": [
            {"type": "body", "parameters": [{"type": "text", "text": "Ada", "parameter_name": "who"}]},
            {"type": "button", "sub_type": "quick_reply", "index": "1",
             "parameters": [{"type": "payload", "payload": "yes"}]},
        ]});
        assert_eq!(body["template"], expected);
        assert!(body.get("context").is_none());
    }
}
