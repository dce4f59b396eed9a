//! What a template is made of, as far as filling it in needs to know.

use crate::keyword::keywords;
use crate::media::MediaKind;

/// A template's text and its places for parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// Above the body.
    pub header: Option<HeaderPart>,
    /// The text.
    pub body: BodyPart,
    /// Below the body.
    pub footer: Option<FooterPart>,
    /// The offer, of a template that has one.
    pub offer: Option<OfferPart>,
    /// At most ten.
    pub buttons: Vec<TemplateButton>,
    /// The cards of a carousel, in order; none of a template without one.
    pub cards: Vec<CardPart>,
}

/// What stands above the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPart {
    /// A line with at most one variable.
    Text(String),
    /// A file that each message brings.
    Media(MediaKind),
    /// An animation that each message brings.
    Gif,
    /// A place on the map that each message brings.
    Location,
    /// A product of the catalog that each message names.
    Product,
    /// Of a format that this version does not know: the channel judges what fills it in.
    Unknown,
}

/// The text of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// A text with its variables.
    Text(String),
    /// The channel's own sentence around a one-time code.
    OneTimeCode {
        /// Whether it warns against sharing the code.
        with_recommendation: bool,
    },
}

impl Default for BodyPart {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// What stands below the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FooterPart {
    /// A line.
    Text(String),
    /// The channel's own sentence that the code expires after so many minutes.
    CodeExpiration(u8),
}

/// A limited-time offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferPart {
    /// What is offered.
    pub text: String,
    /// Whether each message says when it ends.
    pub has_expiration: bool,
}

/// A card of a carousel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardPart {
    /// Its picture, video or product.
    pub header: Option<HeaderPart>,
    /// Its text, which a product card has not.
    pub body: Option<String>,
    /// At most two.
    pub buttons: Vec<TemplateButton>,
}

/// A button of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateButton {
    /// What it does; nothing where this version does not know its type.
    pub kind: Option<ButtonType>,
    /// What it says.
    pub text: String,
    /// The address it opens, which may end with a variable.
    pub url: Option<String>,
}

keywords! {
    /// What a button of a template does. The words are Meta's.
    pub enum ButtonType {
        /// Replies with a payload.
        QuickReply = "QUICK_REPLY",
        /// Opens an address.
        Url = "URL",
        /// Calls a number by phone.
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
        /// Calls the business on the channel.
        VoiceCall = "VOICE_CALL",
        /// Asks whether the business may call.
        CallPermissionRequest = "CALL_PERMISSION_REQUEST",
        /// Asks for the person's phone number.
        RequestContactInfo = "REQUEST_CONTACT_INFO",
    }
}

keywords! {
    /// How a one-time code reaches the application that wants it. The words are Meta's.
    pub enum OneTimeCodeType {
        /// The person copies it.
        CopyCode = "COPY_CODE",
        /// A tap fills it in.
        OneTap = "ONE_TAP",
        /// It is filled in without a tap.
        ZeroTap = "ZERO_TAP",
    }
}

keywords! {
    /// The components of a template. The words are Meta's.
    pub enum ComponentType {
        /// Above the body.
        Header = "HEADER",
        /// The text.
        Body = "BODY",
        /// Below the body.
        Footer = "FOOTER",
        /// The buttons.
        Buttons = "BUTTONS",
        /// Cards side by side.
        Carousel = "CAROUSEL",
        /// An offer that ends.
        LimitedTimeOffer = "LIMITED_TIME_OFFER",
    }
}

keywords! {
    /// What a header is. The words are Meta's.
    pub enum HeaderFormat {
        /// A line of text.
        Text = "TEXT",
        /// A picture.
        Image = "IMAGE",
        /// A video.
        Video = "VIDEO",
        /// An animation.
        Gif = "GIF",
        /// A file.
        Document = "DOCUMENT",
        /// A place on the map.
        Location = "LOCATION",
        /// A product of the catalog.
        Product = "PRODUCT",
    }
}

impl HeaderFormat {
    /// The header of this format, where it is no text.
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
