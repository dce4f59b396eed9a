//! Parameters of the action of an interactive message, in Meta's format.

use super::forbid_others;
use super::order::{AmountWire, OrderWire};
use crate::object::Object;
use crate::schema::{FlowVersion, OneOf, UrlText};
use domain::content::interactive::{
    AddressRequest, FlowAction, FlowInput, FlowMode, FlowStart, GoodsType, InteractiveType,
    MAX_FLOW_LABEL_LENGTH, MAX_LABEL_LENGTH, MAX_ORDER_REFERENCE_LENGTH, OrderDetails,
    OrderDetailsInput, OrderStatus, Payment,
};
use domain::content::parameter::MAX_REFERENCE_LENGTH;
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The parameters of the action. Each type of interactive message has its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveParameters")]
pub(super) struct ParametersWire {
    /// Required for `cta_url`: the label of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_LABEL_LENGTH))]
    pub display_text: Option<String>,
    /// Required for `cta_url`: the URL that the button opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UrlText>")]
    pub url: Option<String>,
    /// For `flow`: the version, always `3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FlowVersion>")]
    pub flow_message_version: Option<String>,
    /// For `flow`: the channel's id of the flow. Set exactly one of `flow_id` and `flow_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub flow_id: Option<String>,
    /// For `flow`: the name of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub flow_name: Option<String>,
    /// Required for `flow`: the label of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_FLOW_LABEL_LENGTH))]
    pub flow_cta: Option<String>,
    /// For `flow`: your own identifier for this use of the flow, which is returned with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub flow_token: Option<String>,
    /// For `flow`: `draft` to test a flow that is not published. The default is `published`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<FlowMode>>")]
    pub mode: Option<String>,
    /// For `flow`: how the flow begins. The default is `navigate`, at a screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<FlowStart>>")]
    pub flow_action: Option<String>,
    /// For `flow` with `navigate`: the first screen and its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_action_payload: Option<Object<FlowPayloadWire>>,
    /// For `catalog_message`: the id of the product whose image is shown; the first product of the
    /// catalog if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub thumbnail_product_retailer_id: Option<String>,
    /// Required for `address_message`: the country code, two capital letters (ISO 3166).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 2))]
    pub country: Option<String>,
    /// For `address_message`: the values that are filled in already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<String, Value>>,
    /// For `address_message`: saved addresses to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_addresses: Option<Vec<Map<String, Value>>>,
    /// For `address_message`: the errors of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_errors: Option<Map<String, Value>>,
    /// Required for `order_details` and `order_status`: your own identifier for the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ORDER_REFERENCE_LENGTH))]
    pub reference_id: Option<String>,
    /// Required for `order_details`: the type of goods.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<GoodsType>>")]
    pub goods: Option<String>,
    /// For `order_details`: the payment type, which depends on the country.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub payment_type: Option<String>,
    /// For `order_details`: the name of a payment configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub payment_configuration: Option<String>,
    /// For `order_details`: the settings of the payment method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_settings: Option<Vec<Map<String, Value>>>,
    /// Required for `order_details`: the currency code (ISO 4217), such as `INR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 3, max = 3))]
    pub currency: Option<String>,
    /// Required for `order_details`: the total amount to pay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_amount: Option<Object<AmountWire>>,
    /// For `order_details`: the order with its items. Required for `order_status`: the order with
    /// its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Object<OrderWire>>,
}

/// The screen at which a flow begins.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowPayload")]
pub(super) struct FlowPayloadWire {
    /// The first screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    pub screen: Option<String>,
    /// The data that the screen receives. Must not be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
}

const FLOW: &[&str] = &[
    "flow_message_version",
    "flow_id",
    "flow_name",
    "flow_cta",
    "flow_token",
    "mode",
    "flow_action",
    "flow_action_payload",
];
const ADDRESS: &[&str] = &["country", "values", "saved_addresses", "validation_errors"];
const ORDER_DETAILS: &[&str] = &[
    "reference_id",
    "type",
    "payment_type",
    "payment_configuration",
    "payment_settings",
    "currency",
    "total_amount",
    "order",
];

fn object(fields: &Map<String, Value>) -> String {
    Value::Object(fields.clone()).to_string()
}

fn list(entries: &[Map<String, Value>]) -> String {
    Value::Array(entries.iter().cloned().map(Value::Object).collect()).to_string()
}

impl ParametersWire {
    /// Adds a violation for each parameter that belongs to another type.
    pub fn forbid_others(&self, at: &Field<'_>, kind: InteractiveType, faults: &mut Violations) {
        let own: &[&str] = match kind {
            InteractiveType::Link => &["display_text", "url"],
            InteractiveType::Flow => FLOW,
            InteractiveType::Catalog => &["thumbnail_product_retailer_id"],
            InteractiveType::Address => ADDRESS,
            InteractiveType::OrderDetails => ORDER_DETAILS,
            InteractiveType::OrderStatus => &["reference_id", "order"],
            _ => &[],
        };
        forbid_others(at, self, own, &format!("an interactive message of type {kind}"), faults);
    }

    pub fn flow(&self, at: &Field<'_>, faults: &mut Violations) -> Option<FlowAction> {
        let payload = self.flow_action_payload.as_ref();
        let data = payload.and_then(|it| it.data.as_ref());
        let given = FlowInput {
            version: self.flow_message_version.as_deref(),
            id: self.flow_id.as_deref(),
            name: self.flow_name.as_deref(),
            label: self.flow_cta.as_deref(),
            token: self.flow_token.as_deref(),
            mode: self.mode.as_deref(),
            start: self.flow_action.as_deref(),
            has_payload: payload.is_some(),
            screen: payload.and_then(|it| it.screen.as_deref()),
            data: data.map(|fields| (object(fields), !fields.is_empty())),
        };
        FlowAction::parse(at, given, faults)
    }

    pub fn address(&self, at: &Field<'_>, faults: &mut Violations) -> Option<AddressRequest> {
        let values = self.values.as_ref().map(object);
        let saved_addresses = self.saved_addresses.as_deref().map(list);
        let validation_errors = self.validation_errors.as_ref().map(object);
        let rest = [values, saved_addresses, validation_errors];
        AddressRequest::parse(at, self.country.as_deref(), rest, faults)
    }

    pub fn order_details(&self, at: &Field<'_>, faults: &mut Violations) -> Option<OrderDetails> {
        let order = match &self.order {
            None => Some(None),
            Some(order) => order.parse(&at.key("order"), faults).map(Some),
        };
        let payment = Payment {
            payment_type: self.payment_type.clone(),
            payment_configuration: self.payment_configuration.clone(),
            payment_settings: self.payment_settings.as_deref().map(list),
        };
        let input = OrderDetailsInput {
            reference_id: self.reference_id.as_deref(),
            goods: self.goods.as_deref(),
            currency: self.currency.as_deref(),
            total: self.total_amount.as_ref().map(|it| it.input()),
            order,
            payment,
        };
        OrderDetails::parse(at, input, faults)
    }

    pub fn order_status(&self, at: &Field<'_>, faults: &mut Violations) -> Option<OrderStatus> {
        let order = faults.require(&at.key("order"), self.order.as_ref());
        let status = order.and_then(|it| it.status.as_deref());
        let description = order.and_then(|it| it.description.as_deref());
        if let Some(order) = order {
            order.forbid_items(&at.key("order"), faults);
        }
        OrderStatus::parse(at, self.reference_id.as_deref(), status, description, faults)
    }
}
