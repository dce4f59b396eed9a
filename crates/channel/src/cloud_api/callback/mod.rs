//! Reads callbacks in the shape of Meta's webhooks.
//!
//! Unknown fields are ignored, because the network adds fields without notice. A part that is not supported does
//! not block the others, and can be stored as a callback of its own.

mod envelope;
mod fields;
mod inbound_content;
mod readable;
mod shape;

use super::codes::delivery_error;
use super::verdict;
use crate::callback::{
    CallbackEvent, CallbackEventKind, ChannelRef, Content, Part, UnsupportedPart,
};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::message::{DeliveryError, Report};
use domain::phone::PhoneNumber;
use envelope::{Contacts, Envelope, EnvelopePart};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shape::{Change, ErrorPart, InboundMessage, Number, StatusChange, TemplateUpdate};
use std::collections::BTreeSet;

fn unreadable(error: &serde_json::Error) -> UnsupportedPart {
    UnsupportedPart { reason: DeadLetterReason::Unreadable, detail: error.to_string() }
}

/// Reads a callback: all of its parts, in order. What is no callback at all is one part that is not understood.
#[must_use]
pub fn parse(payload: &str) -> Vec<Part> {
    Envelope::of(payload).pieces().iter().map(part).collect()
}

/// The parts of a callback at these places among [`parse`]'s, each as a callback of its own.
#[must_use]
pub fn parts_of(payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    let envelope = Envelope::of(payload);
    let pieces = envelope.pieces();
    let wanted = pieces.iter().enumerate().filter(|(place, _)| places.contains(place));
    let mut contacts = Contacts::default();
    wanted.map(|(_, piece)| envelope.json(piece, &mut contacts)).collect()
}

fn part(piece: &EnvelopePart<'_>) -> Part {
    let mut kind = piece.kind;
    let content = match (&piece.fault, kind) {
        (Some(fault), _) => {
            let (reason, detail) = (DeadLetterReason::Unreadable, fault.clone());
            Err(UnsupportedPart { reason, detail })
        }
        (None, CallbackKind::Message) => message(piece),
        (None, CallbackKind::Status) => status(piece),
        (None, CallbackKind::TemplateStatus) => template(piece).map(Some),
        (None, CallbackKind::Call | CallbackKind::Group) => Ok(None),
        (None, kind) => Err(UnsupportedPart::unknown(format!("{kind} is not worked on yet"))),
    };
    let content = match content {
        Ok(Some(callback_event)) => Content::Event(callback_event),
        Ok(None) => {
            // Messages and statuses of groups come among those of persons.
            kind = if kind == CallbackKind::Call { kind } else { CallbackKind::Group };
            Content::OutOfScope
        }
        Err(fault) => Content::NotUnderstood(fault),
    };
    Part { kind, content }
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, UnsupportedPart> {
    serde_json::from_str(json).map_err(|error| unreadable(&error))
}

/// The network's id of the number that a part is about.
fn number_of(metadata: Option<&RawValue>) -> Result<ChannelRef, UnsupportedPart> {
    let number: Number = read(metadata.map_or("null", RawValue::get))?;
    Ok(ChannelRef::Theirs(shape::text_of(&number.phone_number_id)))
}

fn message(piece: &EnvelopePart<'_>) -> Result<Option<CallbackEvent>, UnsupportedPart> {
    let message: InboundMessage = read(piece.json)?;
    if message.group_id.is_some() {
        return Ok(None);
    }
    let number = number_of(piece.metadata())?;
    let no_number = |detail: String| {
        let reason = DeadLetterReason::NoPhoneNumber;
        UnsupportedPart { reason, detail }
    };
    let from = message.from.as_deref();
    let from = from.ok_or_else(|| no_number("the message has no `from`".to_owned()))?;
    let from = PhoneNumber::parse(from).map_err(|wrong| no_number(wrong.to_string()))?;
    let second = message.timestamp.as_ref().and_then(shape::second_of);
    let (said, reacts_to) = inbound_content::of(&message, piece.json);
    let answers = reacts_to.or(message.context.and_then(|context| context.id));
    let what = CallbackEventKind::Message { number, channel_id: message.id, from, said, answers };
    Ok(Some(CallbackEvent { second, what }))
}

fn status(piece: &EnvelopePart<'_>) -> Result<Option<CallbackEvent>, UnsupportedPart> {
    let change: StatusChange = read(piece.json)?;
    if change.recipient_type.as_deref() == Some("group") {
        return Ok(None);
    }
    let number = number_of(piece.metadata())?;
    let second = change.timestamp.as_ref().and_then(shape::second_of);
    Ok(Some(CallbackEvent { second, what: progress(change, number)? }))
}

fn template(piece: &EnvelopePart<'_>) -> Result<CallbackEvent, UnsupportedPart> {
    let (business, time) = piece.entry();
    let Change { value: callback_event } = read::<Change<TemplateUpdate>>(piece.json)?;
    let detail = callback_event.detail();
    let verdict = verdict(&callback_event.event, callback_event.reason.as_deref(), detail);
    let what = CallbackEventKind::Template {
        business: ChannelRef::Theirs(business.map(shape::text_of_json).unwrap_or_default()),
        external_id: shape::text_of(&callback_event.message_template_id),
        name: callback_event.message_template_name,
        language: callback_event.message_template_language,
        verdict: verdict
            .ok_or_else(|| UnsupportedPart::unknown("an unknown event of a template".to_owned()))?,
    };
    let second = time.and_then(|time| serde_json::from_str(time.get()).ok());
    Ok(CallbackEvent { second: second.as_ref().and_then(shape::second_of), what })
}

fn progress(
    change: StatusChange,
    number: ChannelRef,
) -> Result<CallbackEventKind, UnsupportedPart> {
    let report = match change.status.as_str() {
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        "read" => Report::Read,
        "failed" => Report::Failed(failure(change.errors)),
        _ => return Err(UnsupportedPart::unknown("an unknown word for a status".to_owned())),
    };
    let ours = change.biz_opaque_callback_data.and_then(|id| id.parse().ok());
    Ok(CallbackEventKind::Progress { number, channel_id: change.id, ours, report })
}

fn failure(errors: Vec<ErrorPart>) -> DeliveryError {
    match errors.into_iter().next() {
        Some(error) => {
            let details = error.error_data.and_then(|data| data.details);
            let message = details.or(error.message).unwrap_or(error.title);
            delivery_error(error.code, message)
        }
        None => delivery_error(None, "The channel gave no reason.".to_owned()),
    }
}

#[cfg(test)]
mod tests;
