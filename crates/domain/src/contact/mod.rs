//! Contacts. A contact belongs to one account, and is known by a phone number, by the channel's
//! user id, or by both (`docs/contract.md#contacts`).

mod deletion;
mod preference;
mod recognition;
mod search;

pub use deletion::{DELETION_ROUNDS, DeletionStage, SECOND_ROUND_AFTER};
pub use preference::Preference;
pub use recognition::{
    IdentityChange, KnownContact, MatchResult, OutboundMatch, RecognitionStep, UnmergeableContacts,
    Update, match_change, match_message, match_status, may_teach, merge_by_hand,
};
pub use search::{contact_words, is_named_by, sought_words};

use crate::id::{AccountId, ContactId, ConversationId};
use crate::name::{InvalidName, check_characters};
use crate::phone::PhoneNumber;
use crate::time::Timestamp;
use std::fmt;

/// Maximum number of letters and digits in a user id, not counting its prefix.
pub const MAX_USER_ID_LENGTH: usize = 128;
/// Maximum number of stored characters of a name or a username.
pub const MAX_NAME_LENGTH: usize = 255;

/// The channel's id of a person for one business: a country code, a dot, and up to 128 letters and
/// digits (`US.13491208655302741918`). Linked businesses can share an id, which is then called a
/// parent id. In a parent id, `ENT.` comes after the first dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelUserId(String);

/// The error for a text that is not a user id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a channel user id has a country code, a dot and up to {MAX_USER_ID_LENGTH} letters and digits, such as US.13491208655302741918"
)]
pub struct InvalidChannelUserId;

impl ChannelUserId {
    pub fn parse(text: &str) -> Result<Self, InvalidChannelUserId> {
        let (country, rest) = text.split_once('.').ok_or(InvalidChannelUserId)?;
        let id = rest.strip_prefix("ENT.").unwrap_or(rest);
        let country = country.len() == 2 && country.bytes().all(|it| it.is_ascii_uppercase());
        let length = (1..=MAX_USER_ID_LENGTH).contains(&id.len());
        if country && length && id.bytes().all(|it| it.is_ascii_alphanumeric()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidChannelUserId)
        }
    }

    /// Returns the id as the channel writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the id is a parent id, which linked businesses share.
    #[must_use]
    pub fn is_parent(&self) -> bool {
        self.0.split_once('.').is_some_and(|(_, rest)| rest.starts_with("ENT."))
    }
}

impl fmt::Display for ChannelUserId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The address to which messages for a contact are sent: the phone number if it is known, otherwise
/// the user id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    Phone(PhoneNumber),
    User(ChannelUserId),
}

impl Address {
    /// Parses a text that [`Address::as_str`] returned. A phone number begins with `+`, a user id
    /// with a letter.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.starts_with('+') {
            PhoneNumber::parse(text).ok().map(Self::Phone)
        } else {
            ChannelUserId::parse(text).ok().map(Self::User)
        }
    }

    /// Returns the phone number with its `+`, or the user id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Phone(number) => number.as_str(),
            Self::User(id) => id.as_str(),
        }
    }

    #[must_use]
    pub const fn phone_number(&self) -> Option<&PhoneNumber> {
        match self {
            Self::Phone(number) => Some(number),
            Self::User(_) => None,
        }
    }

    #[must_use]
    pub const fn user_id(&self) -> Option<&ChannelUserId> {
        match self {
            Self::User(id) => Some(id),
            Self::Phone(_) => None,
        }
    }

    /// Returns the address with the other form of the phone number ([`PhoneNumber::other_form`]).
    /// Returns `None` for a user id, and for a number that has only one form.
    #[must_use]
    pub fn other_form(&self) -> Option<Self> {
        self.phone_number()?.other_form().map(Self::Phone)
    }
}

/// The identifiers and names of a person, as far as they are known or a report contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    pub phone_number: Option<PhoneNumber>,
    pub user_id: Option<ChannelUserId>,
    /// The parent id of the person, which linked businesses share.
    pub parent_user_id: Option<ChannelUserId>,
    pub username: Option<String>,
    /// The name that the person chose on the channel, or that somebody gave the contact.
    pub name: Option<String>,
}

impl Identity {
    /// Returns the identity of a recipient of whom nothing but the address is known.
    #[must_use]
    pub fn from_address(address: &Address) -> Self {
        let (parent_user_id, user_id) = match address.user_id().cloned() {
            Some(id) if id.is_parent() => (Some(id), None),
            id => (None, id),
        };
        let phone_number = address.phone_number().cloned();
        Self { phone_number, user_id, parent_user_id, ..Self::default() }
    }

    /// Returns the address to which messages for the contact are sent. Returns `None` if the
    /// contact's number now belongs to somebody else and the contact's user id is not known.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        let number = self.phone_number.clone().map(Address::Phone);
        let id = || self.user_id.clone().or_else(|| self.parent_user_id.clone());
        number.or_else(|| id().map(Address::User))
    }

    /// Whether the two identities have a user id in common, which proves that they are the same
    /// person. The id in common may be a parent id: before the channel has reported a contact's own
    /// user id, messages may have been sent to the parent id.
    #[must_use]
    pub fn shares_user_id(&self, other: &Self) -> bool {
        let ids = |of: &'_ Self| [of.user_id.clone(), of.parent_user_id.clone()];
        let theirs = ids(other);
        ids(self).into_iter().flatten().any(|id| theirs.contains(&Some(id)))
    }

    /// Whether the user ids in the two identities differ, which proves that they are different
    /// people.
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        let differ = |one: &Option<ChannelUserId>, other: &Option<ChannelUserId>| {
            one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
        };
        let ids = differ(&self.user_id, &other.user_id);
        (ids || differ(&self.parent_user_id, &other.parent_user_id)) && !self.shares_user_id(other)
    }
}

/// A contact as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactSnapshot {
    pub id: ContactId,
    pub account: AccountId,
    pub identity: Identity,
    /// The time at which the contact opted out of marketing, if it did.
    pub opted_out_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactChange {
    /// The contact, as it is after the change.
    pub now: ContactSnapshot,
    /// The identity before the change.
    pub before: Identity,
    /// The time of the opt-out before the change, if the contact had opted out.
    pub opted_out_before: Option<Timestamp>,
}

/// The result of merging two contacts that are the same person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactMerge {
    /// The contact that stays.
    pub contact: ContactId,
    /// The contact that was merged into `contact`.
    pub merged_contact: ContactId,
    /// The conversation of `contact`, which stays.
    pub conversation: ConversationId,
    /// The conversation of `merged_contact`. Its messages were moved to `conversation`.
    pub merged_conversation: ConversationId,
}

/// Prepares a name or a username from the channel for storage: removes control characters and
/// surrounding spaces, and shortens the text to [`MAX_NAME_LENGTH`] characters. Returns `None` if
/// nothing is left.
#[must_use]
pub fn name(text: &str) -> Option<String> {
    let plain = text.chars().filter(|it| !it.is_control());
    let plain: String = plain.take(4 * MAX_NAME_LENGTH).collect();
    let kept: String = plain.trim().chars().take(MAX_NAME_LENGTH).collect();
    (!kept.is_empty()).then_some(kept)
}

/// Parses the name that a member or a program gives a contact. The characters must follow the same
/// rules as those of a member's name. The caller checks the length.
pub fn entered_name(text: &str) -> Result<String, InvalidName> {
    let text = text.trim();
    if text.is_empty() {
        return Err(InvalidName::Empty);
    }
    check_characters(text)?;
    Ok(text.to_owned())
}

/// Whether `one` stays when the two contacts are merged. The contact whose conversation has more
/// messages stays. If both have the same number of messages, the older contact stays.
#[must_use]
pub fn stays(one: &KnownContact, other: &KnownContact) -> bool {
    (one.messages, other.since, other.contact) > (other.messages, one.since, one.contact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_user_id_has_a_country_and_letters_and_digits() {
        let longest = format!("US.{}", "a".repeat(128));
        for text in ["US.13491208655302741918", "DE.aZ9", "US.ENT.11815799212886844830", &longest] {
            assert_eq!(ChannelUserId::parse(text).unwrap().as_str(), text);
        }
        let too_long = format!("US.{}", "a".repeat(129));
        for text in [
            "",
            "US",
            "US.",
            "us.1",
            "USA.1",
            "U.1",
            "US.1.2",
            "US.ENT.",
            "US.ENT.1.2",
            "US.1 ",
            " US.1",
            "US.é",
            "+12025550100",
            &too_long,
        ] {
            assert_eq!(ChannelUserId::parse(text), Err(InvalidChannelUserId), "{text}");
        }
    }

    #[test]
    fn a_number_comes_before_a_user_id() {
        let number = PhoneNumber::parse("+12025550100").unwrap();
        let user = ChannelUserId::parse("US.1").unwrap();
        let known = Identity { user_id: Some(user.clone()), ..Identity::default() };
        assert_eq!(known.address(), Some(Address::User(user)));
        let known = Identity { phone_number: Some(number.clone()), ..known };
        assert_eq!(known.address(), Some(Address::Phone(number)));
        assert_eq!(Identity::default().address(), None);
    }

    #[test]
    fn a_name_is_kept_without_what_cannot_be_shown() {
        assert_eq!(name(" Ada\0 Lovelace\n").as_deref(), Some("Ada Lovelace"));
        assert_eq!(name("\u{7}\t "), None);
        assert_eq!(name(&"é".repeat(5000)).unwrap().chars().count(), MAX_NAME_LENGTH);
    }

    proptest! {
        #[test]
        fn an_address_reads_what_it_wrote(digits in "[1-9][0-9]{7,14}", id in "[A-Z]{2}\\.(ENT\\.)?[a-zA-Z0-9]{1,128}") {
            let phone = Address::Phone(PhoneNumber::parse(&digits).unwrap());
            let user = Address::User(ChannelUserId::parse(&id).unwrap());
            prop_assert_eq!(Address::read(phone.as_str()), Some(phone));
            prop_assert_eq!(Address::read(user.as_str()), Some(user));
        }
    }
}
