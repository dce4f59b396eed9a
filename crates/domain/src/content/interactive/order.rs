//! Interactive messages with an order to pay, or with the status of an order.

use super::parse_address;
use crate::content::order_reference::order_reference;
use crate::content::parameter::MAX_REFERENCE_LENGTH;
use crate::keyword::keywords;
use crate::media::WebAddress;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the name of an item, and in the description of a charge.
pub const MAX_ITEM_NAME_LENGTH: usize = 60;
/// Maximum number of characters in the description of an order's status.
pub const MAX_ORDER_DESCRIPTION_LENGTH: usize = 120;
pub const MAX_ITEMS: usize = 999;
/// The factor between an amount of money and the whole number that stands for it: 100 for cents.
pub const OFFSET: i64 = 100;

keywords! {
    /// The kind of goods in an order.
    pub enum GoodsType {
        /// Goods that are not shipped.
        Digital = "digital-goods",
        /// Goods that are shipped.
        Physical = "physical-goods",
    }
}

keywords! {
    pub enum OrderState {
        /// The order awaits payment.
        Pending = "pending",
        /// The order is being processed.
        Processing = "processing",
        /// A part of the order is on its way.
        PartiallyShipped = "partially-shipped",
        /// The order is on its way.
        Shipped = "shipped",
        Completed = "completed",
        Canceled = "canceled",
    }
}

/// An order that the contact can pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderDetails {
    /// The sender's own id of the order.
    pub reference_id: String,
    pub goods: GoodsType,
    /// The currency code (ISO 4217).
    pub currency: String,
    /// The total amount to pay, as a whole number of hundredths of the currency.
    pub total: i64,
    /// The items and charges. If there are none, the message shows only the total.
    pub order: Option<Order>,
    pub payment: Payment,
}

/// The options for the payment. Which are allowed depends on the country.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payment {
    /// The payment method, such as `upi` or `br`.
    pub payment_type: Option<String>,
    /// The name of the payment configuration that the organization has set up at the channel.
    pub payment_configuration: Option<String>,
    /// The settings of the payment method: a JSON array.
    pub payment_settings: Option<String>,
}

/// The items and charges of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The id of the catalog that contains the items.
    pub catalog_id: Option<String>,
    pub items: Vec<OrderItem>,
    /// The sum of all items, as a whole number of hundredths of the currency.
    pub subtotal: i64,
    pub tax: Option<Charge>,
    pub shipping: Option<Charge>,
    pub discount: Option<Charge>,
    pub expiration: Option<Expiration>,
}

/// The time until which the contact can pay an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiration {
    /// The time in seconds since the start of 1970, in UTC.
    pub at: i64,
    /// The text that the contact reads after the order has expired.
    pub description: String,
}

/// The origin of an item, which some countries require.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The country of origin, as the channel writes it.
    pub country: Option<String>,
    pub importer_name: Option<String>,
    /// The postal address of the importer: a JSON object.
    pub importer_address: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderItem {
    /// The item's id in the catalog, or the sender's own id of the item.
    pub retailer_id: String,
    pub name: String,
    /// The price of one piece, in hundredths of the currency.
    pub amount: i64,
    /// The reduced price of one piece, in hundredths of the currency.
    pub sale_amount: Option<i64>,
    pub quantity: i64,
    /// The picture of the item. If it is not set, the catalog's picture is shown.
    pub image: Option<WebAddress>,
    pub origin: Origin,
}

/// An amount that is added to an order (tax, shipping) or subtracted from it (discount).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The amount, in hundredths of the currency.
    pub amount: i64,
    pub description: Option<String>,
    /// The name of the discount program. Only a discount has one.
    pub program: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderStatus {
    /// The sender's own id of the order.
    pub reference_id: String,
    pub status: OrderState,
    pub description: Option<String>,
}

/// An amount in a request, before it is checked: its fields `value` and `offset`. `None` if the
/// request does not contain the amount.
pub type AmountInput = Option<(Option<i64>, Option<i64>)>;

/// The parts of an order to pay, partly parsed. `order` is `None` if the order could not be parsed,
/// and `Some(None)` if the request has no order.
#[derive(Clone, Debug, Default)]
pub struct OrderDetailsInput<'a> {
    pub reference_id: Option<&'a str>,
    pub goods: Option<&'a str>,
    pub currency: Option<&'a str>,
    pub total: AmountInput,
    pub order: Option<Option<Order>>,
    pub payment: Payment,
}

/// The parts of an order's items and charges, partly parsed. An optional part is `None` if it could
/// not be parsed, and `Some(None)` if the request does not contain it.
#[derive(Clone, Debug, Default)]
pub struct OrderInput<'a> {
    pub status: Option<&'a str>,
    pub catalog_id: Option<&'a str>,
    /// The number of items in the request, with those that could not be parsed.
    pub item_count: usize,
    pub items: Vec<OrderItem>,
    pub subtotal: AmountInput,
    pub tax: Option<Option<Charge>>,
    pub shipping: Option<Option<Charge>>,
    pub discount: Option<Option<Charge>>,
    pub expiration: Option<Option<Expiration>>,
}

/// The parts of an item in a request, before they are checked.
#[derive(Clone, Debug, Default)]
pub struct OrderItemInput<'a> {
    pub retailer_id: Option<&'a str>,
    pub name: Option<&'a str>,
    pub price: AmountInput,
    pub sale_price: AmountInput,
    pub quantity: Option<i64>,
    /// The field `link` of the image. The outer `None` means that the item has no image, the inner
    /// `None` that the image has no link.
    pub image: Option<Option<&'a str>>,
    pub origin: Origin,
}

impl OrderDetails {
    /// Builds the details of an order from its parts. The total must be the sum of the items and
    /// charges.
    pub fn parse(
        at: &Field<'_>,
        input: OrderDetailsInput<'_>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let OrderDetailsInput { reference_id, goods, currency, total, order, payment } = input;
        let reference_id = order_reference(at, reference_id, faults);
        let field = at.key("type");
        let goods = faults.require(&field, goods).and_then(|word| faults.word(&field, word));
        let field = at.key("currency");
        let currency = faults.require(&field, currency);
        if currency.is_some_and(|it| it.len() != 3 || !it.bytes().all(|b| b.is_ascii_uppercase())) {
            let message = "must be three capital letters, as in INR (ISO 4217)";
            faults.add(&field, Fault::InvalidFormat, message);
        }
        let field = at.key("total_amount");
        let total = amount(&field, total, faults);
        let due = order.as_ref().and_then(Option::as_ref).map(Order::due);
        if let (Some(due), Some(total)) = (due, total)
            && due != Some(total)
        {
            let message = "must be order.subtotal + tax + shipping - discount";
            faults.add(&field.key("value"), Fault::OutOfRange, message);
        }
        for (name, text) in [
            ("payment_type", &payment.payment_type),
            ("payment_configuration", &payment.payment_configuration),
        ] {
            faults.optional_text(&at.key(name), text.as_deref(), MAX_REFERENCE_LENGTH);
        }
        Some(Self {
            reference_id: reference_id?,
            goods: goods?,
            currency: currency?.to_owned(),
            total: total?,
            order: order?,
            payment,
        })
    }
}

impl Order {
    /// Returns the amount to pay: subtotal, tax and shipping, less the discount. Returns `None` if
    /// the amount is too large for the type.
    fn due(&self) -> Option<i64> {
        let of = |charge: &Option<Charge>| charge.as_ref().map_or(0, |it| it.amount);
        let sum = self.subtotal.checked_add(of(&self.tax))?.checked_add(of(&self.shipping))?;
        sum.checked_sub(of(&self.discount))
    }

    /// Builds the items and charges of an order from their parts.
    pub fn parse(at: &Field<'_>, input: OrderInput<'_>, faults: &mut Violations) -> Option<Self> {
        let count = input.item_count;
        if input.status != Some(crate::keyword::Keyword::as_str(OrderState::Pending)) {
            faults.add(&at.key("status"), Fault::NotOneOf, "must be pending");
        }
        let field = at.key("catalog_id");
        let catalog_id = faults.optional_text(&field, input.catalog_id, MAX_REFERENCE_LENGTH);
        let field = at.key("items");
        if count == 0 {
            faults.add(&field, Fault::Empty, "needs at least one item");
        } else if count > MAX_ITEMS {
            let message = format!("has {count} items; at most {MAX_ITEMS} are allowed");
            faults.add(&field, Fault::TooLong, message);
        }
        let subtotal = amount(&at.key("subtotal"), input.subtotal, faults);
        Some(Self {
            catalog_id,
            items: input.items,
            subtotal: subtotal?,
            tax: input.tax?,
            shipping: input.shipping?,
            discount: input.discount?,
            expiration: input.expiration?,
        })
    }
}

impl Expiration {
    /// Parses the time until which the contact can pay an order: the seconds since 1970 as a text,
    /// and a description.
    pub fn parse(
        at: &Field<'_>,
        timestamp: Option<&str>,
        description: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("timestamp");
        let seconds = faults.require(&field, timestamp);
        let seconds = seconds.and_then(|text| {
            let seconds = text.parse().ok().filter(|seconds| *seconds > 0);
            if seconds.is_none() {
                let message = "must be seconds since 1970, as a text of digits";
                faults.add(&field, Fault::InvalidFormat, message);
            }
            seconds
        });
        let field = at.key("description");
        let text = faults.required_text(&field, description, MAX_ORDER_DESCRIPTION_LENGTH);
        Some(Self { at: seconds?, description: text? })
    }
}

impl OrderItem {
    /// Parses an item.
    pub fn parse(
        at: &Field<'_>,
        input: OrderItemInput<'_>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let OrderItemInput { retailer_id, name, price, sale_price, quantity, image, origin } =
            input;
        let field = at.key("retailer_id");
        let retailer_id = faults.required_text(&field, retailer_id, MAX_REFERENCE_LENGTH);
        let name = faults.required_text(&at.key("name"), name, MAX_ITEM_NAME_LENGTH);
        let price = amount(&at.key("amount"), price, faults);
        let sale_amount =
            sale_price.and_then(|price| amount(&at.key("sale_amount"), Some(price), faults));
        let field = at.key("quantity");
        let quantity = faults.require(&field, quantity);
        if quantity.is_some_and(|it| it < 1) {
            faults.add(&field, Fault::OutOfRange, "must be at least 1");
        }
        let field = at.key("image");
        let image = image.map(|link| parse_address(&field.key("link"), link, faults));
        for (name, text) in
            [("country_of_origin", &origin.country), ("importer_name", &origin.importer_name)]
        {
            faults.optional_text(&at.key(name), text.as_deref(), MAX_REFERENCE_LENGTH);
        }
        Some(Self {
            retailer_id: retailer_id?,
            name: name?,
            amount: price?,
            sale_amount,
            quantity: quantity?,
            image: image.flatten(),
            origin,
        })
    }
}

impl Charge {
    /// Parses a charge: an amount that is added to an order or subtracted from it.
    pub fn parse(
        at: &Field<'_>,
        given: AmountInput,
        description: Option<&str>,
        program: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let value = amount(at, given, faults);
        let field = at.key("description");
        let description = faults.optional_text(&field, description, MAX_ITEM_NAME_LENGTH);
        let field = at.key("discount_program_name");
        let program = faults.optional_text(&field, program, MAX_ITEM_NAME_LENGTH);
        Some(Self { amount: value?, description, program })
    }
}

impl OrderStatus {
    pub fn parse(
        at: &Field<'_>,
        reference_id: Option<&str>,
        status: Option<&str>,
        description: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let reference_id = order_reference(at, reference_id, faults);
        let order = at.key("order");
        let field = order.key("status");
        let status = faults.require(&field, status).and_then(|word| faults.word(&field, word));
        let field = order.key("description");
        let description = faults.optional_text(&field, description, MAX_ORDER_DESCRIPTION_LENGTH);
        Some(Self { reference_id: reference_id?, status: status?, description })
    }
}

fn amount(at: &Field<'_>, given: AmountInput, faults: &mut Violations) -> Option<i64> {
    let (value, offset) = faults.require(at, given)?;
    let field = at.key("offset");
    if faults.require(&field, offset).is_some_and(|it| it != OFFSET) {
        faults.add(&field, Fault::NotOneOf, format!("must be {OFFSET}"));
    }
    let field = at.key("value");
    let value = faults.require(&field, value)?;
    if value < 0 {
        faults.add(&field, Fault::OutOfRange, "must not be below 0");
    }
    Some(value)
}
