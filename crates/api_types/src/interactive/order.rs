//! Orders in interactive messages: their items, amounts and status.

use super::LinkWire;
use crate::object::Object;
use crate::schema::OneOf;
use domain::content::interactive::{
    AmountInput, Charge, Expiration, MAX_ITEM_NAME_LENGTH, MAX_ITEMS, MAX_ORDER_DESCRIPTION_LENGTH,
    OFFSET, Order, OrderInput, OrderItem, OrderItemInput, OrderState, Origin,
};
use domain::content::parameter::MAX_REFERENCE_LENGTH;
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An amount of money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderAmount")]
pub(super) struct AmountWire {
    /// The amount multiplied by `offset`.
    #[schemars(required, range(min = 0))]
    pub value: Option<i64>,
    /// Always `100`.
    #[schemars(required, range(min = OFFSET, max = OFFSET))]
    pub offset: Option<i64>,
}

/// An order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveOrder")]
pub(super) struct OrderWire {
    /// The status of the order; `pending` for `order_details`.
    #[schemars(required, with = "OneOf<OrderState>")]
    pub status: Option<String>,
    /// For `order_status`: a sentence about the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ORDER_DESCRIPTION_LENGTH))]
    pub description: Option<String>,
    /// The id of the catalog that the items are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    catalog_id: Option<String>,
    /// Required for `order_details`: the items.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ITEMS))]
    items: Option<Vec<Object<ItemWire>>>,
    /// Required for `order_details`: the subtotal of the items.
    #[serde(skip_serializing_if = "Option::is_none")]
    subtotal: Option<Object<AmountWire>>,
    /// The tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    tax: Option<Object<ChargeWire>>,
    /// The shipping costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    shipping: Option<Object<ChargeWire>>,
    /// The discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    discount: Option<Object<ChargeWire>>,
    /// For `order_details`: the time until which the order can be paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    expiration: Option<Object<ExpirationWire>>,
}

/// The time until which an order can be paid.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderExpiration")]
struct ExpirationWire {
    /// The time, as Unix time in seconds in a string.
    #[schemars(required)]
    timestamp: Option<String>,
    /// The text that the recipient sees after that time.
    #[schemars(required, length(min = 1, max = MAX_ORDER_DESCRIPTION_LENGTH))]
    description: Option<String>,
}

/// An item of an order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderItem")]
struct ItemWire {
    /// The id of the item in the catalog, or your own id.
    #[schemars(required, length(min = 1, max = MAX_REFERENCE_LENGTH))]
    retailer_id: Option<String>,
    /// The name of the item.
    #[schemars(required, length(min = 1, max = MAX_ITEM_NAME_LENGTH))]
    name: Option<String>,
    /// The price of one unit.
    #[schemars(required)]
    amount: Option<Object<AmountWire>>,
    /// The reduced price of one unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    sale_amount: Option<Object<AmountWire>>,
    /// The number of units.
    #[schemars(required, range(min = 1))]
    quantity: Option<i64>,
    /// The image of the item; the catalog's image if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Object<LinkWire>>,
    /// The country of origin. Like the importer, it is required for physical goods in India.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    country_of_origin: Option<String>,
    /// The name of the importer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    importer_name: Option<String>,
    /// The address of the importer.
    #[serde(skip_serializing_if = "Option::is_none")]
    importer_address: Option<Map<String, Value>>,
}

/// An amount that is added to the subtotal or deducted from it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OrderCharge")]
struct ChargeWire {
    /// The amount multiplied by `offset`.
    #[schemars(required, range(min = 0))]
    value: Option<i64>,
    /// Always `100`.
    #[schemars(required, range(min = OFFSET, max = OFFSET))]
    offset: Option<i64>,
    /// The description of the amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ITEM_NAME_LENGTH))]
    description: Option<String>,
    /// For a discount: the name of the discount program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ITEM_NAME_LENGTH))]
    discount_program_name: Option<String>,
}

impl AmountWire {
    pub const fn input(&self) -> (Option<i64>, Option<i64>) {
        (self.value, self.offset)
    }
}

fn amount(given: Option<&Object<AmountWire>>) -> AmountInput {
    given.map(|it| it.input())
}

impl OrderWire {
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Order> {
        faults.forbid(
            &at.key("description"),
            self.description.as_ref(),
            "an interactive message of type order_details",
        );
        let list = at.key("items");
        let items = self.items.as_deref().unwrap_or_default();
        let parsed = items.iter().take(MAX_ITEMS).enumerate();
        let parsed = parsed.filter_map(|(index, item)| item.parse(&list.index(index), faults));
        let parsed: Vec<_> = parsed.collect();
        let mut charge = |name: &'static str, given: &Option<Object<ChargeWire>>| match given {
            None => Some(None),
            Some(charge) => charge.parse(&at.key(name), faults).map(Some),
        };
        let tax = charge("tax", &self.tax);
        let shipping = charge("shipping", &self.shipping);
        let discount = charge("discount", &self.discount);
        let expiration = match &self.expiration {
            None => Some(None),
            Some(end) => {
                let (time, text) = (end.timestamp.as_deref(), end.description.as_deref());
                Expiration::parse(&at.key("expiration"), time, text, faults).map(Some)
            }
        };
        let input = OrderInput {
            status: self.status.as_deref(),
            catalog_id: self.catalog_id.as_deref(),
            item_count: items.len(),
            items: parsed,
            subtotal: amount(self.subtotal.as_ref()),
            tax,
            shipping,
            discount,
            expiration,
        };
        Order::parse(at, input, faults)
    }

    /// Adds a violation for each field that only an order of `order_details` may have.
    pub fn forbid_items(&self, at: &Field<'_>, faults: &mut Violations) {
        let given = [
            ("catalog_id", self.catalog_id.is_some()),
            ("items", self.items.is_some()),
            ("subtotal", self.subtotal.is_some()),
            ("tax", self.tax.is_some()),
            ("shipping", self.shipping.is_some()),
            ("discount", self.discount.is_some()),
            ("expiration", self.expiration.is_some()),
        ];
        for (name, given) in given {
            let context = "an interactive message of type order_status";
            faults.forbid(&at.key(name), given.then_some(&()), context);
        }
    }
}

impl ItemWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<OrderItem> {
        let address = self.importer_address.clone();
        let origin = Origin {
            country: self.country_of_origin.clone(),
            importer_name: self.importer_name.clone(),
            importer_address: address.map(|fields| Value::Object(fields).to_string()),
        };
        let input = OrderItemInput {
            retailer_id: self.retailer_id.as_deref(),
            name: self.name.as_deref(),
            price: amount(self.amount.as_ref()),
            sale_price: amount(self.sale_amount.as_ref()),
            quantity: self.quantity,
            image: self.image.as_ref().map(|it| it.link.as_deref()),
            origin,
        };
        OrderItem::parse(at, input, faults)
    }
}

impl ChargeWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Charge> {
        let given = Some((self.value, self.offset));
        let description = self.description.as_deref();
        Charge::parse(at, given, description, self.discount_program_name.as_deref(), faults)
    }
}
