//! Messages in the format of the Cloud API.

use super::GraphRequest;
use super::contacts::contacts;
use super::interactive::interactive;
use super::json::set;
use super::template_parameters::{location, template};
use crate::OutboundMessage;
use domain::contact::Address;
use domain::content::{Content, MediaContent};
use domain::keyword::Keyword as _;
use serde_json::{Map, Value, json};

/// Returns the request to send a message from an account. Our id of the message is part of it, and
/// Meta repeats the id in each status.
#[must_use]
pub fn submit_message(phone_number_id: &str, handover: &OutboundMessage<'_>) -> GraphRequest {
    let (kind, fields) = content(handover);
    // Our fields are set last, so that a body from the sender cannot change the recipient.
    let mut body = Value::Object(fields);
    set(&mut body, "messaging_product", Some("whatsapp".into()));
    set(&mut body, "recipient_type", Some("individual".into()));
    set(&mut body, "type", Some(kind.into()));
    let tracker = Value::from(handover.message.to_string());
    set(&mut body, "biz_opaque_callback_data", Some(tracker));
    let recipient = match handover.to {
        Address::Phone(_) => "to",
        Address::User(_) => "recipient",
    };
    set(&mut body, recipient, Some(Value::from(handover.to.as_str())));
    if !matches!(handover.content, Content::Reaction(_)) {
        set(&mut body, "context", handover.answers.map(|id| json!({ "message_id": id })));
    }
    GraphRequest::post(format!("{phone_number_id}/messages"), body)
}

/// Returns the type of a message and the fields of its content: one field with the name of the
/// type, or all fields of the sender's own body.
fn content<'a>(handover: &OutboundMessage<'a>) -> (&'a str, Map<String, Value>) {
    let (kind, shape) = match handover.content {
        Content::Text(text) => {
            let mut shape = json!({ "body": text.text });
            set(&mut shape, "preview_url", text.preview_url.then_some(Value::Bool(true)));
            ("text", shape)
        }
        Content::Media(media) => (media.kind.as_str(), file(media)),
        Content::Interactive(content) => ("interactive", interactive(content)),
        Content::Template(content) => ("template", template(content)),
        Content::Location(place) => ("location", location(place)),
        Content::Contacts(cards) => ("contacts", contacts(cards)),
        Content::Reaction(it) => {
            ("reaction", json!({ "message_id": handover.answers, "emoji": it.emoji }))
        }
        Content::Channel(it) => {
            // The body was checked to be an object when the message was accepted.
            let mut fields: Map<String, Value> =
                serde_json::from_str(&it.body).unwrap_or_else(|_| Map::new());
            fields.remove("type");
            return (&it.kind, fields);
        }
    };
    (kind, Map::from_iter([(kind.to_owned(), shape)]))
}

fn file(media: &MediaContent) -> Value {
    let mut shape = json!({ "link": media.url.as_str() });
    set(&mut shape, "caption", media.caption.clone().map(Value::from));
    set(&mut shape, "filename", media.filename.clone().map(Value::from));
    set(&mut shape, "voice", media.voice.then_some(Value::Bool(true)));
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Body;
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
        let Body::Json(body) = asked.body else { panic!("it has no body") };
        body
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
            TemplateContent::parse(Some("order"), Some("en_US"), parts, Vec::new(), &mut faults);
        let body = asked(&Content::Template(content.unwrap()), None);
        let expected = json!({
            "name": "order",
            "language": {"code": "en_US"},
            "components": [
                {
                    "type": "body",
                    "parameters": [{"type": "text", "text": "Ada", "parameter_name": "who"}],
                },
                {
                    "type": "button",
                    "sub_type": "quick_reply",
                    "index": "1",
                    "parameters": [{"type": "payload", "payload": "yes"}],
                },
            ],
        });
        assert_eq!(body["template"], expected);
        assert!(body.get("context").is_none());
    }
}
