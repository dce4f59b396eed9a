//! Parses callbacks in the format of Meta's webhooks.
//!
//! Unknown fields are ignored, because Meta adds fields without notice. A part that is not
//! supported does not block the others, and can be stored as a callback of its own.

mod account_update;
mod envelope;
mod fields;
mod inbound_content;
mod person;
mod preference;
mod readable;
mod shape;
mod structured;
mod template_update;

use super::codes::delivery_error;
use super::verdict;
use crate::callback::{
    CallbackEvent, CallbackEventKind, ChannelRef, Content, MessageReport, Part, RevisionReport,
    UnsupportedPart,
};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::message::{DeliveryError, Direction, Report};
use envelope::{Contacts, Envelope, EnvelopePart};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use shape::{
    ChangedField, ErrorPart, InboundMessage, Number, StatusChange, TemplateUpdate, UserIdUpdates,
};
use std::collections::BTreeSet;

fn unreadable(error: &serde_json::Error) -> UnsupportedPart {
    UnsupportedPart { reason: DeadLetterReason::Unreadable, detail: error.to_string() }
}

/// Parses a callback into all of its parts, in order. Something that is not a callback is one part
/// that is not understood.
#[must_use]
pub fn parse(payload: &str) -> Vec<Part> {
    let envelope = Envelope::of(payload);
    let (pieces, mut contacts) = (envelope.pieces(), Contacts::default());
    pieces.iter().map(|piece| part(piece, &mut contacts)).collect()
}

/// Returns the parts of a callback at these positions in the result of [`parse`], each as a
/// callback of its own.
#[must_use]
pub fn parts_of(payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    let envelope = Envelope::of(payload);
    let pieces = envelope.pieces();
    let wanted = pieces.iter().enumerate().filter(|(place, _)| places.contains(place));
    let mut contacts = Contacts::default();
    wanted.map(|(_, piece)| envelope.json(piece, &mut contacts)).collect()
}

fn part<'a>(piece: &EnvelopePart<'a>, contacts: &mut Contacts<'a>) -> Part {
    let mut kind = piece.kind;
    let content = match (&piece.fault, kind) {
        (Some(fault), _) => {
            let (reason, detail) = (DeadLetterReason::Unreadable, fault.clone());
            Err(UnsupportedPart { reason, detail })
        }
        (None, CallbackKind::Message) => message(piece, contacts, Direction::Inbound),
        (None, CallbackKind::Echo) if !piece.is_change() => {
            message(piece, contacts, Direction::Outbound)
        }
        (None, CallbackKind::Status) => status(piece),
        (None, CallbackKind::TemplateStatus) => template(piece).map(Some),
        (None, CallbackKind::Person) => people(piece).map(Some),
        (None, CallbackKind::Account | CallbackKind::PhoneNumber) => {
            account_update::read(piece).map(Some)
        }
        (None, CallbackKind::Template) => template_update::read(piece).map(Some),
        (None, CallbackKind::Call | CallbackKind::Group) => Ok(None),
        (None, kind) => Err(UnsupportedPart::unknown(format!("{kind} is not supported yet"))),
    };
    let content = match content {
        Ok(Some(callback_event)) => Content::Event(callback_event),
        Ok(None) => {
            // Messages and statuses of groups arrive together with those of contacts.
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

/// Returns Meta's id of the account that a part is about.
fn number_of(metadata: Option<&RawValue>) -> Result<ChannelRef, UnsupportedPart> {
    let number: Number = read(metadata.map_or("null", RawValue::get))?;
    Ok(ChannelRef::Theirs(shape::text_of(&number.phone_number_id)))
}

fn message<'a>(
    piece: &EnvelopePart<'a>,
    contacts: &mut Contacts<'a>,
    direction: Direction,
) -> Result<Option<CallbackEvent>, UnsupportedPart> {
    let mut message: InboundMessage = read(piece.json)?;
    if direction == Direction::Outbound {
        message.name_the_recipient();
    }
    if message.group_id.is_some() {
        return Ok(None);
    }
    let number = number_of(piece.metadata())?;
    let second = message.timestamp.as_ref().and_then(shape::second_of);
    if message.kind == "system" {
        let what =
            CallbackEventKind::Identity { number, changes: vec![person::of_system(&message)?] };
        return Ok(Some(CallbackEvent { second, what }));
    }
    if let Some(said) = inbound_content::revision(&message, piece.json) {
        let (named, said) = said?;
        let revision = RevisionReport { message: named, change: message.id, direction, said };
        let what = CallbackEventKind::Revision { number, revision: Box::new(revision) };
        return Ok(Some(CallbackEvent { second, what }));
    }
    let person = person::of_message(&message, &piece.contacts(contacts));
    if person.address().is_none() {
        let reason = DeadLetterReason::NoPhoneNumber;
        let detail = "the message names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart { reason, detail });
    }
    let (said, reacts_to) = inbound_content::of(&message, piece.json);
    let context = inbound_content::context(&message);
    let answers = reacts_to.or(message.context.and_then(|context| context.id));
    let channel_id = message.id;
    let message = Box::new(MessageReport { channel_id, direction, person, said, answers, context });
    let what = CallbackEventKind::Message { number, message };
    Ok(Some(CallbackEvent { second, what }))
}

/// Parses a change of contacts' identities or preferences.
fn people(piece: &EnvelopePart<'_>) -> Result<CallbackEvent, UnsupportedPart> {
    let field = read::<ChangedField>(piece.json)?.field;
    if field == "user_preferences" {
        return preference::of_change(piece);
    }
    if field != "user_id_update" {
        return Err(UnsupportedPart::unknown(format!("{field} is not supported yet")));
    }
    let value = read::<shape::Change<UserIdUpdates>>(piece.json)?.value;
    let second =
        value.updates.iter().find_map(|it| it.timestamp.as_ref()).and_then(shape::second_of);
    let changes: Result<Vec<_>, _> = value.updates.iter().map(person::of_update).collect();
    let number = ChannelRef::Theirs(shape::text_of(&value.metadata.phone_number_id));
    Ok(CallbackEvent { second, what: CallbackEventKind::Identity { number, changes: changes? } })
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
    let callback_event = read::<shape::Change<TemplateUpdate>>(piece.json)?.value;
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
    Ok(CallbackEvent { second: second_of_entry(time), what })
}

/// Returns the time of an entry, in seconds since 1970.
fn second_of_entry(time: Option<&RawValue>) -> Option<i64> {
    let time: Value = serde_json::from_str(time?.get()).ok()?;
    shape::second_of(&time)
}

fn progress(
    change: StatusChange,
    number: ChannelRef,
) -> Result<CallbackEventKind, UnsupportedPart> {
    let recipient = Box::new(person::of_status(&change));
    let report = match change.status.as_str() {
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        "read" => Report::Read,
        "failed" => Report::Failed(failure(change.errors)),
        _ => return Err(UnsupportedPart::unknown("an unknown word for a status".to_owned())),
    };
    let ours = change.biz_opaque_callback_data.and_then(|id| id.parse().ok());
    Ok(CallbackEventKind::Progress { number, channel_id: change.id, ours, report, recipient })
}

fn failure(errors: Vec<ErrorPart>) -> DeliveryError {
    match errors.into_iter().next() {
        Some(error) => {
            let details = error.error_data.and_then(|data| data.details);
            let message = details.or(error.message).unwrap_or(error.title);
            delivery_error(error.code, &message)
        }
        None => delivery_error(None, "The channel gave no reason."),
    }
}

#[cfg(test)]
mod grammar_tests;
#[cfg(test)]
mod tests;
