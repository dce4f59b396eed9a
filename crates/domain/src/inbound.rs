//! Inbound messages, and other messages that the channel reports. Their author is a contact, the
//! organization on the account's phone, or the channel's own agent (`docs/contract.md#messages`).
//! Their content has no bounds, because a reported message cannot be refused.

use crate::content::{ContactCard, MessageKind};
use crate::conversation::MessageSource;
use crate::location::Location;
use crate::media::MediaKind;
use crate::message::Direction;
use crate::time::Timestamp;

/// The author of a message that the channel reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedAuthor {
    Contact,
    /// A person at the organization, who wrote on the account's phone.
    Phone,
    /// The channel's own agent, which answers for the organization.
    ChannelAgent,
}

impl ReportedAuthor {
    #[must_use]
    pub const fn direction(self) -> Direction {
        match self {
            Self::Contact => Direction::Inbound,
            Self::Phone | Self::ChannelAgent => Direction::Outbound,
        }
    }

    #[must_use]
    pub const fn source(self) -> MessageSource {
        match self {
            Self::Contact => MessageSource::Customer,
            Self::Phone => MessageSource::Phone,
            Self::ChannelAgent => MessageSource::Agent,
        }
    }
}

/// The content of a message that the channel reports.
#[derive(Clone, Debug, PartialEq)]
pub enum InboundContent {
    Text(String),
    /// A file that is stored at the channel.
    Media {
        kind: MediaKind,
        /// The channel's id of the file. Empty if the message is an edited caption, and the channel
        /// did not repeat the id.
        id: String,
        content_type: String,
        caption: Option<String>,
        filename: Option<String>,
        /// Whether an audio file is a voice message.
        voice: bool,
        /// Whether a sticker is animated.
        animated: bool,
    },
    /// A place on a map.
    Location {
        place: Location,
        /// The URL of a web page about the place.
        url: Option<String>,
    },
    /// One or several contact cards.
    Contacts(Vec<ContactCard>),
    /// An order: products that the contact selected from a catalog.
    Order(ReceivedOrder),
    /// A tap on a button, or on a row of a list, in a message that the organization sent.
    Choice {
        /// The kind of the tap: `button_reply` or `list_reply`.
        kind: String,
        /// The id that the organization gave the button or the row when it sent the message.
        id: String,
        /// The label of the button, or the title of the row.
        title: String,
        /// The description of the row. A button has none.
        description: Option<String>,
    },
    /// The answer to a form in a message that the organization sent.
    FlowReply {
        /// The kind of the form, such as `flow` or `address_message`, if the channel reports the
        /// kind.
        name: Option<String>,
        /// The text of the answer that the contact sees.
        body: Option<String>,
        /// The fields of the answer, as JSON.
        response: String,
    },
    /// The contact's answer to a request for permission to call.
    CallPermissionReply {
        /// Whether the contact gave the permission.
        accepted: bool,
        /// Whether the permission has no end, and lasts until the contact withdraws it.
        permanent: bool,
        /// The end of the permission, if the permission is not permanent.
        expires_at: Option<Timestamp>,
        /// Whether the contact gave the permission by calling, without a request.
        automatic: bool,
    },
    /// An emoji as a reaction to another message. The text is empty if the reaction was removed.
    Reaction(String),
    /// A message that the channel's own agent sent, in the channel's format.
    Passthrough {
        /// The keyword of the message's type.
        kind: String,
        /// The body of the message: a JSON object with the field `type`, and the field that is
        /// named like the type.
        body: String,
    },
    /// A message of a type that this version of Switchboard does not understand. It is stored as it
    /// was received.
    Unsupported {
        /// The keyword of the message's type, as the channel writes it.
        kind: String,
        /// The whole message as the channel sent it, as JSON.
        payload: String,
    },
}

impl InboundContent {
    #[must_use]
    pub const fn kind(&self) -> MessageKind {
        match self {
            Self::Text(_) => MessageKind::Text,
            Self::Media { .. } => MessageKind::Media,
            Self::Location { .. } => MessageKind::Location,
            Self::Contacts(_) => MessageKind::Contacts,
            Self::Order(_) => MessageKind::Order,
            Self::Choice { .. } | Self::FlowReply { .. } | Self::CallPermissionReply { .. } => {
                MessageKind::Interactive
            }
            Self::Reaction(_) => MessageKind::Reaction,
            Self::Passthrough { .. } => MessageKind::Channel,
            Self::Unsupported { .. } => MessageKind::Unsupported,
        }
    }
}

/// An order: products that a contact selected from a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedOrder {
    pub catalog_id: String,
    /// The text that the contact wrote with the order.
    pub text: Option<String>,
    pub items: Vec<ReceivedItem>,
}

/// One product in an order.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedItem {
    /// The id of the product in the catalog.
    pub product_retailer_id: String,
    pub quantity: ReportedNumber,
    /// The price of one piece of the product.
    pub item_price: ReportedNumber,
    /// The currency code (ISO 4217).
    pub currency: String,
}

/// A number as the channel writes it in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReportedNumber {
    /// An integer.
    Whole(i64),
    /// Any other finite number.
    Fraction(f64),
}

/// Data that the channel reports about the origin of an inbound message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboundContext {
    /// The ad or the post from which the contact started the conversation: a JSON object.
    pub referral: Option<String>,
    /// The catalog product to which the message refers, if it refers to one.
    pub referred_product: Option<ReferredProduct>,
    /// Whether the contact forwarded the message from another conversation.
    pub forwarded: bool,
    /// Whether the message has been forwarded many times.
    pub frequently_forwarded: bool,
}

/// A product of a catalog to which a message refers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferredProduct {
    pub catalog_id: String,
    /// The id of the product in the catalog.
    pub product_retailer_id: String,
}
