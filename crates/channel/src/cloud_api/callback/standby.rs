//! Conversations on a number on which Meta's own agent, or another program, answers too. Meta
//! describes them in the references "Standby webhooks", "messaging_handovers" and "Conversation
//! context".

use super::envelope::EnvelopePart;
use super::shape::{self, ChangePart, forgiving};
use super::{Readable, inbound_content, number_of, person, read};
use crate::callback::{
    CallbackEvent, CallbackEventKind, ChannelRef, HandoverReport, MessageReport, UnsupportedPart,
};
use domain::callback::DeadLetterReason;
use domain::contact::Identity;
use domain::conversation::ThreadOwner;
use domain::inbound::{InboundContent, InboundContext, ReportedAuthor};
use domain::message::Report;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Meta's keyword for the role of its own agent.
const AI_AGENT: &str = "ai_agent";

/// A message that another responder sent: its id, and the request that sent it.
#[derive(Deserialize)]
struct EchoPart {
    id: String,
    timestamp: Option<Value>,
    message: SentPart,
    /// The template that the message uses, as the business defined it.
    template: Option<Value>,
    /// The flow that the message opens, as the business defined it.
    flow: Option<Value>,
}

#[derive(Deserialize)]
struct SentPart {
    to: Option<String>,
    /// The user id, for a contact whose number is not known.
    recipient: Option<String>,
    #[serde(rename = "type", default = "text")]
    kind: String,
    #[serde(default, deserialize_with = "forgiving")]
    context: Option<AnsweredPart>,
    /// Our id of the message, if this service sent it.
    biz_opaque_callback_data: Option<String>,
    /// All other fields. One of them is the object that has the name of the type.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The type of a message that names none.
fn text() -> String {
    "text".to_owned()
}

#[derive(Deserialize)]
struct AnsweredPart {
    message_id: Option<String>,
}

/// Parses a message that another responder sent.
pub fn echo(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let EchoPart { id: channel_id, timestamp, message, template, flow } = read(piece.json)?;
    let number = number_of(piece.metadata())?;
    let second = timestamp.as_ref().and_then(shape::second_of);
    let person = Identity {
        phone_number: person::number(message.to.as_deref()),
        user_id: person::user(message.recipient.as_deref()),
        ..Identity::default()
    };
    if person.address().is_none() {
        let detail = "the message names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart::new(DeadLetterReason::NoPhoneNumber, detail));
    }
    let ours = message.biz_opaque_callback_data.as_deref().and_then(|id| id.parse().ok());
    if ours.is_some() {
        let recipient = Box::new(person);
        let what = CallbackEventKind::Progress {
            number,
            channel_id,
            ours,
            report: Report::Sent,
            recipient,
        };
        return Ok(CallbackEvent { second, what }.into());
    }
    let answers = message.context.and_then(|it| it.message_id);
    let definitions = [("template", template), ("flow", flow)];
    let (said, reacts_to) = said(&message.kind, message.rest, definitions);
    let message = Box::new(MessageReport {
        channel_id,
        author: ReportedAuthor::ChannelAgent,
        standby: true,
        summary: None,
        person,
        said,
        answers: reacts_to.or(answers),
        context: InboundContext::default(),
    });
    Ok(CallbackEvent { second, what: CallbackEventKind::Message { number, message } }.into())
}

/// Returns the content of a message that was sent, and the channel's id of the message to which it
/// is a reaction. The definition of a template or a flow is added to the content. If the message
/// has a field of the same name, the definition gets the suffix `_definition`.
fn said(
    kind: &str,
    mut fields: Map<String, Value>,
    definitions: [(&str, Option<Value>); 2],
) -> (InboundContent, Option<String>) {
    if let Some(text) = fields.get(kind).and_then(|it| it.get("body")).and_then(Value::as_str)
        && kind == "text"
    {
        return (InboundContent::Text(text.to_owned()), None);
    }
    let reaction = fields.get(kind).filter(|_| kind == "reaction");
    if let Some((message, reaction)) = reaction.and_then(inbound_content::reaction) {
        return (reaction, Some(message));
    }
    let mut body = Map::from_iter([
        ("type".to_owned(), Value::from(kind)),
        (kind.to_owned(), fields.remove(kind).unwrap_or(Value::Null)),
    ]);
    for (name, definition) in definitions {
        let Some(definition) = definition else { continue };
        let has_own = body.get(name).is_some_and(|it| !it.is_null());
        let name = if has_own { format!("{name}_definition") } else { name.to_owned() };
        body.insert(name, definition);
    }
    let body = Value::Object(body).to_string();
    (InboundContent::Passthrough { kind: kind.to_owned(), body }, None)
}

#[derive(Deserialize)]
struct HandoverPart {
    #[serde(default)]
    sender: SenderPart,
    recipient: shape::MetadataPart,
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<Value>,
    #[serde(default, deserialize_with = "forgiving")]
    control_passed: Option<ControlPart>,
    #[serde(default, deserialize_with = "forgiving")]
    control_taken: Option<ControlPart>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SenderPart {
    phone_number: Option<String>,
    user_id: Option<String>,
    parent_user_id: Option<String>,
}

/// A change of control. According to Meta, each field may be missing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ControlPart {
    #[serde(deserialize_with = "forgiving")]
    new_owner_role: Option<String>,
    #[serde(deserialize_with = "forgiving")]
    metadata: Option<String>,
    #[serde(deserialize_with = "forgiving")]
    conversation_context: Option<ContextPart>,
}

#[derive(Deserialize)]
struct ContextPart {
    #[serde(default, deserialize_with = "forgiving")]
    summary: Option<SummaryPart>,
}

#[derive(Deserialize)]
struct SummaryPart {
    #[serde(default)]
    text: String,
}

impl ContextPart {
    fn text(self) -> Option<String> {
        shape::empty_is_none(self.summary.map(|it| it.text))
    }
}

/// Returns the summary in a `conversation_context`.
pub fn summary(context: &RawValue) -> Option<String> {
    let context: ContextPart = serde_json::from_str(context.get()).ok()?;
    context.text()
}

/// Parses a change of who has control of a conversation. Meta reports `control_passed` to the new
/// owner and `control_taken` to the previous one.
pub fn handover(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let part = read::<ChangePart<HandoverPart>>(piece.json)?.value;
    let (control, otherwise) = match part.kind.as_str() {
        "control_passed" => (part.control_passed, ThreadOwner::Organization),
        "control_taken" => (part.control_taken, ThreadOwner::Other),
        word => {
            let detail = format!("this version does not know the handover {word:?}");
            return Err(UnsupportedPart::unknown(detail));
        }
    };
    let control = control.unwrap_or_default();
    let person = Identity {
        phone_number: person::number(part.sender.phone_number.as_deref()),
        user_id: person::user(part.sender.user_id.as_deref()),
        parent_user_id: person::user(part.sender.parent_user_id.as_deref()),
        ..Identity::default()
    };
    if person.address().is_none() {
        let detail = "the handover names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart::new(DeadLetterReason::NoPhoneNumber, detail));
    }
    let is_agents = control.new_owner_role.as_deref() == Some(AI_AGENT);
    let handover = Box::new(HandoverReport {
        person,
        owner: if is_agents { ThreadOwner::ChannelAgent } else { otherwise },
        reason: shape::empty_is_none(control.metadata),
        summary: control.conversation_context.and_then(ContextPart::text),
    });
    let number = ChannelRef::Theirs(shape::text_of(&part.recipient.phone_number_id));
    let second = part.timestamp.as_ref().and_then(shape::second_of);
    Ok(CallbackEvent { second, what: CallbackEventKind::Handover { number, handover } }.into())
}
