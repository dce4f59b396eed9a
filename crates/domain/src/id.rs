//! Typed ids in the format [TypeID](https://github.com/jetify-com/typeid): a prefix, and a `UUIDv7`
//! in base32 (`docs/contract.md#conventions`).

use crate::number::saturating;
use crate::time::Timestamp;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use uuid::Uuid;

/// The type of object that an id identifies. The type decides the prefix of the id.
pub trait Kind: Copy + 'static {
    /// The prefix of the id, without the underscore that follows the prefix.
    const PREFIX: &'static str;
}

/// The id of an object of the type `K`. Ids sort by the objects' time of creation, in milliseconds.
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
    Organization, OrganizationId, "org";
    /// A member: a person who can sign in for an organization.
    Member, MemberId, "mem";
    /// An audit entry: one action in the audit log.
    AuditEntry, AuditEntryId, "aud";
    /// A messaging account: one connected number.
    Account, AccountId, "acc";
    /// An API key.
    Key, KeyId, "key";
    /// A third-party application.
    Application, ApplicationId, "app";
    /// The connection between an organization and an application.
    Connection, ConnectionId, "conn";
    /// A message template.
    Template, TemplateId, "tpl";
    /// A message, inbound or outbound.
    Message, MessageId, "msg";
    /// A conversation: the messages between one account and one contact.
    Conversation, ConversationId, "conv";
    /// A contact: a person outside the organization, as one account knows them.
    Contact, ContactId, "ctc";
    /// A note about a conversation. Notes are never sent.
    Note, NoteId, "note";
    /// A saved reply: a text that members often send.
    SavedReply, SavedReplyId, "srp";
    /// An AI agent.
    AiAgent, AiAgentId, "agt";
    /// An entry of an AI agent: a fact, a look-up or a question.
    AgentEntry, AgentEntryId, "ent";
    /// A turn: one answer of an AI agent.
    Turn, TurnId, "turn";
    /// A media file that was uploaded or received.
    Media, MediaId, "med";
    /// An event that webhooks deliver.
    Event, EventId, "evt";
    /// The subject of an event, which can be of any type. The kind of the event tells the type.
    Subject, SubjectId, "sbj";
    /// The owner of a webhook endpoint: an organization or an application.
    Owner, OwnerId, "own";
    WebhookEndpoint, WebhookEndpointId, "whe";
    /// The delivery of one event to one webhook endpoint.
    Delivery, DeliveryId, "dlv";
    /// One HTTP request to this service.
    Request, RequestId, "req";
    /// An application's request to be connected, about which a member has to decide.
    Consent, ConsentId, "cns";
    /// A handshake of Connect, which ends with the exchange of a code.
    Handshake, HandshakeId, "hnd";
    /// A callback of the channel: one that waits to be processed, or a dead letter.
    Callback, CallbackId, "cbk";
    /// The reviewer's verdict on a template.
    Verdict, VerdictId, "vdt";
    /// A plan that organizations subscribe to.
    Plan, PlanId, "pln";
    /// An instance: one run of a server process.
    Instance, InstanceId, "ins";
}

impl<K> Id<K> {
    /// Creates an id from the time of creation and 80 random bits, as a `UUIDv7` (RFC 9562, section
    /// 5.7).
    #[must_use]
    pub fn new(now: Timestamp, entropy: [u8; 10]) -> Self {
        let millis = (now.micros().max(0) / 1000).cast_unsigned();
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &entropy).into_uuid(), PhantomData)
    }

    /// Creates the id of an object that is created at `now` because of another object. The new id
    /// consists of the time `now` and of the random bits in the id of the other object.
    #[must_use]
    pub fn made_for<L>(other: &Id<L>, now: Timestamp) -> Self {
        let [_, _, _, _, _, _, entropy @ ..] = *other.0.as_bytes();
        Self::new(now, entropy)
    }

    /// Wraps the UUID that a database row contains.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid, PhantomData)
    }

    /// Creates an id from bytes that are derived from a name, and thus are not random.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes), PhantomData)
    }

    /// Returns the time of creation that the id contains, in milliseconds.
    #[must_use]
    pub fn made_at(&self) -> Timestamp {
        // RFC 9562, section 5.7: the first 48 bits are the Unix time in milliseconds.
        let (high, _) = self.0.as_u64_pair();
        Timestamp::from_micros((high >> 16).cast_signed() * 1000)
    }

    /// Returns the UUID that a database row contains.
    #[must_use]
    pub const fn uuid(&self) -> &Uuid {
        &self.0
    }
}

/// The digits of Crockford's base32, in lowercase.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The number of base32 digits in an id. 26 digits hold 130 bits, and a UUID has 128. The first
/// digit is therefore 0 to 7.
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

/// An upper bound for the number of characters in an id with any prefix.
const MAX_LENGTH: usize = 48;
/// The number of base32 digits that are computed at a time, with 64-bit numbers. Computing all
/// digits with 128-bit numbers would be much slower.
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

/// The error for a text that is not an id of the expected type.
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
        // The ids are examples from `valid.yml` of the TypeID specification. The prefixes are those
        // of this module.
        let id = MessageId::from_uuid(Uuid::from_u128(0x0188_bac7_4afa_78aa_bc3b_bd1e_ef28_d881));
        assert_eq!(id.to_string(), "msg_01h2xcejqtf2nbrexx3vqjhp41");
        assert!("msg_8zzzzzzzzzzzzzzzzzzzzzzzzz".parse::<MessageId>().is_err());
        assert!("org_01h2xcejqtf2nbrexx3vqjhp41".parse::<MessageId>().is_err());
        assert!("msg_01H2XCEJQTF2NBREXX3VQJHP41".parse::<MessageId>().is_err());
    }

    #[test]
    fn an_id_that_is_made_for_another_has_its_own_time_and_the_same_random_bits() {
        let at = Timestamp::from_seconds;
        let [one, other] = [7, 8].map(|it| MessageId::new(at(1_800_000_000), [it; 10]));
        let earlier = TurnId::made_for(&one, at(1_900_000_000));
        let later = TurnId::made_for(&one, at(1_900_000_001));
        assert_eq!(later.made_at(), at(1_900_000_001));
        assert!(earlier < later);
        assert_ne!(earlier, TurnId::made_for(&other, at(1_900_000_000)));
        assert_eq!(later, TurnId::new(at(1_900_000_001), [7; 10]));
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
