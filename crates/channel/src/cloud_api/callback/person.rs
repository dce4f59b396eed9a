//! Parses the identities of contacts in callbacks.

use super::card_number::shared_number;
use super::shape::{ContactPart, InboundMessage, StatusChange, SystemPart, UserIdUpdate};
use crate::callback::UnsupportedPart;
use domain::contact::{ChannelUserId, Identity, IdentityChange, name};
use domain::phone::PhoneNumber;

/// Returns the phone number, if it is valid.
pub fn number(text: Option<&str>) -> Option<PhoneNumber> {
    text.and_then(|text| PhoneNumber::parse(text).ok())
}

/// Returns the user id, if it is valid.
pub fn user(text: Option<&str>) -> Option<ChannelUserId> {
    text.and_then(|text| ChannelUserId::parse(text).ok())
}

/// Returns the sender's identity from the message, with gaps filled from the contacts beside it.
pub fn from_message(message: &InboundMessage, contacts: &[&str]) -> Identity {
    let mut said = Identity {
        phone_number: number(message.from.as_deref()),
        user_id: user(message.from_user_id.as_deref()),
        parent_user_id: user(message.from_parent_user_id.as_deref()),
        ..Identity::default()
    };
    let parts = contacts.iter().filter_map(|json| serde_json::from_str(json).ok());
    let parts: Vec<ContactPart> = parts.collect();
    let is_theirs = |it: &&ContactPart| {
        let (theirs, wrote) = (it.user_id.as_deref(), message.from_user_id.as_deref());
        match (theirs, wrote) {
            (Some(theirs), Some(wrote)) => theirs == wrote,
            // Meta writes some numbers in two forms. A single contact is therefore the sender, even
            // if its number differs.
            _ => parts.len() == 1 || (it.wa_id.is_some() && it.wa_id == message.from),
        }
    };
    if let Some(contact) = parts.iter().find(is_theirs) {
        said.username = contact.profile.username.as_deref().and_then(name);
        said.name = contact.profile.name.as_deref().and_then(name);
        if contact.wa_id.is_some() && contact.wa_id == message.from {
            said.user_id = said.user_id.or_else(|| user(contact.user_id.as_deref()));
        }
        if said.user_id.is_some()
            && contact.user_id.as_deref() == said.user_id.as_ref().map(ChannelUserId::as_str)
        {
            said.phone_number = said.phone_number.or_else(|| number(contact.wa_id.as_deref()));
            let parent = user(contact.parent_user_id.as_deref());
            said.parent_user_id = said.parent_user_id.or(parent);
        }
        if message.from.is_none() && message.from_user_id.is_none() {
            said.phone_number = number(contact.wa_id.as_deref());
            said.user_id = user(contact.user_id.as_deref());
        }
    }
    said.phone_number = said.phone_number.or_else(|| shared_number(message));
    said
}

/// Returns the recipient's identity in a status.
pub fn from_status(status: &StatusChange) -> Identity {
    Identity {
        phone_number: number(status.recipient_id.as_deref()),
        user_id: user(status.recipient_user_id.as_deref()),
        parent_user_id: user(status.recipient_parent_user_id.as_deref()),
        ..Identity::default()
    }
}

/// Returns the change of a contact's identity in a system message. `moves` says whether the phone
/// number changed.
pub fn from_system(
    message: &InboundMessage,
    part: &SystemPart,
    moves: bool,
) -> Result<IdentityChange, UnsupportedPart> {
    let previous = part.previous_user_id.as_deref().or_else(|| {
        // If the old user id is missing, the message's sender has the old one.
        message.from_user_id.as_deref().filter(|id| Some(*id) != part.user_id.as_deref())
    });
    let from = Identity {
        phone_number: number(message.from.as_deref()),
        user_id: user(previous),
        ..Identity::default()
    };
    let to = Identity {
        phone_number: number(part.wa_id.as_deref().or(part.new_wa_id.as_deref())).filter(|_| moves),
        user_id: user(part.user_id.as_deref()),
        parent_user_id: user(part.parent_user_id.as_deref()),
        ..Identity::default()
    };
    check_complete(IdentityChange { from, to })
}

/// Returns the change of a contact's identity in an entry of the webhook field `user_id_update`.
pub fn from_update(update: &UserIdUpdate) -> Result<IdentityChange, UnsupportedPart> {
    let parent = update.parent_user_id.as_ref().and_then(|it| it.current.as_deref());
    let from =
        Identity { user_id: user(update.user_id.previous.as_deref()), ..Identity::default() };
    let to = Identity {
        phone_number: number(update.wa_id.as_deref()),
        user_id: user(update.user_id.current.as_deref()),
        parent_user_id: user(parent),
        ..Identity::default()
    };
    check_complete(IdentityChange { from, to })
}

fn check_complete(change: IdentityChange) -> Result<IdentityChange, UnsupportedPart> {
    if change.from.address().is_some() && change.to.address().is_some() {
        Ok(change)
    } else {
        let detail = "the change lacks the contact's previous or new identity";
        Err(UnsupportedPart::unknown(detail.to_owned()))
    }
}
