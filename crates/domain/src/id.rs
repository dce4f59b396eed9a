//! Typed ids: [TypeIDs](https://github.com/jetify-com/typeid), a prefix and a `UUIDv7` in base32
//! (`docs/contract.md#conventions`).

use crate::number::saturating;
use crate::time::Timestamp;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use uuid::Uuid;

/// What an id names, and the prefix that says so.
pub trait Kind: Copy + 'static {
    /// The letters before the underscore.
    const PREFIX: &'static str;
}

/// The id of one `K`. Ids sort by the time they were made at, to the millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<K>(Uuid, PhantomData<K>);

macro_rules! kinds {
    ($($(#[$doc:meta])* $Kind:ident, $Id:ident, $prefix:literal;)+) => {
        $(
            #[doc = concat!("Marks an id that begins with `", $prefix, "_`.")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $Kind {}
            impl Kind for $Kind { const PREFIX: &'static str = $prefix; }
            $(#[$doc])*
            pub type $Id = Id<$Kind>;
        )+
    };
}

kinds! {
    /// A business.
    Organization, OrganizationId, "org";
    /// A person who signs in for a business.
    Member, MemberId, "mem";
    /// A connected number.
    Account, AccountId, "acc";
    /// An API key.
    Key, KeyId, "key";
    /// A third-party application.
    Application, ApplicationId, "app";
    /// The connection of a business and an application.
    Connection, ConnectionId, "conn";
    /// A message template.
    Template, TemplateId, "tpl";
    /// A message, whichever way it goes.
    Message, MessageId, "msg";
    /// All that passes between one number of a business and one person.
    Conversation, ConversationId, "conv";
    /// A person as one number of a business knows them.
    Contact, ContactId, "ctc";
    /// An uploaded file.
    Media, MediaId, "med";
    /// Something that happened, as webhooks tell it.
    Event, EventId, "evt";
    /// What an event tells of, whatever that is: its kind says.
    Subject, SubjectId, "sbj";
    /// The organization or the application that has an endpoint, whichever it is.
    Owner, OwnerId, "own";
    /// An address that events are sent to.
    WebhookEndpoint, WebhookEndpointId, "whe";
    /// One event on its way to one endpoint.
    Delivery, DeliveryId, "dlv";
    /// One HTTP request.
    Request, RequestId, "req";
    /// A decision that a member is asked for.
    Consent, ConsentId, "cns";
    /// One attempt to exchange a code.
    Handshake, HandshakeId, "hnd";
    /// A report of the channel that waits to be processed.
    Callback, CallbackId, "cbk";
    /// Something that the reviewer said of a template.
    Verdict, VerdictId, "vdt";
    /// A plan that organizations subscribe to.
    Plan, PlanId, "pln";
    /// One run of a server.
    Instance, InstanceId, "ins";
}

impl<K> Id<K> {
    /// The id made at `now` with these random bits (RFC 9562 5.7).
    #[must_use]
    pub fn new(now: Timestamp, entropy: [u8; 10]) -> Self {
        let millis = (now.micros().max(0) / 1000).cast_unsigned();
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &entropy).into_uuid(), PhantomData)
    }

    /// The id a database row holds.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid, PhantomData)
    }

    /// The id that these bytes are, of something whose name makes its id.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes), PhantomData)
    }

    /// When it was made, to the millisecond.
    #[must_use]
    pub fn made_at(&self) -> Timestamp {
        // RFC 9562 5.7: the first 48 bits are the Unix time in milliseconds.
        let (high, _) = self.0.as_u64_pair();
        Timestamp::from_micros((high >> 16).cast_signed() * 1000)
    }

    /// What a database row holds.
    #[must_use]
    pub const fn uuid(&self) -> &Uuid {
        &self.0
    }
}

/// Crockford's base32 in lowercase, without padding.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 digits hold 130 bits; the first may only be 0 to 7.
const DIGITS: usize = 26;

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'_'; MAX_LENGTH];
        let before = K::PREFIX.len() + 1;
        let text = text.get_mut(..before + DIGITS).ok_or(fmt::Error)?;
        let (prefix, digits) = text.split_at_mut(before);
        for (place, letter) in prefix.iter_mut().zip(K::PREFIX.bytes()) {
            *place = letter;
        }
        let number = self.0.as_u128();
        let parts = [number, number >> PART_BITS, number >> (2 * PART_BITS)];
        for (places, part) in digits.rchunks_mut(PART_DIGITS).zip(parts) {
            write_digits(places, saturating(part & ((1 << PART_BITS) - 1), u64::MAX));
        }
        out.write_str(std::str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

/// Longer than any prefix with its digits.
const MAX_LENGTH: usize = 48;
/// So many digits are written from a number of 64 bits, which takes a fraction of what one of 128 does.
const PART_DIGITS: usize = 12;
const PART_BITS: usize = 5 * PART_DIGITS;

fn write_digits(places: &mut [u8], mut rest: u64) {
    for place in places.iter_mut().rev() {
        #[expect(clippy::indexing_slicing, reason = "five bits name one of 32 letters")]
        let letter = ALPHABET[(rest & 31) as usize];
        *place = letter;
        rest >>= 5;
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// A text that is no id of the kind wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id that begins with `{0}_`")]
pub struct InvalidId(pub &'static str);

impl<K: Kind> FromStr for Id<K> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let wrong = InvalidId(K::PREFIX);
        let digits =
            text.strip_prefix(K::PREFIX).and_then(|rest| rest.strip_prefix('_')).ok_or(wrong)?;
        if digits.len() != DIGITS || !matches!(digits.as_bytes().first(), Some(b'0'..=b'7')) {
            return Err(wrong);
        }
        let mut value = 0_u128;
        for digit in digits.bytes() {
            let place = ALPHABET.iter().position(|letter| *letter == digit).ok_or(wrong)?;
            value = (value << 5) | place as u128;
        }
        Ok(Self::from_uuid(Uuid::from_u128(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn follows_the_typeid_specification() {
        // The examples of the specification's `valid.yml`, with our prefixes.
        let id = MessageId::from_uuid(Uuid::from_u128(0x0188_bac7_4afa_78aa_bc3b_bd1e_ef28_d881));
        assert_eq!(id.to_string(), "msg_01h2xcejqtf2nbrexx3vqjhp41");
        assert!("msg_8zzzzzzzzzzzzzzzzzzzzzzzzz".parse::<MessageId>().is_err());
        assert!("org_01h2xcejqtf2nbrexx3vqjhp41".parse::<MessageId>().is_err());
        assert!("msg_01H2XCEJQTF2NBREXX3VQJHP41".parse::<MessageId>().is_err());
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(value: u128) {
            let id = ContactId::from_uuid(Uuid::from_u128(value));
            prop_assert_eq!(id.to_string().parse::<ContactId>(), Ok(id));
        }

        #[test]
        fn refuses_anything_else_without_panic(text in ".*") {
            prop_assert!(text.parse::<KeyId>().is_err());
        }
    }
}
