//! A message as history shows it (`docs/contract.md#messages`).

use crate::contact::{Person, PersonRecord};
use crate::content::{
    ChoiceDocument, MediaDocument, TemplateDocument, UnsupportedDocument, raw, text_of,
};
use crate::interactive::InteractiveWire;
use crate::received::{
    ContextDocument, LocationDocument, OrderDocument, ProductDocument, ReferralDocument,
};
use crate::revisions::{RevisionsRecord, VersionRecord};
use crate::schema::{ChannelBody, IdOf, Instant, OneOf, exactly_one};
use domain::content::MessageKind;
use domain::conversation::Source;
use domain::id;
use domain::keyword::Keyword;
use domain::message::{Direction, Failure, Progress, Status};
use persistence::Document;
use persistence::content::ContactRow;
use persistence::records::{Contact, Message};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageRecord {
    /// Its id.
    id: IdOf<id::Message>,
    /// Its conversation.
    conversation_id: IdOf<id::Conversation>,
    /// The person.
    contact_id: IdOf<id::Contact>,
    /// The person as they are known; in an event, as they were known then.
    #[schemars(with = "PersonRecord")]
    contact: Person,
    /// The number of the business.
    account_id: IdOf<id::Account>,
    /// Which way it went.
    #[schemars(with = "OneOf<Direction>")]
    direction: &'static str,
    /// Who wrote it.
    #[schemars(with = "OneOf<Source>")]
    source: &'static str,
    /// What it is; `order` and `unsupported` come from people only, and `channel` is only sent.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<MessageKind>")]
    kind: &'static str,
    /// What it says, of a text; the emoji, of a reaction: empty when it was taken back.
    text: Option<String>,
    /// The file, of a media message.
    #[schemars(with = "Option<MediaDocument>")]
    media: Option<Box<RawValue>>,
    /// What was offered, or the answer to it.
    #[schemars(with = "Option<InteractiveRecord>")]
    interactive: Option<Box<RawValue>>,
    /// The template with its parameters.
    #[schemars(with = "Option<TemplateDocument>")]
    template: Option<Box<RawValue>>,
    /// The place on the map, of a location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LocationDocument>")]
    location: Option<Box<RawValue>>,
    /// The contact cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<ContactRow>>")]
    contacts: Option<Box<RawValue>>,
    /// The body of the channel's own that was passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ChannelBody>")]
    channel: Option<Box<RawValue>>,
    /// What the person chose of a catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OrderDocument>")]
    order: Option<Box<RawValue>>,
    /// What the channel told, of a message of a type that is not understood here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UnsupportedDocument>")]
    unsupported: Option<Box<RawValue>>,
    /// The ad or post that led the person here; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ReferralDocument>")]
    referral: Option<Box<RawValue>>,
    /// The product that the person asks about; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    referred_product: Option<ProductDocument>,
    /// Whether the person forwarded it; left out where they did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    forwarded: Option<bool>,
    /// Whether it was forwarded many times; left out where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    frequently_forwarded: Option<bool>,
    /// When its sender last edited it; left out where they did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Instant>,
    /// What it said before it was changed, the first version first; left out where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_versions: Option<Vec<VersionRecord>>,
    /// When its sender deleted it; left out where they did not. What it said is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Instant>,
    /// Its status; an inbound one is `received`.
    #[schemars(with = "OneOf<Status>")]
    status: &'static str,
    /// Why it failed.
    error: Option<DeliveryErrorRecord>,
    /// The sender's own name for it.
    client_ref: Option<String>,
    /// The sender's own notes on it.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    metadata: Option<Box<RawValue>>,
    /// The message it answers.
    reply_to: Option<IdOf<id::Message>>,
    /// When it was accepted, or came in.
    created_at: Instant,
    /// Since when the channel has it.
    sent_at: Option<Instant>,
    /// Since when the person's phone has it.
    delivered_at: Option<Instant>,
    /// Since when the person has seen it.
    read_at: Option<Instant>,
}

/// Either what was offered or what was tapped.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it stands for its schema")]
#[schemars(rename = "InteractiveContent", transform = exactly_one)]
enum InteractiveRecord {
    Offered(Box<InteractiveWire>),
    Chosen(Box<ChoiceDocument>),
}

/// Why a message failed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryError")]
struct DeliveryErrorRecord {
    /// Our word for it.
    #[schemars(with = "OneOf<Failure>")]
    code: &'static str,
    /// The channel's sentence.
    message: String,
    /// The channel's number; null where the channel was never reached.
    channel_code: Option<i64>,
}

/// JSON that we wrote about a message; should it be unreadable, nothing of it is shown.
fn stored<T: Default + DeserializeOwned>(row: &Message, document: Option<&Document>) -> T {
    let Some(document) = document else { return T::default() };
    let read = serde_json::from_str(&document.0).inspect_err(|error| {
        tracing::error!(%error, message = %row.id, "what is stored of a message cannot be read");
    });
    read.ok().unwrap_or_default()
}

impl MessageRecord {
    /// The message with this person.
    #[must_use]
    pub fn of(row: &Message, person: &Contact) -> Self {
        Self::with(row, Person::Now(Arc::new(PersonRecord::from(person))))
    }

    /// The message with this person, whom other messages may be with too.
    #[must_use]
    pub fn with(row: &Message, contact: Person) -> Self {
        let content = |kind| (row.kind == kind).then(|| raw(&row.content)).flatten();
        let revisions = RevisionsRecord::of(row);
        let came_with: ContextDocument = stored(row, row.context.as_ref());
        Self {
            id: IdOf(row.id),
            conversation_id: IdOf(row.conversation_id),
            contact_id: IdOf(row.contact_id),
            contact,
            account_id: IdOf(row.account_id),
            direction: row.direction.as_str(),
            source: row.source.as_str(),
            kind: row.kind.as_str(),
            text: text_of(row.kind, &row.content),
            media: content(MessageKind::Media),
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

    /// The same where it stood: a failure is shown only of one that has failed.
    #[must_use]
    pub(crate) fn standing(self, at: &Progress) -> Self {
        Self {
            status: at.status.as_str(),
            sent_at: at.sent_at.map(Instant),
            delivered_at: at.delivered_at.map(Instant),
            read_at: at.read_at.map(Instant),
            error: self.error.filter(|_| at.status == Status::Failed),
            ..self
        }
    }
}
