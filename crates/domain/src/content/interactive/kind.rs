//! The types of an interactive message, and what stands around the action of each.

use crate::keyword::keywords;

keywords! {
    /// The type of an interactive message.
    pub enum InteractiveType {
        /// Buttons that reply.
        Button = "button",
        /// A list behind a button.
        List = "list",
        /// A link.
        Link = "cta_url",
        /// A form of the channel's.
        Flow = "flow",
        /// A button that sends where the person is.
        LocationRequest = "location_request_message",
        /// A button that sends the person's number.
        ContactInfoRequest = "request_contact_info",
        /// A button that allows the business to call.
        CallPermissionRequest = "call_permission_request",
        /// A form for a postal address.
        Address = "address_message",
        /// The catalog.
        Catalog = "catalog_message",
        /// A product of the catalog.
        Product = "product",
        /// Several products of the catalog.
        ProductList = "product_list",
        /// Cards side by side.
        Carousel = "carousel",
        /// An order to be paid.
        OrderDetails = "order_details",
        /// What became of an order.
        OrderStatus = "order_status",
    }
}

/// What may stand above the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRule {
    /// A text or a file, or nothing.
    Optional,
    /// A text.
    Text,
    /// Nothing.
    Never,
}

impl InteractiveType {
    /// What may stand above the body.
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

    /// Whether small print may stand below the body.
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

    /// Whether it needs a body: a product speaks for itself.
    #[must_use]
    pub const fn needs_body(self) -> bool {
        !matches!(self, Self::Product)
    }

    /// The name of its action, where that has one.
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
