//! Template messages: the name of a template and its parameters.

use super::parameter::Parameter;
use crate::keyword::keywords;
use crate::template::{Language, TemplateName};
use crate::violation::{Fault, Field, Violations};

/// A template and its parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TemplateContent {
    pub name: TemplateName,
    pub language: Language,
    /// The parameters by component.
    pub components: Vec<ComponentParameters>,
    /// The parameters of the cards, if the template is a carousel.
    pub cards: Vec<CardParameters>,
}

/// The parameters of one card of a carousel.
#[derive(Clone, Debug, PartialEq)]
pub struct CardParameters {
    /// The position of the card, from 0.
    pub index: u8,
    pub components: Vec<ComponentParameters>,
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComponentParameters {
    pub place: ParameterPlace,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// The part of a template that a component gives parameters to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterPlace {
    Header,
    Body,
    /// The end of an offer.
    LimitedTimeOffer,
    OrderStatus,
    /// Titles for links, which replace the links' own titles.
    TapTargets,
    /// A button, with its index from 0.
    Button(ButtonKind, u8),
    /// The button that calls the business. Its component has no index.
    CallButton,
}

keywords! {
    /// The type of a button that takes a parameter.
    pub enum ButtonKind {
        /// Replies with a payload.
        QuickReply = "quick_reply",
        /// Opens a URL that ends with a variable.
        Url = "url",
        /// Copies a code.
        CopyCode = "copy_code",
        /// Opens a flow.
        Flow = "flow",
        /// Opens the catalog.
        Catalog = "catalog",
        /// Opens a list of products.
        MultiProduct = "mpm",
        /// Opens one product.
        SingleProduct = "spm",
        /// Calls the organization on the channel.
        VoiceCall = "voice_call",
        /// Starts a video call with the business on the channel.
        VideoCall = "video_call",
        /// Opens an order to pay.
        OrderDetails = "order_details",
        /// Asks for a payment.
        PaymentRequest = "payment_request",
        /// Reminds the recipient of something.
        Reminder = "reminder",
        /// Shows the status of a booking.
        BookingStatus = "booking_status",
        /// Calls a number by phone.
        PhoneNumber = "phone_number",
        /// Asks for the recipient's phone number.
        RequestContactInfo = "request_contact_info",
        /// Opens an app.
        App = "app",
        /// Returns a payload that only programs read.
        Postback = "postback",
    }
}

/// The components that take parameters, and the carousel. The carousel's cards have such
/// components.
pub const COMPONENTS: [&str; 7] = [
    "header",
    "body",
    "button",
    "limited_time_offer",
    "order_status",
    "tap_target_configuration",
    CAROUSEL,
];
/// The keyword of the component with the cards.
pub const CAROUSEL: &str = "carousel";
pub const MAX_BUTTON_INDEX: i64 = 9;
pub const MAX_CARD_INDEX: i64 = 9;

impl TemplateContent {
    /// Builds a template message from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(
        name: TemplateName,
        language: Language,
        components: Vec<ComponentParameters>,
        cards: Vec<CardParameters>,
    ) -> Self {
        Self { name, language, components, cards }
    }

    /// Builds a template message from its parsed parts.
    pub fn parse(
        name: Option<&str>,
        language: Option<&str>,
        components: Vec<ComponentParameters>,
        cards: Vec<CardParameters>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let name = TemplateName::parse(&Field::root("template_name"), name, faults);
        let language = Language::parse(&Field::root("language"), language, faults);
        refuse_repeated(&Field::root("components"), &components, faults);
        Some(Self { name: name?, language: language?, components, cards })
    }
}

/// Adds a fault for each component that occurs twice.
pub fn refuse_repeated(
    at: &Field<'_>,
    components: &[ComponentParameters],
    faults: &mut Violations,
) {
    for (index, component) in components.iter().enumerate() {
        let mut earlier = components.iter().take(index);
        if earlier.any(|other| other.place.is_same_component(component.place)) {
            faults.add(&at.index(index), Fault::Duplicate, "the same component is repeated");
        }
    }
}

impl ComponentParameters {
    #[must_use]
    pub const fn new(place: ParameterPlace, parameters: Vec<Parameter>) -> Self {
        Self { place, parameters }
    }
}

impl ParameterPlace {
    /// Whether both name the same component. Buttons are the same if they have the same index.
    const fn is_same_component(self, other: Self) -> bool {
        match (self, other) {
            (Self::Header, Self::Header)
            | (Self::Body, Self::Body)
            | (Self::LimitedTimeOffer, Self::LimitedTimeOffer)
            | (Self::OrderStatus, Self::OrderStatus)
            | (Self::TapTargets, Self::TapTargets)
            | (Self::CallButton, Self::CallButton | Self::Button(ButtonKind::VoiceCall, _))
            | (Self::Button(ButtonKind::VoiceCall, _), Self::CallButton) => true,
            (Self::Button(_, one), Self::Button(_, other)) => one == other,
            _ => false,
        }
    }

    /// Parses the `type`, `sub_type` and `index` of a component.
    pub fn parse(
        at: &Field<'_>,
        component: Option<&str>,
        sub_type: Option<&str>,
        index: Option<i64>,
        faults: &mut Violations,
    ) -> Option<Self> {
        match faults.require(&at.key("type"), component)? {
            "header" => Some(Self::Header),
            "body" => Some(Self::Body),
            "limited_time_offer" => Some(Self::LimitedTimeOffer),
            "order_status" => Some(Self::OrderStatus),
            "tap_target_configuration" => Some(Self::TapTargets),
            "button" => {
                let kind = faults
                    .require(&at.key("sub_type"), sub_type)
                    .and_then(|word| faults.word(&at.key("sub_type"), word));
                if (kind, index) == (Some(ButtonKind::VoiceCall), None) {
                    return Some(Self::CallButton);
                }
                let index = faults.require(&at.key("index"), index)?;
                if !(0..=MAX_BUTTON_INDEX).contains(&index) {
                    let message = format!("must be 0 to {MAX_BUTTON_INDEX}");
                    faults.add(&at.key("index"), Fault::OutOfRange, message);
                }
                Some(Self::Button(kind?, u8::try_from(index).ok()?))
            }
            _ => {
                let message = format!("must be one of {}", COMPONENTS.join(", "));
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}
