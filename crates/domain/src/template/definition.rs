//! The structure of a template. It has the parts that matter for filling the template in.

use crate::keyword::keywords;
use crate::media::MediaKind;

/// A template's texts and the components that take parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    pub header: Option<HeaderPart>,
    pub body: BodyPart,
    pub footer: Option<FooterPart>,
    /// The offer, if the template has one.
    pub offer: Option<OfferPart>,
    /// At most ten buttons.
    pub buttons: Vec<TemplateButton>,
    /// The cards of a carousel, in order. Empty if the template is not a carousel.
    pub cards: Vec<CardPart>,
}

/// The header of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPart {
    /// A line with at most one variable.
    Text(String),
    /// A file. Each message provides its own.
    Media(MediaKind),
    /// An animation. Each message provides its own.
    Gif,
    /// A place on the map. Each message provides its own.
    Location,
    /// A product of the catalog. Each message names its own.
    Product,
    /// A format that this version does not know. The channel checks its parameters.
    Unknown,
}

/// The body of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// A text with its variables.
    Text(String),
    /// The channel's own sentence, with a one-time code.
    OneTimeCode {
        /// Whether the sentence warns against sharing the code.
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
    /// A line of text.
    Text(String),
    /// The channel's own sentence. It says that the code expires after this many minutes.
    CodeExpiration(u8),
}

/// A limited-time offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferPart {
    pub text: String,
    /// Whether each message contains the end of the offer.
    pub has_expiration: bool,
}

/// A card of a carousel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardPart {
    /// The picture, video or product.
    pub header: Option<HeaderPart>,
    /// The text. A product card has none.
    pub body: Option<String>,
    /// At most two buttons.
    pub buttons: Vec<TemplateButton>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateButton {
    /// The type, or nothing if this version does not know it.
    pub kind: Option<ButtonType>,
    /// The label.
    pub text: String,
    /// The URL, which may end with a variable.
    pub url: Option<String>,
}

keywords! {
    /// The type of a template's button. The keywords are Meta's.
    pub enum ButtonType {
        /// Replies with a payload.
        QuickReply = "QUICK_REPLY",
        /// Opens a URL.
        Url = "URL",
        /// Calls a phone number.
        PhoneNumber = "PHONE_NUMBER",
        /// Copies an offer code.
        CopyCode = "COPY_CODE",
        /// Copies or fills in a one-time code.
        OneTimeCode = "OTP",
        /// Opens a flow.
        Flow = "FLOW",
        /// Opens the catalog.
        Catalog = "CATALOG",
        /// Opens a list of products.
        MultiProduct = "MPM",
        /// Opens one product.
        SingleProduct = "SPM",
        /// Calls the organization on the channel.
        VoiceCall = "VOICE_CALL",
        /// Asks for permission to call.
        CallPermissionRequest = "CALL_PERMISSION_REQUEST",
        /// Asks for the contact's phone number.
        RequestContactInfo = "REQUEST_CONTACT_INFO",
    }
}

keywords! {
    /// How a one-time code gets into the app that needs it. The keywords are Meta's.
    pub enum OneTimeCodeType {
        /// The user copies the code.
        CopyCode = "COPY_CODE",
        /// The user taps a button, which fills in the code.
        OneTap = "ONE_TAP",
        /// The code is filled in without a tap.
        ZeroTap = "ZERO_TAP",
    }
}

keywords! {
    /// The type of a template's component. The keywords are Meta's.
    pub enum ComponentType {
        Header = "HEADER",
        Body = "BODY",
        Footer = "FOOTER",
        Buttons = "BUTTONS",
        /// Cards side by side.
        Carousel = "CAROUSEL",
        /// A limited-time offer.
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
    /// Returns the header of a template for this format, or nothing for the format text.
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
