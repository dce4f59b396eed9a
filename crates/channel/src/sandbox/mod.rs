//! The sandbox: a simulated channel (`docs/contract.md#channel`).
//!
//! The recipient's number decides what happens to a message. Callbacks have Meta's format, so the
//! code behind the port works as with real messages.
#![expect(
    clippy::indexing_slicing,
    reason = "a missing key of a JSON object is made by indexing it"
)]

mod adapter;
mod backdated;
mod callback;
mod choice;
mod customer;
mod reviewer;
mod words;

pub use adapter::SandboxNumber;
pub use backdated::{BackdatedContent, BackdatedMessage, backdated_callback};
pub use callback::{parse, parts_of};
pub use choice::{CustomerChoice, choices};
pub use customer::{CustomerMessage, customer_callback, customer_message_id};

use crate::adapter::{FileAddress, FileAt};
use crate::cloud_api::delivery_error;
use crate::{AcceptedByChannel, ChannelSendError, OutboundMessage};
use domain::contact::Address;
use domain::content::parameter::refused_by_channel;
use domain::content::{Action, Content, Interactive, Parameter};
use domain::id::AccountId;
use domain::message::MessageError;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::time::Duration;

/// How often `+12025550106` answers 429 before it accepts a message.
const BUSY_TIMES: u32 = 2;
/// The delay that `+12025550106` asks for with a 429.
const BUSY_FOR: Duration = Duration::from_millis(200);

const PICTURE_ID: &str = "sandbox-image";
const PICTURE: &[u8] = include_bytes!("../../assets/sandbox.png");

/// Returns the location of the file with this id, which is the sandbox's picture, an upload or a
/// URL.
fn file(id: &str) -> Option<FileAt> {
    if id == PICTURE_ID {
        return Some(FileAt::Bytes(PICTURE));
    }
    if let Ok(upload) = id.parse() {
        return Some(FileAt::Upload(upload));
    }
    let is_url = id.starts_with("https://") || id.starts_with("http://");
    is_url.then(|| {
        FileAt::Address(FileAddress {
            url: id.to_owned(),
            authorization: None,
            content_type: None,
            sha256: None,
        })
    })
}

/// The numbers with special behavior, each with a description for the API reference.
pub const NUMBERS: [(&str, &str); 12] = [
    ("+12025550100", "sent, delivered, read, then replies with an echo"),
    ("+12025550101", "delivered, never read"),
    ("+12025550102", "stays sent"),
    ("+12025550103", "fails: 131026, `recipient_unreachable`"),
    ("+12025550104", "free-form fails: 131047, `window_closed`; templates are delivered"),
    ("+12025550105", "fails: 131050, `recipient_opted_out`"),
    ("+12025550106", "the channel says 429 twice, then accepts"),
    ("+12025550107", "statuses come twice and out of order"),
    ("+12025550108", "taps the first button or row, and answers forms and requests"),
    ("+12025550109", "replies with an image"),
    (
        "+12025550130",
        "does what the text says: `location`, `contacts`, `order`, `ad`, `forward`, `edit`, `delete`; at `phone`, the business answers from the phone",
    ),
    ("+12025550143", "sent, delivered, read a second later; you answer on the page Sandbox phone"),
];

/// The number of the customer whom a member plays on the sandbox phone.
pub const PLAYED_NUMBER: &str = "+12025550143";

/// The prefix of the user ids of contacts without a number. After it come the digits of a number,
/// and the contact behaves like that number.
const USER_ID_PREFIX: &str = "US.";

/// Returns the number that decides how a recipient behaves.
fn behaves_as(to: &Address) -> String {
    match to {
        Address::Phone(number) => number.to_string(),
        Address::User(id) => {
            let digits = id.as_str().strip_prefix(USER_ID_PREFIX);
            digits.map(|digits| format!("+{digits}")).unwrap_or_default()
        }
    }
}

/// A callback that the sandbox sends, with its delay in milliseconds.
enum SimulatedStep {
    Status(u64, &'static str),
    /// Reports the message as sent and as delivered in one callback, as Meta does if both happen at
    /// once.
    Arrived(u64),
    Failure(u64, i64, &'static str),
    Echo(u64),
    Tap(u64),
    Image(u64),
    /// A reply of the contact who does what the message's text says.
    Word(words::Saying),
    /// A contact card with the contact's number, because the message asks for the number.
    Number(u64),
}

/// Accepts or refuses a message, depending on the recipient's number.
fn submit_message(
    handover: &OutboundMessage<'_>,
    now: Timestamp,
) -> Result<AcceptedByChannel, ChannelSendError> {
    use SimulatedStep::{Arrived, Echo, Failure, Image, Number, Status, Tap};
    if handover.rendered.is_none() {
        return Err(ChannelSendError::Definite(no_such_template(handover)));
    }
    if let Some(error) = wrong_parameter(handover.content) {
        return Err(ChannelSendError::Definite(error));
    }
    let free_form = handover.content.is_free_form();
    let steps = match behaves_as(handover.to).as_str() {
        "+12025550100" => {
            vec![Status(100, "sent"), Status(250, "delivered"), Status(450, "read"), Echo(700)]
        }
        "+12025550102" => vec![Status(100, "sent")],
        PLAYED_NUMBER => {
            vec![Status(100, "sent"), Status(250, "delivered"), Status(1_200, "read")]
        }
        "+12025550103" => vec![Failure(100, 131_026, "Message undeliverable")],
        "+12025550104" if free_form => vec![Failure(100, 131_047, "Re-engagement message")],
        "+12025550105" => vec![Failure(100, 131_050, "The recipient has opted out of messages")],
        "+12025550106" if handover.attempts < BUSY_TIMES => {
            let error = delivery_error(Some(130_429), "(#130429) Rate limit hit");
            return Err(ChannelSendError::Later { after: Some(BUSY_FOR), error });
        }
        "+12025550107" => vec![
            Status(100, "delivered"),
            Status(150, "sent"),
            Status(200, "read"),
            Status(250, "delivered"),
            Status(300, "sent"),
            Status(350, "read"),
        ],
        number @ ("+12025550108" | "+12025550109" | "+12025550130") => {
            let mut steps =
                vec![Status(100, "sent"), Status(200, "delivered"), Status(300, "read")];
            match number {
                "+12025550108" if asks_for_number(handover.content) => steps.push(Number(600)),
                "+12025550108" => steps.push(Tap(600)),
                "+12025550109" => steps.push(Image(600)),
                _ => steps.extend(words::sayings(handover).into_iter().map(SimulatedStep::Word)),
            }
            steps
        }
        _ => vec![Arrived(200)],
    };
    let callbacks = steps.iter().filter_map(|step| callback(step, handover, now));
    Ok(AcceptedByChannel {
        channel_id: Some(channel_id(handover)),
        recipient: None,
        callbacks: callbacks.collect(),
    })
}

/// Whether a message asks the contact for the phone number.
const fn asks_for_number(content: &Content) -> bool {
    matches!(content, Content::Interactive(Interactive { action: Action::RequestContactInfo, .. }))
}

/// Returns the Cloud API's error for a template that does not exist, so that a typo is noticed in
/// the sandbox and not in production.
fn no_such_template(handover: &OutboundMessage<'_>) -> MessageError {
    let named = match handover.content {
        Content::Template(named) => format!("{} in {}", named.name, named.language),
        _ => "of that name".to_owned(),
    };
    let message =
        format!("(#132001) There is no template {named}; create it with POST /templates.");
    delivery_error(Some(132_001), &message)
}

/// Returns the Cloud API's error for parameters with line breaks, tabs or too many spaces. Bodies
/// in the channel's own format are checked too.
fn wrong_parameter(content: &Content) -> Option<MessageError> {
    let refused = match content {
        Content::Template(template) => {
            let cards = template.cards.iter().flat_map(|card| &card.components);
            let parts = template.components.iter().chain(cards);
            let mut words = parts.flat_map(|part| &part.parameters).filter_map(Parameter::words);
            words.any(|(_, text)| refused_by_channel(text).is_some())
        }
        Content::Channel(body) if body.is_template() => {
            let body: Value = serde_json::from_str(&body.body).ok()?;
            body.pointer("/template/components").is_some_and(has_wrong_parameter)
        }
        _ => false,
    };
    let message = "(#132018) Param text cannot have new-line/tab characters or more than 4 consecutive spaces";
    refused.then(|| delivery_error(Some(132_018), message))
}

/// Returns whether the Cloud API rejects any parameter in these components.
fn has_wrong_parameter(components: &Value) -> bool {
    let (parameters, cards) = ("/parameters", "/cards");
    let each = |of: &Value, at: &str| of.pointer(at).and_then(Value::as_array).cloned();
    components.as_array().into_iter().flatten().any(|part| {
        let parameters = each(part, parameters).unwrap_or_default();
        let words = ["/text", "/currency/fallback_value", "/date_time/fallback_value"];
        let refused = |it: &Value| {
            let mut words = words.iter().filter_map(|at| it.pointer(at).and_then(Value::as_str));
            words.any(|text| refused_by_channel(text).is_some())
        };
        let cards = each(part, cards).unwrap_or_default();
        parameters.iter().any(refused)
            || cards.iter().filter_map(|it| it.get("components")).any(has_wrong_parameter)
    })
}

/// Returns the channel's id of a message. It is derived from our id, so a message that is sent
/// twice has the same id.
fn channel_id(handover: &OutboundMessage<'_>) -> String {
    format!("wamid.sandbox.{}", handover.message.uuid().simple())
}

fn callback(
    step: &SimulatedStep,
    handover: &OutboundMessage<'_>,
    now: Timestamp,
) -> Option<(Duration, String)> {
    let (after, part) = match step {
        SimulatedStep::Status(after, status) => {
            (*after, status_part(handover, status, &Value::Null))
        }
        SimulatedStep::Arrived(after) => {
            let mut part = status_part(handover, "sent", &Value::Null);
            let mut delivered = part["statuses"][0].clone();
            delivered["status"] = json!("delivered");
            part["statuses"].as_array_mut()?.push(delivered);
            (*after, part)
        }
        SimulatedStep::Failure(after, code, title) => {
            let error = json!([{"code": code, "title": title, "message": title}]);
            (*after, status_part(handover, "failed", &error))
        }
        SimulatedStep::Echo(after) => {
            let words = handover.rendered.unwrap_or_default();
            let said = json!({"type": "text", "text": {"body": words}});
            (*after, reply_part(handover, said))
        }
        SimulatedStep::Number(after) => {
            let number = behaves_as(handover.to);
            let phones = json!([{"phone": number, "wa_id": number.trim_start_matches('+')}]);
            let name = json!({"formatted_name": "Sandbox"});
            let cards = json!([{"name": name, "phones": phones}]);
            let said = json!({"type": "contacts", "origin": "contact_request", "contacts": cards});
            (*after, reply_part(handover, said))
        }
        SimulatedStep::Word(saying) => (saying.after, said_part(handover, saying)),
        SimulatedStep::Tap(after) => {
            (*after, reply_part(handover, choice::first_choice(handover)?))
        }
        SimulatedStep::Image(after) => {
            let image = json!({
                "id": PICTURE_ID,
                "mime_type": "image/png",
                "caption": "A picture from the sandbox",
            });
            (*after, reply_part(handover, json!({"type": "image", "image": image})))
        }
    };
    let after = Duration::from_millis(after);
    Some((after, envelope(handover, part, now.plus(after))))
}

fn status_part(handover: &OutboundMessage<'_>, status: &str, errors: &Value) -> Value {
    let mut part = json!({
        "id": channel_id(handover),
        "status": status,
        "biz_opaque_callback_data": handover.message.to_string(),
    });
    match handover.to {
        Address::Phone(number) => part["recipient_id"] = json!(number.digits()),
        Address::User(id) => part["recipient_user_id"] = json!(id.as_str()),
    }
    if !errors.is_null() {
        part["errors"] = errors.clone();
    }
    json!({ "statuses": [part] })
}

fn reply_part(handover: &OutboundMessage<'_>, mut said: Value) -> Value {
    let id = channel_id(handover);
    said["context"]["id"] = json!(id);
    part_of_person(handover, "reply", said)
}

/// Returns the message of a contact who does what the text says, or of the business on the phone.
fn said_part(handover: &OutboundMessage<'_>, saying: &words::Saying) -> Value {
    if !saying.from_phone {
        return part_of_person(handover, saying.id, saying.said.clone());
    }
    let mut said = saying.said.clone();
    said["id"] = json!(format!("{}.{}", channel_id(handover), saying.id));
    match handover.to {
        Address::Phone(number) => said["to"] = json!(number.digits()),
        Address::User(user) => said["to_user_id"] = json!(user.as_str()),
    }
    json!({ "message_echoes": [said] })
}

/// Returns a message from the contact. Its channel id is the channel id of our message, a dot, and
/// `id`.
fn part_of_person(handover: &OutboundMessage<'_>, id: &str, mut said: Value) -> Value {
    said["id"] = json!(format!("{}.{id}", channel_id(handover)));
    match handover.to {
        Address::Phone(number) => {
            said["from"] = json!(number.digits());
            json!({ "messages": [said] })
        }
        Address::User(user) => {
            said["from_user_id"] = json!(user.as_str());
            let number = behaves_as(handover.to);
            let last = number.get(number.len().saturating_sub(4)..).unwrap_or_default();
            let profile = json!({"name": "Sandbox", "username": format!("sandbox.{last}")});
            let contact = json!({"profile": profile, "user_id": user.as_str()});
            json!({ "contacts": [contact], "messages": [said] })
        }
    }
}

/// Wraps a part in Meta's envelope. The sandbox's `phone_number_id` is our account's id.
fn envelope(handover: &OutboundMessage<'_>, mut part: Value, at: Timestamp) -> String {
    let second = (at.micros() / 1_000_000).to_string();
    for list in ["statuses", "messages", "message_echoes"] {
        let items = part.get_mut(list).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            item["timestamp"] = json!(second);
        }
    }
    part["messaging_product"] = json!("whatsapp");
    part["metadata"] = json!({ "phone_number_id": handover.account.to_string() });
    let is_echo = part.get("message_echoes").is_some();
    let field = if is_echo { "smb_message_echoes" } else { "messages" };
    let change = json!({ "field": field, "value": part });
    wrap(handover.account, at, &[change])
}

fn wrap(account: AccountId, at: Timestamp, changes: &[Value]) -> String {
    let second = at.micros() / 1_000_000;
    let entry = json!({ "id": account.to_string(), "time": second, "changes": changes });
    json!({ "object": "whatsapp_business_account", "entry": [entry] }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback::{CallbackEventKind, PartContent};
    use domain::content::{Content as Message, TextContent};
    use domain::id::{AccountId, MessageId};
    use domain::inbound::InboundContent;
    use domain::violation::Violations;

    fn hand(to: &str, attempts: u32) -> Result<AcceptedByChannel, ChannelSendError> {
        let now = Timestamp::from_seconds(1_800_000_000);
        let text = TextContent::parse(Some("Hello"), None, &mut Violations::default()).unwrap();
        let content = Message::Text(text);
        let message = MessageId::new(now, [1; 10]);
        let account = AccountId::new(now, [2; 10]);
        submit_message(
            &OutboundMessage {
                message,
                account,
                to: &Address::read(to).unwrap(),
                content: &content,
                rendered: Some("Hello"),
                template: None,
                answers: None,
                attempts,
            },
            now,
        )
    }

    fn callback_event(payload: &str) -> Vec<CallbackEventKind> {
        let what = parse(payload).into_iter().map(|part| match part.content {
            PartContent::Event(callback_event) => callback_event.what,
            other => panic!("{other:?}"),
        });
        what.collect()
    }

    #[test]
    fn the_first_number_reads_and_echoes() {
        let handed = hand("+12025550100", 0).unwrap();
        let callback_event: Vec<_> =
            handed.callbacks.iter().flat_map(|(_, payload)| callback_event(payload)).collect();
        assert_eq!(callback_event.len(), 4);
        let CallbackEventKind::Message { message, .. } = &callback_event[3] else { panic!() };
        assert_eq!(message.said, InboundContent::Text("Hello".into()));
        assert_eq!(message.answers.as_deref(), handed.channel_id.as_deref());
        assert!(handed.callbacks.iter().all(|(after, _)| *after <= Duration::from_secs(1)));
    }

    #[test]
    fn a_person_without_a_number_does_as_the_number_in_the_user_id() {
        let handed = hand("US.12025550100", 0).unwrap();
        let callback_event: Vec<_> =
            handed.callbacks.iter().flat_map(|(_, payload)| callback_event(payload)).collect();
        assert_eq!(callback_event.len(), 4);
        let CallbackEventKind::Message { message, .. } = &callback_event[3] else { panic!() };
        assert_eq!(message.person.address(), Address::read("US.12025550100"));
        assert_eq!(message.person.username.as_deref(), Some("sandbox.0100"));
        assert!(hand("US.12025550106", 0).is_err());
    }

    #[test]
    fn the_busy_number_accepts_at_the_third_attempt() {
        assert!(matches!(hand("+12025550106", 0), Err(ChannelSendError::Later { .. })));
        assert!(matches!(hand("+12025550106", 1), Err(ChannelSendError::Later { .. })));
        assert!(hand("+12025550106", 2).is_ok());
    }

    #[test]
    fn a_text_has_nothing_to_tap() {
        assert_eq!(hand("+12025550108", 0).unwrap().callbacks.len(), 3);
    }
}
