//! Messages, as history shows them (`docs/contract.md#messages`).

use crate::contact::Person;
use crate::content::{MediaDocument, TemplateDocument, media_and_transcript, plain_text, raw};
use crate::interactive::InteractiveWire;
use crate::revisions::{RevisionsRecord, VersionRecord};
use crate::schema::{ChannelBody, IdOf, Instant, OneOf, exactly_one};
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id;
use domain::keyword::Keyword;
use domain::message::{Direction, Failure, MessageProgress, MessageStatus};
use persistence::Document;
use persistence::content::ContactRow;
use persistence::content::event_data::MessageContactData;
use persistence::content::received::{
    ContextRow, InteractiveAnswerRow, PlaceRow, ReceivedOrderRow, ReferralRow, ReferredProductRow,
    UnsupportedRow,
};
use persistence::records::{Contact, Message};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageRecord {
    /// The id of the message.
    id: IdOf<id::Message>,
    /// The id of the conversation.
    conversation_id: IdOf<id::Conversation>,
    /// The id of the contact.
    contact_id: IdOf<id::Contact>,
    /// The contact as known now; in an event, as known when the event was recorded.
    #[schemars(with = "MessageContactData")]
    contact: Person,
    /// The id of the account (the business's number).
    account_id: IdOf<id::Account>,
    /// The direction of the message.
    #[schemars(with = "OneOf<Direction>")]
    direction: &'static str,
    /// The author of the message.
    #[schemars(with = "OneOf<MessageSource>")]
    source: &'static str,
    /// The type of the message. `order` and `unsupported` are only received; `channel` is only
    /// sent.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<MessageKind>")]
    kind: &'static str,
    /// The text of a text message. For a reaction, the emoji, which is empty if the reaction was
    /// removed.
    text: Option<String>,
    /// The file of a media message.
    #[schemars(with = "Option<MediaDocument>")]
    media: Option<Box<RawValue>>,
    /// The words of a voice message that a contact sent; omitted if it was not transcribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    /// The interactive message that was sent, or the contact's answer to one.
    #[schemars(with = "Option<InteractiveRecord>")]
    interactive: Option<Box<RawValue>>,
    /// The template and its parameters.
    #[schemars(with = "Option<TemplateDocument>")]
    template: Option<Box<RawValue>>,
    /// The location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PlaceRow>")]
    location: Option<Box<RawValue>>,
    /// The contact cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<ContactRow>>")]
    contacts: Option<Box<RawValue>>,
    /// The channel-specific body that was passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ChannelBody>")]
    channel: Option<Box<RawValue>>,
    /// The products that the contact ordered from a catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ReceivedOrderRow>")]
    order: Option<Box<RawValue>>,
    /// The message as the channel reported it, if this version does not support its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UnsupportedRow>")]
    unsupported: Option<Box<RawValue>>,
    /// The ad or post that led the contact to the business; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ReferralRow>")]
    referral: Option<Box<RawValue>>,
    /// The product that the contact asks about; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    referred_product: Option<ReferredProductRow>,
    /// Whether the contact forwarded the message; omitted if they did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    forwarded: Option<bool>,
    /// Whether the message has been forwarded many times; omitted if it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    frequently_forwarded: Option<bool>,
    /// When the sender last edited the message; omitted if they have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Instant>,
    /// The earlier versions of the message, the oldest first; omitted if it was not edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_versions: Option<Vec<VersionRecord>>,
    /// When the sender deleted the message; omitted if they have not. The content is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Instant>,
    /// The status of the message. An inbound message is `received`.
    #[schemars(with = "OneOf<MessageStatus>")]
    status: &'static str,
    /// The reason why the message failed.
    error: Option<DeliveryErrorRecord>,
    /// The `client_ref` of the request that sent the message.
    client_ref: Option<String>,
    /// The `metadata` of the request that sent the message.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    metadata: Option<Box<RawValue>>,
    /// The id of the message that this one replies to.
    reply_to: Option<IdOf<id::Message>>,
    /// When the message was accepted or received.
    created_at: Instant,
    /// When the channel accepted the message.
    sent_at: Option<Instant>,
    /// When the message reached the recipient's phone.
    delivered_at: Option<Instant>,
    /// When the recipient read the message.
    read_at: Option<Instant>,
}

/// An interactive message, or the contact's answer to one.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
#[schemars(rename = "InteractiveContent", transform = exactly_one)]
enum InteractiveRecord {
    Offered(Box<InteractiveWire>),
    Chosen(Box<InteractiveAnswerRow>),
}

/// The reason why a message failed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageError")]
struct DeliveryErrorRecord {
    /// The error code.
    #[schemars(with = "OneOf<Failure>")]
    code: &'static str,
    /// The channel's error message.
    message: String,
    /// The channel's error code; null if the channel was never reached.
    channel_code: Option<i64>,
}

/// Parses stored JSON of a message. JSON that cannot be parsed is logged as an error and replaced
/// by the default, so nothing of it is shown.
fn stored<T: Default + DeserializeOwned>(row: &Message, document: Option<&Document>) -> T {
    let Some(document) = document else { return T::default() };
    let read = serde_json::from_str(&document.0).inspect_err(|error| {
        tracing::error!(%error, message = %row.id, "the stored context of a message cannot be parsed");
    });
    read.ok().unwrap_or_default()
}

impl MessageRecord {
    /// Returns the record of a message with this contact.
    #[must_use]
    pub fn from_row(row: &Message, person: &Contact) -> Self {
        Self::from_row_with_contact(row, Person::from(person))
    }

    /// Returns the record of a message with this contact, which other records may share.
    #[must_use]
    pub fn from_row_with_contact(row: &Message, contact: Person) -> Self {
        let content = |kind| (row.kind == kind).then(|| raw(&row.content)).flatten();
        let (media, transcript) = match content(MessageKind::Media) {
            Some(media) => media_and_transcript(media),
            None => (None, None),
        };
        let revisions = RevisionsRecord::from_message(row);
        let came_with: ContextRow = stored(row, row.context.as_ref());
        Self {
            id: IdOf(row.id),
            conversation_id: IdOf(row.conversation_id),
            contact_id: IdOf(row.contact_id),
            contact,
            account_id: IdOf(row.account_id),
            direction: row.direction.as_str(),
            source: row.source.as_str(),
            kind: row.kind.as_str(),
            text: plain_text(row.kind, &row.content),
            media,
            transcript,
            interactive: content(MessageKind::Interactive),
            template: content(MessageKind::Template),
            location: content(MessageKind::Location),
            contacts: content(MessageKind::Contacts),
            channel: content(MessageKind::Channel),
            order: content(MessageKind::Order),
            unsupported: content(MessageKind::Unsupported),
            referral: came_with.referral,
            referred_product: came_with.referred_product,
            forwarded: came_with.forwarded,
            frequently_forwarded: came_with.frequently_forwarded,
            edited_at: revisions.edited_at,
            previous_versions: revisions.previous_versions,
            deleted_at: revisions.deleted_at,
            status: row.status.as_str(),
            error: row.failure.map(|failure| DeliveryErrorRecord {
                code: failure.as_str(),
                message: row.failure_message.clone().unwrap_or_default(),
                channel_code: row.failure_code,
            }),
            client_ref: row.client_ref.clone(),
            metadata: row.metadata.as_ref().and_then(raw),
            reply_to: row.reply_to.map(IdOf),
            created_at: Instant(row.created_at),
            sent_at: row.sent_at.map(Instant),
            delivered_at: row.delivered_at.map(Instant),
            read_at: row.read_at.map(Instant),
        }
    }

    /// Returns the message with the status and the times of `at`. The error is kept only if that
    /// status is `failed`.
    #[must_use]
    pub(crate) fn standing(self, at: &MessageProgress) -> Self {
        Self {
            status: at.status.as_str(),
            sent_at: at.sent_at.map(Instant),
            delivered_at: at.delivered_at.map(Instant),
            read_at: at.read_at.map(Instant),
            error: self.error.filter(|_| at.status == MessageStatus::Failed),
            ..self
        }
    }
}
