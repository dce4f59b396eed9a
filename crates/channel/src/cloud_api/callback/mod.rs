//! Parses callbacks in the format of Meta's webhooks.
//!
//! Unknown fields are ignored, because Meta adds fields without notice. A part that is not
//! supported does not affect the others. It can be stored as a callback of its own.

mod account_update;
mod card_number;
mod envelope;
mod fields;
mod inbound_content;
mod person;
mod preference;
mod readable;
mod shape;
mod standby;
mod structured;
mod system;
mod template_update;

use super::Said;
use super::codes::delivery_error;
use crate::callback::{
    CallbackEvent, CallbackEventKind, CallbackPart, ChannelRef, MessageReport, PartContent,
    RevisionReport, UnsupportedPart,
};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::inbound::ReportedAuthor;
use domain::message::{Direction, MessageError, Report};
use envelope::{CallbackEnvelope, EnvelopeContacts, EnvelopePart};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use shape::{
    ErrorPart, InboundMessage, MetadataPart, StatusChange, TemplateUpdatePart, UserIdUpdates,
};
use std::collections::BTreeSet;

fn unreadable(error: &serde_json::Error) -> UnsupportedPart {
    UnsupportedPart::new(DeadLetterReason::Unreadable, error.to_string())
}

/// Parses a callback into all of its parts, in order. A payload that is not a callback gives one
/// part, which is not understood.
#[must_use]
pub fn parse(payload: &str) -> Vec<CallbackPart> {
    let envelope = CallbackEnvelope::new(payload);
    let (pieces, mut contacts) = (envelope.pieces(), EnvelopeContacts::default());
    pieces.iter().map(|piece| part(piece, &mut contacts)).collect()
}

/// Returns the parts with these indexes in the result of [`parse`], each as a callback of its own.
#[must_use]
pub fn parts_of(payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    let envelope = CallbackEnvelope::new(payload);
    let pieces = envelope.pieces();
    let wanted = pieces.iter().enumerate().filter(|(place, _)| places.contains(place));
    let mut contacts = EnvelopeContacts::default();
    wanted.map(|(_, piece)| envelope.json(piece, &mut contacts)).collect()
}

/// The meaning of a part that was understood.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it is returned")]
enum Readable {
    /// An event to process.
    Event(CallbackEvent),
    /// A part that changes nothing.
    Nothing,
    /// A part about a feature that Switchboard does not offer.
    OutOfScope,
    /// A message or status of a group. Meta sends these in the same lists as those of contacts.
    InGroup,
}

impl From<CallbackEvent> for Readable {
    fn from(event: CallbackEvent) -> Self {
        Self::Event(event)
    }
}

fn part<'a>(piece: &EnvelopePart<'a>, contacts: &mut EnvelopeContacts<'a>) -> CallbackPart {
    let kind = piece.kind;
    let content = match (&piece.fault, kind) {
        (Some(fault), _) => Err(UnsupportedPart::new(DeadLetterReason::Unreadable, fault.clone())),
        (None, CallbackKind::Message) => message(piece, contacts, ReportedAuthor::Contact),
        (None, CallbackKind::Echo) if piece.is_standby() => standby::echo(piece),
        (None, CallbackKind::Echo) if !piece.is_change() => {
            message(piece, contacts, ReportedAuthor::Phone)
        }
        (None, CallbackKind::Handover) => standby::handover(piece),
        (None, CallbackKind::Status) => status(piece),
        (None, CallbackKind::TemplateStatus) => template(piece),
        (None, CallbackKind::Person) => people(piece),
        (None, CallbackKind::Account | CallbackKind::PhoneNumber) => account_update::read(piece),
        (None, CallbackKind::Template) => template_update::read(piece),
        (None, CallbackKind::Call | CallbackKind::Group) => Ok(Readable::OutOfScope),
        (None, CallbackKind::Unknown) if piece.is_change() => {
            Err(UnsupportedPart::unknown_field(&piece.name))
        }
        (None, CallbackKind::Unknown) => {
            let detail = format!("this version does not know the list {:?}", piece.name);
            Err(UnsupportedPart::unknown(detail))
        }
        (None, _) => {
            let detail = format!("this version does not process {:?}", piece.name);
            Err(UnsupportedPart::unknown(detail))
        }
    };
    match content {
        Ok(Readable::Event(event)) => CallbackPart { kind, content: PartContent::Event(event) },
        Ok(Readable::Nothing) => CallbackPart { kind, content: PartContent::Nothing },
        Ok(Readable::OutOfScope) => CallbackPart { kind, content: PartContent::OutOfScope },
        Ok(Readable::InGroup) => {
            CallbackPart { kind: CallbackKind::Group, content: PartContent::OutOfScope }
        }
        Err(fault) => CallbackPart { kind, content: PartContent::NotUnderstood(fault) },
    }
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, UnsupportedPart> {
    serde_json::from_str(json).map_err(|error| unreadable(&error))
}

/// Returns Meta's id of the account that a part is about.
fn number_of(metadata: Option<&RawValue>) -> Result<ChannelRef, UnsupportedPart> {
    let number: MetadataPart = read(metadata.map_or("null", RawValue::get))?;
    Ok(ChannelRef::Theirs(shape::text_of(&number.phone_number_id)))
}

fn message<'a>(
    piece: &EnvelopePart<'a>,
    contacts: &mut EnvelopeContacts<'a>,
    author: ReportedAuthor,
) -> Result<Readable, UnsupportedPart> {
    let direction = author.direction();
    let mut message: InboundMessage = read(piece.json)?;
    if direction == Direction::Outbound {
        message.name_the_recipient();
    }
    if message.group_id.is_some() {
        return Ok(Readable::InGroup);
    }
    let number = number_of(piece.metadata())?;
    let second = message.timestamp.as_ref().and_then(shape::second_of);
    if message.kind == "system" {
        return system::read(&message, number, second);
    }
    let person = person::from_message(&message, &piece.contacts(contacts));
    let revision = inbound_content::revision(&message, piece.json).transpose()?;
    // The contact need not be named if the business edits or deletes a message on the phone.
    let needs_person = revision.is_none() || direction == Direction::Inbound;
    if needs_person && person.address().is_none() {
        let detail = "the message names neither a phone number nor a user id".to_owned();
        return Err(UnsupportedPart::new(DeadLetterReason::NoPhoneNumber, detail));
    }
    if let Some((named, said)) = revision {
        let change = message.id;
        let revision = RevisionReport { message: named, change, direction, person, said };
        let what = CallbackEventKind::Revision { number, revision: Box::new(revision) };
        return Ok(CallbackEvent { second, what }.into());
    }
    let (said, reacts_to) = inbound_content::parse(&message, piece.json);
    let context = inbound_content::context(&message);
    let answers = reacts_to.or(message.context.and_then(|context| context.id));
    let channel_id = message.id;
    let message = Box::new(MessageReport {
        channel_id,
        author,
        standby: piece.is_standby(),
        summary: piece.context().and_then(standby::summary),
        person,
        said,
        answers,
        context,
    });
    let what = CallbackEventKind::Message { number, message };
    Ok(CallbackEvent { second, what }.into())
}

/// Parses a change of contacts' identities or preferences.
fn people(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    if piece.name == "user_preferences" {
        return preference::parse_change(piece).map(Readable::Event);
    }
    let value = read::<shape::ChangePart<UserIdUpdates>>(piece.json)?.value;
    let second =
        value.updates.iter().find_map(|it| it.timestamp.as_ref()).and_then(shape::second_of);
    let changes: Result<Vec<_>, _> = value.updates.iter().map(person::from_update).collect();
    let number = ChannelRef::Theirs(shape::text_of(&value.metadata.phone_number_id));
    let what = CallbackEventKind::Identity { number, changes: changes? };
    Ok(CallbackEvent { second, what }.into())
}

fn status(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let change: StatusChange = read(piece.json)?;
    if change.recipient_type.as_deref() == Some("group") {
        return Ok(Readable::InGroup);
    }
    // A status about a payment does not change the message that requested the payment.
    if change.kind.as_deref() == Some("payment") {
        return Ok(Readable::OutOfScope);
    }
    let number = number_of(piece.metadata())?;
    let second = change.timestamp.as_ref().and_then(shape::second_of);
    let recipient = Box::new(person::from_status(&change));
    let report = match change.status.as_str() {
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        // A voice message that was played counts as read.
        "read" | "played" => Report::Read,
        "failed" => Report::Failed(failure(change.errors)),
        // These do not change the message, which has arrived: the recipient deleted it, or the API
        // sent a warning.
        "deleted" | "warning" => return Ok(Readable::Nothing),
        word => {
            let detail = format!("this version does not know the status {word:?}");
            return Err(UnsupportedPart::unknown(detail));
        }
    };
    let ours = change.biz_opaque_callback_data.and_then(|id| id.parse().ok());
    let channel_id = change.id;
    let what = CallbackEventKind::Progress { number, channel_id, ours, report, recipient };
    Ok(CallbackEvent { second, what }.into())
}

fn template(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let (business, time) = piece.entry();
    let callback_event = read::<shape::ChangePart<TemplateUpdatePart>>(piece.json)?.value;
    let (detail, title) = (callback_event.detail(), callback_event.title());
    let (event, reason) = (&callback_event.event, callback_event.reason.as_deref());
    let verdict = match Said::new(event, reason, detail, title) {
        Said::Verdict(verdict) => verdict,
        Said::Nothing => return Ok(Readable::Nothing),
        Said::Unknown => {
            let detail = format!("this version does not know the event {event:?} of a template");
            return Err(UnsupportedPart::unknown(detail));
        }
    };
    let what = CallbackEventKind::Template {
        business: ChannelRef::Theirs(business.map(shape::text_of_json).unwrap_or_default()),
        external_id: shape::text_of(&callback_event.message_template_id),
        name: callback_event.message_template_name,
        language: callback_event.message_template_language,
        verdict,
    };
    Ok(CallbackEvent { second: second_of_entry(time), what }.into())
}

/// Returns the time of an entry as seconds since 1970.
fn second_of_entry(time: Option<&RawValue>) -> Option<i64> {
    let time: Value = serde_json::from_str(time?.get()).ok()?;
    shape::second_of(&time)
}

fn failure(errors: Vec<ErrorPart>) -> MessageError {
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
mod standby_tests;
#[cfg(test)]
mod tests;
