//! The definition of a template: those parts of it that are needed to fill the template in.

use crate::keyword::keywords;
use crate::media::MediaKind;

/// The texts of a template, and the components of it that take parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    pub header: Option<HeaderPart>,
    pub body: BodyPart,
    pub footer: Option<FooterPart>,
    /// The limited-time offer, if the template has one.
    pub offer: Option<OfferPart>,
    /// The buttons: at most ten.
    pub buttons: Vec<TemplateButton>,
    /// The cards of the carousel, in their order. Empty if the template has no carousel.
    pub cards: Vec<CardPart>,
}

/// The header of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPart {
    /// A text in one line, with at most one variable.
    Text(String),
    /// A file of this kind, which each message provides.
    Media(MediaKind),
    /// An animated picture, which each message provides.
    Gif,
    /// A place on a map, which each message provides.
    Location,
    /// A product of the catalog, which each message names.
    Product,
    /// A format that this version of Switchboard does not know. The channel checks the parameters
    /// for it.
    Unknown,
}

/// The body of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// A text, which may have variables.
    Text(String),
    /// The channel's own sentence that contains a one-time code.
    OneTimeCode {
        /// Whether the channel adds a sentence that warns against sharing the code.
        with_recommendation: bool,
    },
}

impl Default for BodyPart {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// The footer of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FooterPart {
    /// A text in one line, without variables.
    Text(String),
    /// The channel's own sentence, which says that the one-time code expires after this many
    /// minutes.
    CodeExpiration(u8),
}

/// The limited-time offer of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferPart {
    pub text: String,
    /// Whether each message must contain the time at which the offer ends.
    pub has_expiration: bool,
}

/// A card of a carousel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardPart {
    /// The picture, video or product at the top of the card.
    pub header: Option<HeaderPart>,
    /// The text of the card. A product card has none.
    pub body: Option<String>,
    /// The buttons of the card: at most two.
    pub buttons: Vec<TemplateButton>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateButton {
    /// The type of the button, or `None` for a type that this version of Switchboard does not know.
    pub kind: Option<ButtonType>,
    /// The label of the button.
    pub text: String,
    /// The URL that the button opens. It may end with a variable.
    pub url: Option<String>,
}

keywords! {
    /// The type of a button in a template. The keywords are Meta's.
    pub enum ButtonType {
        /// The button sends back a payload.
        QuickReply = "QUICK_REPLY",
        /// The button opens a URL.
        Url = "URL",
        /// The button calls a phone number.
        PhoneNumber = "PHONE_NUMBER",
        /// The button copies an offer code.
        CopyCode = "COPY_CODE",
        /// The button copies a one-time code, or fills it in.
        OneTimeCode = "OTP",
        /// The button opens a flow.
        Flow = "FLOW",
        /// The button opens the catalog.
        Catalog = "CATALOG",
        /// The button opens a list of products.
        MultiProduct = "MPM",
        /// The button opens one product.
        SingleProduct = "SPM",
        /// The button calls the organization on the channel.
        VoiceCall = "VOICE_CALL",
        /// The button asks for permission to call the contact.
        CallPermissionRequest = "CALL_PERMISSION_REQUEST",
        /// The button asks for the contact's phone number.
        RequestContactInfo = "REQUEST_CONTACT_INFO",
    }
}

keywords! {
    /// The way in which a one-time code gets into the app that needs it. The keywords are Meta's.
    pub enum OneTimeCodeType {
        /// The contact copies the code.
        CopyCode = "COPY_CODE",
        /// The contact taps a button, which fills the code in.
        OneTap = "ONE_TAP",
        /// The code is filled in without a tap.
        ZeroTap = "ZERO_TAP",
    }
}

keywords! {
    /// The type of a component of a template. The keywords are Meta's.
    pub enum ComponentType {
        Header = "HEADER",
        Body = "BODY",
        Footer = "FOOTER",
        Buttons = "BUTTONS",
        /// A carousel: cards side by side.
        Carousel = "CAROUSEL",
        /// A limited-time offer, such as a discount.
        LimitedTimeOffer = "LIMITED_TIME_OFFER",
    }
}

keywords! {
    /// The format of a header. The keywords are Meta's.
    pub enum HeaderFormat {
        Text = "TEXT",
        Image = "IMAGE",
        Video = "VIDEO",
        Gif = "GIF",
        Document = "DOCUMENT",
        Location = "LOCATION",
        /// A product of the catalog.
        Product = "PRODUCT",
    }
}

impl HeaderFormat {
    /// Returns the header of a template in this format. Returns `None` for the format `TEXT`,
    /// because such a header needs its text.
    #[must_use]
    pub const fn without_text(self) -> Option<HeaderPart> {
        match self {
            Self::Text => None,
            Self::Image => Some(HeaderPart::Media(MediaKind::Image)),
            Self::Video => Some(HeaderPart::Media(MediaKind::Video)),
            Self::Gif => Some(HeaderPart::Gif),
            Self::Document => Some(HeaderPart::Media(MediaKind::Document)),
            Self::Location => Some(HeaderPart::Location),
            Self::Product => Some(HeaderPart::Product),
        }
    }
}
