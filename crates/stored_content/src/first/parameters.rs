//! The parameters of actions: flows, address forms, orders.

use super::{FileLinkRow, keyword};
use crate::Unreadable;
use domain::content::interactive::{
    AddressRequest, Charge, Expiration, FLOW_MESSAGE_VERSION, FlowAction, FlowRef, OFFSET, Order,
    OrderDetails, OrderItem, OrderState, OrderStatus, Origin, Payment,
};
use domain::keyword::Keyword as _;
use domain::media::WebAddress;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
pub struct FlowRow {
    #[serde(default)]
    flow_message_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_name: Option<String>,
    flow_cta: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_payload: Option<FlowPayloadRow>,
}

#[derive(Serialize, Deserialize)]
struct FlowPayloadRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

#[derive(Serialize, Deserialize)]
pub struct AddressParameterRow {
    country: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_addresses: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_errors: Option<Value>,
}

#[derive(Serialize, Deserialize)]
pub struct OrderDetailsRow {
    reference_id: String,
    #[serde(rename = "type")]
    goods: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_configuration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_settings: Option<Value>,
    currency: String,
    total_amount: AmountRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<OrderRow>,
}

#[derive(Serialize, Deserialize)]
pub struct OrderStatusRow {
    reference_id: String,
    order: StatusRow,
}

#[derive(Serialize, Deserialize)]
struct StatusRow {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct OrderRow {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog_id: Option<String>,
    items: Vec<ItemRow>,
    subtotal: AmountRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    tax: Option<ChargeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shipping: Option<ChargeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discount: Option<ChargeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expiration: Option<ExpirationRow>,
}

#[derive(Serialize, Deserialize)]
struct ExpirationRow {
    /// The Unix time in seconds, as text, like in the request.
    timestamp: String,
    description: String,
}

#[derive(Serialize, Deserialize)]
struct ItemRow {
    retailer_id: String,
    name: String,
    amount: AmountRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    sale_amount: Option<AmountRow>,
    quantity: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<FileLinkRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_of_origin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importer_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importer_address: Option<Value>,
}

#[derive(Serialize, Deserialize)]
struct AmountRow {
    value: i64,
    offset: i64,
}

#[derive(Serialize, Deserialize)]
struct ChargeRow {
    value: i64,
    offset: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discount_program_name: Option<String>,
}

fn json(text: Option<&String>) -> serde_json::Result<Option<Value>> {
    text.map(|text| serde_json::from_str(text)).transpose()
}

fn text(json: Option<Value>) -> Option<String> {
    json.map(|json| json.to_string())
}

const fn amount(value: i64) -> AmountRow {
    AmountRow { value, offset: OFFSET }
}

impl FlowRow {
    pub fn new(it: &FlowAction) -> serde_json::Result<Self> {
        let (flow_id, flow_name) = match it.flow.clone() {
            FlowRef::Id(id) => (Some(id), None),
            FlowRef::Name(name) => (None, Some(name)),
        };
        let data = json(it.data.as_ref())?;
        let payload = FlowPayloadRow { screen: it.screen.clone(), data };
        let has_payload = payload.screen.is_some() || payload.data.is_some();
        Ok(Self {
            flow_message_version: FLOW_MESSAGE_VERSION.to_owned(),
            flow_id,
            flow_name,
            flow_cta: it.label.clone(),
            flow_token: it.token.clone(),
            mode: it.mode.map(|mode| mode.as_str().to_owned()),
            flow_action: it.start.map(|start| start.as_str().to_owned()),
            flow_action_payload: has_payload.then_some(payload),
        })
    }

    pub fn read(self) -> Result<FlowAction, Unreadable> {
        let flow = match (self.flow_id, self.flow_name) {
            (Some(id), _) => FlowRef::Id(id),
            (None, Some(name)) => FlowRef::Name(name),
            (None, None) => return Err(serde_json::Error::missing_field("flow_name").into()),
        };
        let (screen, data) =
            self.flow_action_payload.map_or((None, None), |it| (it.screen, text(it.data)));
        let mode = self.mode.map(|word| keyword(&word, "a mode of flows")).transpose()?;
        let start = self.flow_action.map(|word| keyword(&word, "a start of flows")).transpose()?;
        let (label, token) = (self.flow_cta, self.flow_token);
        Ok(FlowAction { flow, label, token, mode, start, screen, data })
    }
}

impl AddressParameterRow {
    pub fn new(it: &AddressRequest) -> serde_json::Result<Self> {
        Ok(Self {
            country: it.country.clone(),
            values: json(it.values.as_ref())?,
            saved_addresses: json(it.saved_addresses.as_ref())?,
            validation_errors: json(it.validation_errors.as_ref())?,
        })
    }

    pub fn read(self) -> AddressRequest {
        AddressRequest {
            country: self.country,
            values: text(self.values),
            saved_addresses: text(self.saved_addresses),
            validation_errors: text(self.validation_errors),
        }
    }
}

impl OrderDetailsRow {
    pub fn new(it: &OrderDetails) -> serde_json::Result<Self> {
        Ok(Self {
            reference_id: it.reference_id.clone(),
            goods: it.goods.as_str().to_owned(),
            payment_type: it.payment.payment_type.clone(),
            payment_configuration: it.payment.payment_configuration.clone(),
            payment_settings: json(it.payment.payment_settings.as_ref())?,
            currency: it.currency.clone(),
            total_amount: amount(it.total),
            order: it.order.as_ref().map(OrderRow::new).transpose()?,
        })
    }

    pub fn read(self) -> Result<OrderDetails, Unreadable> {
        Ok(OrderDetails {
            reference_id: self.reference_id,
            goods: keyword(&self.goods, "a type of goods")?,
            currency: self.currency,
            total: self.total_amount.value,
            order: self.order.map(OrderRow::read).transpose()?,
            payment: Payment {
                payment_type: self.payment_type,
                payment_configuration: self.payment_configuration,
                payment_settings: text(self.payment_settings),
            },
        })
    }
}

impl OrderRow {
    fn new(it: &Order) -> serde_json::Result<Self> {
        let charge = |it: &Charge| ChargeRow {
            value: it.amount,
            offset: OFFSET,
            description: it.description.clone(),
            discount_program_name: it.program.clone(),
        };
        Ok(Self {
            status: OrderState::Pending.as_str().to_owned(),
            catalog_id: it.catalog_id.clone(),
            items: it.items.iter().map(ItemRow::new).collect::<Result<_, _>>()?,
            subtotal: amount(it.subtotal),
            tax: it.tax.as_ref().map(charge),
            shipping: it.shipping.as_ref().map(charge),
            discount: it.discount.as_ref().map(charge),
            expiration: it.expiration.as_ref().map(|end| ExpirationRow {
                timestamp: end.at.to_string(),
                description: end.description.clone(),
            }),
        })
    }

    fn read(self) -> Result<Order, Unreadable> {
        let charge = |it: ChargeRow| Charge {
            amount: it.value,
            description: it.description,
            program: it.discount_program_name,
        };
        Ok(Order {
            catalog_id: self.catalog_id,
            items: self.items.into_iter().map(ItemRow::read).collect(),
            subtotal: self.subtotal.value,
            tax: self.tax.map(charge),
            shipping: self.shipping.map(charge),
            discount: self.discount.map(charge),
            expiration: self.expiration.map(ExpirationRow::read).transpose()?,
        })
    }
}

impl ExpirationRow {
    fn read(self) -> Result<Expiration, Unreadable> {
        let Self { timestamp, description } = self;
        let seconds = timestamp.parse();
        let wrong = |_| Unreadable::Keyword(timestamp, "a number of seconds");
        Ok(Expiration { at: seconds.map_err(wrong)?, description })
    }
}

impl ItemRow {
    fn new(it: &OrderItem) -> serde_json::Result<Self> {
        Ok(Self {
            retailer_id: it.retailer_id.clone(),
            name: it.name.clone(),
            amount: amount(it.amount),
            sale_amount: it.sale_amount.map(amount),
            quantity: it.quantity,
            image: it.image.as_ref().map(FileLinkRow::to),
            country_of_origin: it.origin.country.clone(),
            importer_name: it.origin.importer_name.clone(),
            importer_address: json(it.origin.importer_address.as_ref())?,
        })
    }

    fn read(self) -> OrderItem {
        OrderItem {
            retailer_id: self.retailer_id,
            name: self.name,
            amount: self.amount.value,
            sale_amount: self.sale_amount.map(|it| it.value),
            quantity: self.quantity,
            image: self.image.map(|it| WebAddress::stored(it.link)),
            origin: Origin {
                country: self.country_of_origin,
                importer_name: self.importer_name,
                importer_address: text(self.importer_address),
            },
        }
    }
}

impl OrderStatusRow {
    pub fn new(it: &OrderStatus) -> Self {
        let (status, description) = (it.status.as_str().to_owned(), it.description.clone());
        Self { reference_id: it.reference_id.clone(), order: StatusRow { status, description } }
    }

    pub fn read(self) -> Result<OrderStatus, Unreadable> {
        let StatusRow { status, description } = self.order;
        let status = keyword(&status, "a status of orders")?;
        Ok(OrderStatus { reference_id: self.reference_id, status, description })
    }
}
