//! Inbound messages. A message is written by a contact, or by the organization on the account's
//! phone (`docs/contract.md#messages`). There are no bounds, because inbound messages cannot be
//! refused.

use crate::content::{ContactCard, MessageKind};
use crate::conversation::MessageSource;
use crate::location::Location;
use crate::media::MediaKind;
use crate::message::Direction;
use crate::time::Timestamp;

/// The author of a message, as the channel reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedAuthor {
    Contact,
    /// A person at the organization, on the account's phone.
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

/// The content of an inbound message.
#[derive(Clone, Debug, PartialEq)]
pub enum InboundContent {
    Text(String),
    /// A file that the channel holds.
    Media {
        kind: MediaKind,
        /// The channel's id of the file. Empty if the message is an edit of a caption and does not
        /// repeat the id.
        id: String,
        content_type: String,
        caption: Option<String>,
        filename: Option<String>,
        /// Whether audio is a voice message.
        voice: bool,
        /// Whether a sticker is animated.
        animated: bool,
    },
    /// A place on the map.
    Location {
        place: Location,
        /// The URL of the place's page.
        url: Option<String>,
    },
    /// Contact cards.
    Contacts(Vec<ContactCard>),
    /// A selection from a catalog.
    Order(ReceivedOrder),
    /// A tap on a button or on a row of a list that we sent.
    Choice {
        /// `button_reply` or `list_reply`.
        kind: String,
        /// The id that the sender gave the button or row.
        id: String,
        /// The label.
        title: String,
        /// The description of the row.
        description: Option<String>,
    },
    /// The answer to a form that we sent.
    FlowReply {
        /// The kind of the form, such as `flow` or `address_message`, if the channel names it.
        name: Option<String>,
        /// The part of the answer that the contact sees.
        body: Option<String>,
        /// The answer, as JSON.
        response: String,
    },
    /// The answer to a request for permission to call.
    CallPermissionReply {
        /// Whether the permission lasts until the contact withdraws it.
        accepted: bool,
        /// Whether the permission lasts until it is withdrawn.
        permanent: bool,
        /// The end of a permission that is not permanent.
        expires_at: Option<Timestamp>,
        /// Whether the contact gave the permission by calling, without a request.
        automatic: bool,
    },
    /// An emoji on another message. Empty if the reaction was removed.
    Reaction(String),
    /// A message that the channel's own agent sent. It is stored in the channel's format.
    Passthrough {
        /// The type of the body.
        kind: String,
        /// The body: a JSON object with the type, and the field that has the name of the type.
        body: String,
    },
    /// A message that this version does not understand, stored unchanged.
    Unsupported {
        /// The type, as the channel's keyword.
        kind: String,
        /// The whole message, as JSON.
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

/// An order: products that the contact selected from a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedOrder {
    pub catalog_id: String,
    /// The text that the contact wrote with the order.
    pub text: Option<String>,
    pub items: Vec<ReceivedItem>,
}

/// One product of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedItem {
    /// The product's id in the catalog.
    pub product_retailer_id: String,
    pub quantity: ReportedNumber,
    /// The price of one piece.
    pub item_price: ReportedNumber,
    /// The currency code (ISO 4217).
    pub currency: String,
}

/// A number as the channel writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReportedNumber {
    /// A number without a fraction.
    Whole(i64),
    /// Any other finite number.
    Fraction(f64),
}

/// The circumstances of an inbound message, which the channel reports with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboundContext {
    /// The ad or post from which the contact came: a JSON object.
    pub referral: Option<String>,
    /// The product that the message is about.
    pub referred_product: Option<ReferredProduct>,
    /// Whether the message was forwarded.
    pub forwarded: bool,
    /// Whether the message was forwarded many times.
    pub frequently_forwarded: bool,
}

/// A product of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferredProduct {
    pub catalog_id: String,
    /// The product's id in the catalog.
    pub product_retailer_id: String,
}
