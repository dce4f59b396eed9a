//! The types of interactive messages, and the header, body and footer that each allows.

use crate::keyword::keywords;

keywords! {
    /// The type of an interactive message.
    pub enum InteractiveType {
        /// A message with reply buttons.
        Button = "button",
        /// A message with a button that opens a list.
        List = "list",
        /// A message with a button that opens a link.
        Link = "cta_url",
        /// A message with a button that opens a flow, which is a form on the channel.
        Flow = "flow",
        /// A message with a button with which the contact sends a location.
        LocationRequest = "location_request_message",
        /// A message with a button with which the contact sends a phone number.
        ContactInfoRequest = "request_contact_info",
        /// A message with a button with which the contact allows the organization to call.
        CallPermissionRequest = "call_permission_request",
        Address = "address_message",
        Catalog = "catalog_message",
        /// A message with a product of a catalog.
        Product = "product",
        /// A message with several products of a catalog.
        ProductList = "product_list",
        /// A message with a carousel: cards side by side.
        Carousel = "carousel",
        /// A message with an order that the contact can pay.
        OrderDetails = "order_details",
        OrderStatus = "order_status",
    }
}

/// The headers that messages of one type can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRule {
    /// The header is a text or a file. The header may also be missing.
    Optional,
    /// The header is a text, and is required.
    Text,
    /// A header is not allowed.
    Never,
}

impl InteractiveType {
    /// Returns the headers that messages of this type can have.
    #[must_use]
    pub const fn header(self) -> HeaderRule {
        match self {
            Self::Button
            | Self::List
            | Self::Link
            | Self::Flow
            | Self::Address
            | Self::OrderDetails => HeaderRule::Optional,
            Self::ProductList => HeaderRule::Text,
            Self::LocationRequest
            | Self::ContactInfoRequest
            | Self::CallPermissionRequest
            | Self::Catalog
            | Self::Product
            | Self::Carousel
            | Self::OrderStatus => HeaderRule::Never,
        }
    }

    /// Whether messages of this type can have a footer.
    #[must_use]
    pub const fn takes_footer(self) -> bool {
        !matches!(
            self,
            Self::LocationRequest
                | Self::ContactInfoRequest
                | Self::CallPermissionRequest
                | Self::Carousel
        )
    }

    /// Whether messages of this type must have a body. Only product messages need none.
    #[must_use]
    pub const fn needs_body(self) -> bool {
        !matches!(self, Self::Product)
    }

    /// Returns the value of `action.name` in Meta's format, or `None` for a type without that
    /// field.
    #[must_use]
    pub const fn action_name(self) -> Option<&'static str> {
        match self {
            Self::Button | Self::List | Self::Product | Self::ProductList | Self::Carousel => None,
            Self::Link => Some("cta_url"),
            Self::Flow => Some("flow"),
            Self::LocationRequest => Some("send_location"),
            Self::ContactInfoRequest => Some("request_contact_info"),
            Self::CallPermissionRequest => Some("call_permission_request"),
            Self::Address => Some("address_message"),
            Self::Catalog => Some("catalog_message"),
            Self::OrderDetails => Some("review_and_pay"),
            Self::OrderStatus => Some("review_order"),
        }
    }
}
