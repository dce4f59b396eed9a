//! Locations, contact cards, orders and forms that contacts send.

use super::readable::readable;
use super::shape::{empty_is_none, number, reported_number, second_of};
use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, ContactCard,
};
use domain::inbound::{InboundContent, ReceivedItem, ReceivedOrder, ReportedNumber};
use domain::location::Location;
use domain::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct PlacePart {
    #[serde(deserialize_with = "number")]
    latitude: f64,
    #[serde(deserialize_with = "number")]
    longitude: f64,
    name: Option<String>,
    address: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct OrderPart {
    #[serde(default)]
    catalog_id: Value,
    text: Option<String>,
    product_items: Vec<ItemPart>,
}

#[derive(Deserialize)]
struct ItemPart {
    product_retailer_id: Value,
    #[serde(deserialize_with = "reported_number")]
    quantity: ReportedNumber,
    #[serde(deserialize_with = "reported_number")]
    item_price: ReportedNumber,
    currency: String,
}

#[derive(Deserialize)]
struct FormReply {
    name: Option<String>,
    body: Option<String>,
    response_json: Value,
}

#[derive(Deserialize)]
struct PermissionPart {
    response: String,
    is_permanent: Option<bool>,
    expiration_timestamp: Option<Value>,
    response_source: Option<String>,
}

#[derive(Deserialize)]
struct ContactCardPart {
    #[serde(default)]
    name: NamePart,
    #[serde(default)]
    phones: Vec<PhonePart>,
    #[serde(default)]
    emails: Vec<EmailPart>,
    #[serde(default)]
    urls: Vec<UrlPart>,
    #[serde(default)]
    addresses: Vec<AddressPart>,
    org: Option<OrganizationPart>,
    birthday: Option<String>,
}

#[derive(Default, Deserialize)]
struct NamePart {
    #[serde(default)]
    formatted_name: String,
    first_name: Option<String>,
    last_name: Option<String>,
    middle_name: Option<String>,
    suffix: Option<String>,
    prefix: Option<String>,
}

#[derive(Deserialize)]
struct PhonePart {
    phone: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    wa_id: Option<String>,
}

#[derive(Deserialize)]
struct EmailPart {
    email: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct UrlPart {
    url: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct AddressPart {
    street: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    country: Option<String>,
    country_code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct OrganizationPart {
    company: Option<String>,
    department: Option<String>,
    title: Option<String>,
}

pub fn location(part: Value) -> Option<InboundContent> {
    let PlacePart { latitude, longitude, name, address, url } =
        serde_json::from_value(part).ok()?;
    let [name, address, url] = [name, address, url].map(empty_is_none);
    let place = Location::stored(latitude, longitude, name, address);
    Some(InboundContent::Location { place, url })
}

pub fn contacts(part: Value) -> Option<InboundContent> {
    let cards: Vec<ContactCardPart> = serde_json::from_value(part).ok()?;
    Some(InboundContent::Contacts(cards.into_iter().map(card).collect()))
}

/// Parses an order from a catalog.
pub fn order(part: Value) -> Option<InboundContent> {
    let OrderPart { catalog_id, text, product_items } = serde_json::from_value(part).ok()?;
    let item = |it: ItemPart| ReceivedItem {
        product_retailer_id: super::shape::text_of(&it.product_retailer_id),
        quantity: it.quantity,
        item_price: it.item_price,
        currency: it.currency,
    };
    let catalog_id =
        if catalog_id.is_null() { String::new() } else { super::shape::text_of(&catalog_id) };
    let items = product_items.into_iter().map(item).collect();
    Some(InboundContent::Order(ReceivedOrder { catalog_id, text: empty_is_none(text), items }))
}

/// Parses a submitted form, which is a flow or a form for an address. A response that is not JSON
/// is kept as text.
pub fn form(part: Value) -> Option<InboundContent> {
    let FormReply { name, body, response_json } = serde_json::from_value(part).ok()?;
    let response = match response_json {
        Value::Null => return None,
        Value::String(text) => {
            let decoded = serde_json::from_str(&readable(&text)).ok();
            decoded.unwrap_or(Value::String(text))
        }
        already => already,
    };
    let response = response.to_string();
    Some(InboundContent::FlowReply { name: empty_is_none(name), body, response })
}

/// Parses the answer to a request for permission to call.
pub fn permission(part: Value) -> Option<InboundContent> {
    let it: PermissionPart = serde_json::from_value(part).ok()?;
    let expires = it.expiration_timestamp.as_ref().and_then(second_of);
    Some(InboundContent::CallPermissionReply {
        accepted: it.response == "accept",
        permanent: it.is_permanent == Some(true),
        expires_at: expires.map(Timestamp::from_seconds),
        automatic: it.response_source.as_deref() == Some("automatic"),
    })
}

fn card(it: ContactCardPart) -> ContactCard {
    let NamePart { formatted_name, first_name, last_name, middle_name, suffix, prefix } = it.name;
    let phone = |PhonePart { phone, kind, wa_id }| CardPhone { phone, kind, wa_id };
    let email = |it: EmailPart| Some(CardEntry { value: it.email?, kind: it.kind });
    let url = |it: UrlPart| Some(CardEntry { value: it.url?, kind: it.kind });
    let address = |it: AddressPart| {
        let AddressPart { street, city, state, zip, country, country_code, kind } = it;
        CardAddress { street, city, state, zip, country, country_code, kind }
    };
    ContactCard {
        name: CardName { formatted_name, first_name, last_name, middle_name, suffix, prefix },
        phones: it.phones.into_iter().map(phone).collect(),
        emails: it.emails.into_iter().filter_map(email).collect(),
        urls: it.urls.into_iter().filter_map(url).collect(),
        addresses: it.addresses.into_iter().map(address).collect(),
        org: it.org.map(|OrganizationPart { company, department, title }| CardOrganization {
            company,
            department,
            title,
        }),
        birthday: it.birthday,
    }
}
