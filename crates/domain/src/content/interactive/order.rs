//! An order to be paid, and what became of it.

use super::address_of;
use crate::content::parameter::MAX_REFERENCE_LENGTH;
use crate::keyword::keywords;
use crate::media::WebAddress;
use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the sender's own name for an order.
pub const MAX_ORDER_REFERENCE_LENGTH: usize = 35;
/// Maximum number of characters in the name of an item, and in what is said of a charge.
pub const MAX_ITEM_NAME_LENGTH: usize = 60;
/// Maximum number of characters in what is said of a status.
pub const MAX_ORDER_DESCRIPTION_LENGTH: usize = 120;
/// Maximum number of items.
pub const MAX_ITEMS: usize = 999;
/// By what amounts are multiplied.
pub const OFFSET: i64 = 100;

keywords! {
    /// What is ordered.
    pub enum GoodsType {
        /// Something that is not shipped.
        Digital = "digital-goods",
        /// Something that is shipped.
        Physical = "physical-goods",
    }
}

keywords! {
    /// What became of an order.
    pub enum OrderState {
        /// It is to be paid.
        Pending = "pending",
        /// It is worked on.
        Processing = "processing",
        /// Some of it is on its way.
        PartiallyShipped = "partially-shipped",
        /// It is on its way.
        Shipped = "shipped",
        /// Nothing is left to do.
        Completed = "completed",
        /// It will not be carried out.
        Canceled = "canceled",
    }
}

/// An order to be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderDetails {
    /// The sender's own name for the order.
    pub reference_id: String,
    /// What is ordered.
    pub goods: GoodsType,
    /// ISO 4217.
    pub currency: String,
    /// The amount, times 100.
    pub total: i64,
    /// The items; a message may name the total alone.
    pub order: Option<Order>,
    /// How it is paid.
    pub payment: Payment,
}

/// How an order is paid, which differs from country to country.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payment {
    /// The way, such as `upi` or `br`.
    pub payment_type: Option<String>,
    /// The name of a configuration.
    pub payment_configuration: Option<String>,
    /// What the way needs: a JSON array.
    pub payment_settings: Option<String>,
}

/// The items of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The catalog that the items are of.
    pub catalog_id: Option<String>,
    /// The items.
    pub items: Vec<OrderItem>,
    /// The amount of the items, times 100.
    pub subtotal: i64,
    /// The tax.
    pub tax: Option<Charge>,
    /// What the shipping costs.
    pub shipping: Option<Charge>,
    /// What is taken off.
    pub discount: Option<Charge>,
    /// Until when it can be paid.
    pub expiration: Option<Expiration>,
}

/// Until when an order can be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiration {
    /// Seconds since 1970, in UTC.
    pub at: i64,
    /// What the person reads then.
    pub description: String,
}

/// Where an item comes from, which some countries want to be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The country, in the channel's words.
    pub country: Option<String>,
    /// Who imports it.
    pub importer_name: Option<String>,
    /// Their address: a JSON object.
    pub importer_address: Option<String>,
}

/// An item of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderItem {
    /// Its id in the catalog, or the sender's own.
    pub retailer_id: String,
    /// Its name.
    pub name: String,
    /// What one costs, times 100.
    pub amount: i64,
    /// What one costs now, times 100.
    pub sale_amount: Option<i64>,
    /// How many.
    pub quantity: i64,
    /// Its picture; the catalog's where none is named.
    pub image: Option<WebAddress>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Something that is added or taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The amount, times 100.
    pub amount: i64,
    /// What it is for.
    pub description: Option<String>,
    /// Of a discount: the program.
    pub program: Option<String>,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderStatus {
    /// The name that the order was given.
    pub reference_id: String,
    /// What became of it.
    pub status: OrderState,
    /// A sentence about it.
    pub description: Option<String>,
}

/// `value` and `offset` of an amount.
pub type AmountInput = Option<(Option<i64>, Option<i64>)>;

impl OrderDetails {
    /// Puts an order together; its total is what its parts come to.
    pub fn parse(
        at: &Field<'_>,
        (reference_id, goods, currency): (Option<&str>, Option<&str>, Option<&str>),
        total: AmountInput,
        (order, payment): (Option<Option<Order>>, Payment),
        faults: &mut Violations,
    ) -> Option<Self> {
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
    /// What there is to pay; nothing if that is beyond all numbers.
    fn due(&self) -> Option<i64> {
        let of = |charge: &Option<Charge>| charge.as_ref().map_or(0, |it| it.amount);
        let sum = self.subtotal.checked_add(of(&self.tax))?.checked_add(of(&self.shipping))?;
        sum.checked_sub(of(&self.discount))
    }

    /// Puts the items together.
    pub fn parse(
        at: &Field<'_>,
        (status, catalog_id): (Option<&str>, Option<&str>),
        (count, items): (usize, Vec<OrderItem>),
        subtotal: AmountInput,
        ([tax, shipping, discount], expiration): (
            [Option<Option<Charge>>; 3],
            Option<Option<Expiration>>,
        ),
        faults: &mut Violations,
    ) -> Option<Self> {
        if status != Some(crate::keyword::Keyword::as_str(OrderState::Pending)) {
            faults.add(&at.key("status"), Fault::NotOneOf, "must be pending");
        }
        let field = at.key("catalog_id");
        let catalog_id = faults.optional_text(&field, catalog_id, MAX_REFERENCE_LENGTH);
        let field = at.key("items");
        if count == 0 {
            faults.add(&field, Fault::Empty, "needs at least one item");
        } else if count > MAX_ITEMS {
            let message = format!("has {count} items; at most {MAX_ITEMS} are allowed");
            faults.add(&field, Fault::TooLong, message);
        }
        let subtotal = amount(&at.key("subtotal"), subtotal, faults);
        Some(Self {
            catalog_id,
            items,
            subtotal: subtotal?,
            tax: tax?,
            shipping: shipping?,
            discount: discount?,
            expiration: expiration?,
        })
    }
}

impl Expiration {
    /// Reads until when an order can be paid: a number of seconds, written as a text, and a sentence.
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
    /// Reads an item.
    pub fn parse(
        at: &Field<'_>,
        (retailer_id, name): (Option<&str>, Option<&str>),
        (price, sale): (AmountInput, AmountInput),
        quantity: Option<i64>,
        (image, origin): (Option<Option<&str>>, Origin),
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("retailer_id");
        let retailer_id = faults.required_text(&field, retailer_id, MAX_REFERENCE_LENGTH);
        let name = faults.required_text(&at.key("name"), name, MAX_ITEM_NAME_LENGTH);
        let price = amount(&at.key("amount"), price, faults);
        let sale_amount = sale.and_then(|sale| amount(&at.key("sale_amount"), Some(sale), faults));
        let field = at.key("quantity");
        let quantity = faults.require(&field, quantity);
        if quantity.is_some_and(|it| it < 1) {
            faults.add(&field, Fault::OutOfRange, "must be at least 1");
        }
        let field = at.key("image");
        let image = image.map(|link| address_of(&field.key("link"), link, faults));
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
    /// Reads something that is added or taken off.
    pub fn parse(
        at: &Field<'_>,
        given: AmountInput,
        (description, program): (Option<&str>, Option<&str>),
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
    /// Reads what became of an order.
    pub fn parse(
        at: &Field<'_>,
        reference_id: Option<&str>,
        (status, description): (Option<&str>, Option<&str>),
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

/// Reads the sender's own name for an order.
pub(in crate::content) fn order_reference(
    at: &Field<'_>,
    given: Option<&str>,
    faults: &mut Violations,
) -> Option<String> {
    let field = at.key("reference_id");
    let text = faults.required_text(&field, given, MAX_ORDER_REFERENCE_LENGTH)?;
    let fits = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    if !text.bytes().all(fits) {
        let message = "must be of letters, digits, underscores, dashes and dots";
        faults.add(&field, Fault::InvalidFormat, message);
    }
    Some(text)
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
