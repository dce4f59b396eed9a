//! Interactive messages in the format of the Cloud API.

use super::json::set;
use domain::content::interactive::{
    AddressRequest, Card, CardAction, Charge, FLOW_MESSAGE_VERSION, FlowAction, FlowRef, List,
    OFFSET, Order, OrderDetails, OrderState, OrderStatus,
};
use domain::content::{Action, Button, Header, Interactive, ProductSection};
use domain::keyword::Keyword as _;
use domain::media::{MediaKind, WebAddress};
use serde_json::{Value, json};

pub fn interactive(interactive: &Interactive) -> Value {
    let kind = interactive.action.interactive_type();
    let mut action = action(&interactive.action);
    set(&mut action, "name", kind.action_name().map(Value::from));
    let mut shape = json!({ "type": kind.as_str(), "action": action });
    let header = interactive.header.as_ref().map(|header| match header {
        Header::Text(text) => json!({ "type": "text", "text": text }),
        Header::Media { kind, url, filename } => {
            let mut shape = with_file(*kind, url);
            if let (Some(filename), Some(file)) = (filename, shape.get_mut(kind.as_str())) {
                set(file, "filename", Some(Value::from(filename.clone())));
            }
            shape
        }
    });
    set(&mut shape, "header", header);
    set(&mut shape, "body", interactive.body.as_ref().map(|text| json!({ "text": text })));
    set(&mut shape, "footer", interactive.footer.as_ref().map(|text| json!({ "text": text })));
    shape
}

/// Returns an object such as `{"type": "image", "image": {…}}`.
fn with_file(kind: MediaKind, url: &WebAddress) -> Value {
    let mut shape = json!({ "type": kind.as_str() });
    set(&mut shape, kind.as_str(), Some(json!({ "link": url.as_str() })));
    shape
}

fn action(action: &Action) -> Value {
    match action {
        Action::Buttons(buttons) => {
            let buttons = buttons.iter().map(|it| json!({ "type": "reply", "reply": reply(it) }));
            json!({ "buttons": buttons.collect::<Vec<_>>() })
        }
        Action::List(list) => rows(list),
        Action::Link { display_text, url } => json!({ "parameters": link(display_text, url) }),
        Action::Flow(it) => json!({ "parameters": flow(it) }),
        Action::RequestLocation | Action::RequestContactInfo | Action::RequestCallPermission => {
            json!({})
        }
        Action::Address(it) => json!({ "parameters": address(it) }),
        Action::Catalog { thumbnail } => {
            let mut shape = json!({});
            let parameters =
                thumbnail.as_ref().map(|id| json!({ "thumbnail_product_retailer_id": id }));
            set(&mut shape, "parameters", parameters);
            shape
        }
        Action::Product(it) => {
            json!({ "catalog_id": it.catalog_id, "product_retailer_id": it.product_retailer_id })
        }
        Action::ProductList(it) => {
            json!({ "catalog_id": it.catalog_id, "sections": sections(&it.sections) })
        }
        Action::Carousel(cards) => {
            json!({ "cards": cards.iter().map(card).collect::<Vec<_>>() })
        }
        Action::OrderDetails(it) => json!({ "parameters": order_details(it) }),
        Action::OrderStatus(it) => json!({ "parameters": order_status(it) }),
    }
}

fn reply(button: &Button) -> Value {
    json!({ "id": button.id, "title": button.title })
}

fn link(display_text: &str, url: &WebAddress) -> Value {
    json!({ "display_text": display_text, "url": url.as_str() })
}

fn rows(list: &List) -> Value {
    let sections = list.sections.iter().map(|section| {
        let rows = section.rows.iter().map(|row| {
            let mut shape = json!({ "id": row.id, "title": row.title });
            set(&mut shape, "description", row.description.clone().map(Value::from));
            shape
        });
        let mut shape = json!({ "rows": rows.collect::<Vec<_>>() });
        set(&mut shape, "title", section.title.clone().map(Value::from));
        shape
    });
    json!({ "button": list.button, "sections": sections.collect::<Vec<_>>() })
}

/// Converts sections with products.
pub fn sections(sections: &[ProductSection]) -> Vec<Value> {
    let sections = sections.iter().map(|section| {
        let items = section.products.iter().map(|id| json!({ "product_retailer_id": id }));
        let mut shape = json!({ "product_items": items.collect::<Vec<_>>() });
        set(&mut shape, "title", section.title.clone().map(Value::from));
        shape
    });
    sections.collect()
}

/// Parses JSON that the sender provided. It was valid JSON when the message was accepted. Should it
/// not be valid now, it is sent as a JSON string.
pub fn own(json: Option<&String>) -> Option<Value> {
    json.map(|json| serde_json::from_str(json).unwrap_or_else(|_| Value::from(json.clone())))
}

fn flow(it: &FlowAction) -> Value {
    let mut shape = json!({ "flow_message_version": FLOW_MESSAGE_VERSION, "flow_cta": it.label });
    match &it.flow {
        FlowRef::Id(id) => set(&mut shape, "flow_id", Some(Value::from(id.clone()))),
        FlowRef::Name(name) => set(&mut shape, "flow_name", Some(Value::from(name.clone()))),
    }
    set(&mut shape, "flow_token", it.token.clone().map(Value::from));
    set(&mut shape, "mode", it.mode.map(|mode| mode.as_str().into()));
    set(&mut shape, "flow_action", it.start.map(|start| start.as_str().into()));
    if it.screen.is_some() || it.data.is_some() {
        let mut payload = json!({});
        set(&mut payload, "screen", it.screen.clone().map(Value::from));
        set(&mut payload, "data", own(it.data.as_ref()));
        set(&mut shape, "flow_action_payload", Some(payload));
    }
    shape
}

fn address(it: &AddressRequest) -> Value {
    let mut shape = json!({ "country": it.country });
    set(&mut shape, "values", own(it.values.as_ref()));
    set(&mut shape, "saved_addresses", own(it.saved_addresses.as_ref()));
    set(&mut shape, "validation_errors", own(it.validation_errors.as_ref()));
    shape
}

/// Converts a card. In Meta's format, cards with reply buttons and cards with a link have the same
/// type.
fn card(card: &Card) -> Value {
    let (kind, action) = match &card.action {
        CardAction::Link { display_text, url } => {
            let parameters = link(display_text, url);
            ("cta_url", json!({ "name": "cta_url", "parameters": parameters }))
        }
        CardAction::Replies(buttons) => {
            let buttons =
                buttons.iter().map(|it| json!({ "type": "quick_reply", "quick_reply": reply(it) }));
            ("cta_url", json!({ "buttons": buttons.collect::<Vec<_>>() }))
        }
        CardAction::Product(it) => {
            let (catalog, product) = (&it.catalog_id, &it.product_retailer_id);
            ("product", json!({ "product_retailer_id": product, "catalog_id": catalog }))
        }
    };
    let mut shape = json!({ "card_index": card.index, "type": kind, "action": action });
    set(&mut shape, "header", card.header.as_ref().map(|(kind, url)| with_file(*kind, url)));
    set(&mut shape, "body", card.body.as_ref().map(|text| json!({ "text": text })));
    shape
}

fn amount(value: i64) -> Value {
    json!({ "value": value, "offset": OFFSET })
}

fn order_details(it: &OrderDetails) -> Value {
    let mut shape = json!({
        "reference_id": it.reference_id,
        "type": it.goods.as_str(),
        "currency": it.currency,
        "total_amount": amount(it.total),
    });
    let payment = &it.payment;
    set(&mut shape, "payment_type", payment.payment_type.clone().map(Value::from));
    let configuration = payment.payment_configuration.clone().map(Value::from);
    set(&mut shape, "payment_configuration", configuration);
    set(&mut shape, "payment_settings", own(payment.payment_settings.as_ref()));
    set(&mut shape, "order", it.order.as_ref().map(order));
    shape
}

fn order(it: &Order) -> Value {
    let items = it.items.iter().map(|item| {
        let mut shape = json!({
            "retailer_id": item.retailer_id,
            "name": item.name,
            "amount": amount(item.amount),
            "quantity": item.quantity,
        });
        set(&mut shape, "sale_amount", item.sale_amount.map(amount));
        let image = item.image.as_ref().map(|url| json!({ "link": url.as_str() }));
        set(&mut shape, "image", image);
        set(&mut shape, "country_of_origin", item.origin.country.clone().map(Value::from));
        set(&mut shape, "importer_name", item.origin.importer_name.clone().map(Value::from));
        set(&mut shape, "importer_address", own(item.origin.importer_address.as_ref()));
        shape
    });
    let mut shape = json!({
        "status": OrderState::Pending.as_str(),
        "items": items.collect::<Vec<_>>(),
        "subtotal": amount(it.subtotal),
    });
    set(&mut shape, "catalog_id", it.catalog_id.clone().map(Value::from));
    set(&mut shape, "tax", it.tax.as_ref().map(charge));
    set(&mut shape, "shipping", it.shipping.as_ref().map(charge));
    set(&mut shape, "discount", it.discount.as_ref().map(charge));
    let expiration = it
        .expiration
        .as_ref()
        .map(|end| json!({ "timestamp": end.at.to_string(), "description": end.description }));
    set(&mut shape, "expiration", expiration);
    shape
}

fn charge(it: &Charge) -> Value {
    let mut shape = amount(it.amount);
    set(&mut shape, "description", it.description.clone().map(Value::from));
    set(&mut shape, "discount_program_name", it.program.clone().map(Value::from));
    shape
}

fn order_status(it: &OrderStatus) -> Value {
    let mut order = json!({ "status": it.status.as_str() });
    set(&mut order, "description", it.description.clone().map(Value::from));
    json!({ "reference_id": it.reference_id, "order": order })
}
