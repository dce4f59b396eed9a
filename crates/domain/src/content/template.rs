//! Template messages: the name of a template, and the parameters that are filled in.

use super::parameter::Parameter;
use crate::keyword::keywords;
use crate::template::{Language, TemplateName};
use crate::violation::{Fault, Field, Violations};

/// A template with the parameters that are filled in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TemplateContent {
    pub name: TemplateName,
    pub language: Language,
    /// The parameters, grouped by the component of the template that takes them.
    pub components: Vec<ComponentParameters>,
    /// The parameters of the carousel's cards. Empty if the template has no carousel.
    pub cards: Vec<CardParameters>,
}

/// The parameters of one card of a carousel.
#[derive(Clone, Debug, PartialEq)]
pub struct CardParameters {
    /// The position of the card in the carousel, starting at 0.
    pub index: u8,
    pub components: Vec<ComponentParameters>,
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComponentParameters {
    pub place: ParameterPlace,
    /// The parameters of the component, in the order of the variables.
    pub parameters: Vec<Parameter>,
}

/// The component of a template that takes parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterPlace {
    Header,
    Body,
    /// The end of a limited-time offer.
    LimitedTimeOffer,
    OrderStatus,
    /// The titles of links in the message, which replace the links' own titles.
    TapTargets,
    /// A button, with its type and its index. The first button of the template has index 0.
    Button(ButtonKind, u8),
    /// The button that calls the organization, given without an index.
    CallButton,
}

keywords! {
    /// The type of a button in the parameters of a message. The keywords are Meta's.
    pub enum ButtonKind {
        /// The button sends back a payload.
        QuickReply = "quick_reply",
        /// The button opens a URL that ends with a variable.
        Url = "url",
        /// The button copies a code.
        CopyCode = "copy_code",
        /// The button opens a flow.
        Flow = "flow",
        /// The button opens the catalog.
        Catalog = "catalog",
        /// The button opens a list of products.
        MultiProduct = "mpm",
        /// The button opens one product.
        SingleProduct = "spm",
        /// The button calls the organization on the channel.
        VoiceCall = "voice_call",
        /// The button starts a video call with the organization on the channel.
        VideoCall = "video_call",
        /// The button opens an order to pay.
        OrderDetails = "order_details",
        /// The button asks the recipient for a payment.
        PaymentRequest = "payment_request",
        /// The button reminds the recipient of something.
        Reminder = "reminder",
        /// The button shows the status of a booking.
        BookingStatus = "booking_status",
        /// The button calls a number by phone.
        PhoneNumber = "phone_number",
        /// The button asks for the recipient's phone number.
        RequestContactInfo = "request_contact_info",
        /// The button opens an app.
        App = "app",
        /// The button sends back a payload that only programs read.
        Postback = "postback",
    }
}

/// The keywords of the components that take parameters, and of the carousel. The carousel's cards
/// have such components.
pub const COMPONENTS: [&str; 7] = [
    "header",
    "body",
    "button",
    "limited_time_offer",
    "order_status",
    "tap_target_configuration",
    CAROUSEL,
];
/// The keyword of the component that contains the cards of a carousel.
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

/// Adds a fault for each component that the message contains twice.
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
    /// Whether both are the same component of the template. Two buttons are the same if they have
    /// the same index.
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

    /// Parses the fields `type`, `sub_type` and `index` of a component.
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
