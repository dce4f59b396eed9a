//! What the channel brings: what a person wrote, or somebody at the business from the phone
//! (`docs/contract.md#messages`). Nothing of it is bounded, for it is not ours to refuse.

use crate::content::{ContactCard, MessageKind};
use crate::location::Location;
use crate::media::MediaKind;
use crate::time::Timestamp;

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub enum InboundContent {
    /// Words.
    Text(String),
    /// A file that the network holds.
    Media {
        /// What it is.
        kind: MediaKind,
        /// The network's id of the file; empty where a change of the words below it does not name it again.
        id: String,
        /// Its type.
        content_type: String,
        /// The words below it.
        caption: Option<String>,
        /// Its name.
        filename: Option<String>,
        /// Whether sound is a voice message.
        voice: bool,
        /// Whether a sticker moves.
        animated: bool,
    },
    /// A place on the map.
    Location {
        /// The place.
        place: Location,
        /// The address of its page.
        url: Option<String>,
    },
    /// Contact cards.
    Contacts(Vec<ContactCard>),
    /// What a person chose of a catalog.
    Order(ReceivedOrder),
    /// A tap on a button or a row of ours.
    Choice {
        /// `button_reply` or `list_reply`.
        kind: String,
        /// The id that we gave it.
        id: String,
        /// What it said.
        title: String,
        /// What stood below that.
        description: Option<String>,
    },
    /// A form of ours that was filled in.
    FlowReply {
        /// The kind of form, such as `flow` or `address_message`; null where the channel does not say.
        name: Option<String>,
        /// What the person sees of the answer.
        body: Option<String>,
        /// The answer: JSON.
        response: String,
    },
    /// Whether the business may call.
    CallPermissionReply {
        /// Whether it may.
        accepted: bool,
        /// Whether it may until that is taken back.
        permanent: bool,
        /// Until when it may, otherwise.
        expires_at: Option<Timestamp>,
        /// Whether the person was not asked: it follows from a call of theirs.
        automatic: bool,
    },
    /// An emoji on the message that it answers; empty when it was taken back.
    Reaction(String),
    /// Something that is not understood here, and kept as it came.
    Unsupported {
        /// The network's word for it.
        kind: String,
        /// The whole message, as JSON.
        payload: String,
    },
}

impl InboundContent {
    /// Its type.
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
            Self::Unsupported { .. } => MessageKind::Unsupported,
        }
    }
}

/// What a person chose of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedOrder {
    /// The catalog.
    pub catalog_id: String,
    /// What the person wrote with it.
    pub text: Option<String>,
    /// The products.
    pub items: Vec<ReceivedItem>,
}

/// What a person chose of a product.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedItem {
    /// The product's id in the catalog.
    pub product_retailer_id: String,
    /// How many.
    pub quantity: f64,
    /// What one costs.
    pub item_price: f64,
    /// ISO 4217.
    pub currency: String,
}

/// What a message comes from, or with which it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboundContext {
    /// The ad or post that led the person here: a JSON object.
    pub referral: Option<String>,
    /// The product that it is about.
    pub referred_product: Option<ReferredProduct>,
    /// Whether it was forwarded.
    pub forwarded: bool,
    /// Whether it was forwarded many times.
    pub frequently_forwarded: bool,
}

/// A product of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferredProduct {
    /// The catalog.
    pub catalog_id: String,
    /// The product's id in it.
    pub product_retailer_id: String,
}
