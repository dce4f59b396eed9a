//! The types of interactive messages, and the header, body and footer that each allows.

use crate::keyword::keywords;

keywords! {
    /// The type of an interactive message.
    pub enum InteractiveType {
        /// Reply buttons.
        Button = "button",
        /// A list that a button opens.
        List = "list",
        /// A button that opens a link.
        Link = "cta_url",
        /// A form on the channel.
        Flow = "flow",
        /// A button with which the contact sends a location.
        LocationRequest = "location_request_message",
        /// A button with which the contact sends a phone number.
        ContactInfoRequest = "request_contact_info",
        /// A button with which the contact allows the organization to call.
        CallPermissionRequest = "call_permission_request",
        Address = "address_message",
        Catalog = "catalog_message",
        /// A product of a catalog.
        Product = "product",
        /// Several products of a catalog.
        ProductList = "product_list",
        /// A carousel: cards side by side.
        Carousel = "carousel",
        /// An order to pay.
        OrderDetails = "order_details",
        OrderStatus = "order_status",
    }
}

/// The headers that a message type allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRule {
    /// A text, a file or no header.
    Optional,
    /// A text, which is required.
    Text,
    /// No header.
    Never,
}

impl InteractiveType {
    /// Returns the headers that this type allows.
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

    /// Whether messages of this type must have a body. A product needs none.
    #[must_use]
    pub const fn needs_body(self) -> bool {
        !matches!(self, Self::Product)
    }

    /// Returns the value of `action.name` in Meta's format. Some types have none.
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
