//! Finds the contact and the conversation of a message or report that the channel delivers.
use super::Conn;
use super::contact_lookups::{Numbers, known_contacts};
use super::contacts::{self, ContactScope};
use super::conversation_upsert::{
    ChangedConversation, Found, insert_contacts, lead_elsewhere, new_numbers, upsert,
};
use crate::records::{ConversationWithContact, Merges};
use crate::{Error, Result};
use domain::acceptance::ConversationChange;
use domain::contact::{
    Address, Identity, KnownContact, MatchResult, RecognitionStep, match_message,
};
use domain::event::NewEvent;
use domain::id::{AccountId, ContactId, ConversationId, OrganizationId};
use domain::time::Timestamp;
use std::sync::Arc;

/// The parts of a message or report that determine its contact and its conversation.
pub(super) struct Arrival<'a> {
    pub organization: OrganizationId,
    pub account: AccountId,
    pub person: &'a Identity,
    pub new_contact: ContactId,
    pub new_conversation: ConversationId,
    pub change: ConversationChange,
    pub at: Timestamp,
    pub received_at: Timestamp,
}

/// The contact and the conversation of a message or report, with the places of its messages.
pub(super) struct PlacedArrival {
    pub found: Found,
    /// The events about the contact.
    pub events: Vec<NewEvent>,
    /// The time of the last message before this one.
    pub last_before: Option<Timestamp>,
}

/// Identifies the contact and finds the conversation. A message is placed at the end of the
/// conversation.
pub(super) async fn place(
    conn: &mut Conn,
    new: &Arrival<'_>,
    merges: Merges,
) -> Result<PlacedArrival> {
    let (organization, account) = (new.organization, new.account);
    let scope = ContactScope { organization, account, now: new.received_at, merges };
    let found = contacts::found(conn, &scope, &[new.person]).await?;
    let numbers = if contacts::is_plain(&found, new.person) {
        Numbers::new()
    } else {
        contacts::numbers(conn, &scope, &found).await?
    };
    let known = known_contacts(&found, &numbers)?;
    let judgement = match_message(&known, new.person, new.at);
    let last_before = last_message(&found, &judgement);
    let address = address_of(&known, &judgement);
    let person = judgement.person.and_then(|it| contacts::person_of(&found, &judgement, it));
    let events = contacts::apply(conn, &scope, found, &judgement).await?;
    let address = address.ok_or(Error::Moved)?;
    let ids = (organization, account, new.new_conversation, new.new_contact);
    let mut change = new.change;
    change.last_message_at = match last_before {
        // A report without a message does not change the time of the last message.
        Some(last) if change.messages == 0 => last,
        last => last.max(Some(new.at)).unwrap_or(new.at),
    };
    let touched = ChangedConversation::new(ids, &address, judgement.new, new.at, change);
    let (found, new_contacts) = upsert(shared!(conn), vec![touched]).await?;
    insert_contacts(shared!(conn), &new_contacts).await?;
    let numbers = new_numbers(&new_contacts);
    if !numbers.is_empty() && lead_elsewhere(shared!(conn), numbers).await? {
        return Err(Error::Moved);
    }
    let found = found.into_values().next();
    let found = found.ok_or_else(|| Error::Internal("a conversation went missing".to_owned()))?;
    // Another transaction has stored the same contact in the meantime. The caller starts again.
    let expected = judgement.person.unwrap_or(new.new_contact);
    if found.conversation.contact_id == expected {
        let places = found.places.with(person.map(Arc::new));
        Ok(PlacedArrival { found: Found { places, ..found }, events, last_before })
    } else {
        Err(Error::Moved)
    }
}

/// Returns the time of the last message in the contact's conversation and in those that are merged
/// into it.
fn last_message(found: &[ConversationWithContact], judgement: &MatchResult) -> Option<Timestamp> {
    let person = judgement.person?;
    let joins = |contact: ContactId| {
        let merge = |step: &RecognitionStep| matches!(step, RecognitionStep::Merge { kept, merged } if *kept == person && *merged == contact);
        contact == person || judgement.steps.iter().any(merge)
    };
    let conversations = found.iter().filter(|it| joins(it.contact.id));
    conversations.map(|it| it.conversation.last_message_at).max()
}

/// Returns the address of the contact's conversation after the matching result has been applied.
fn address_of(known: &[KnownContact], judgement: &MatchResult) -> Option<Address> {
    let Some(person) = judgement.person else { return judgement.new.address() };
    let updated = judgement.steps.iter().rev().find_map(|step| match step {
        RecognitionStep::Update(update) if update.contact == person => Some(update.after.address()),
        _ => None,
    });
    let known = known.iter().find(|it| it.contact == person);
    updated.unwrap_or_else(|| known.and_then(|it| it.identity.address()))
}
