//! A template with what fills it in.

use super::{Link, keyword};
use crate::content::Unreadable;
use domain::content::template::CAROUSEL;
use domain::content::{
    ActionParameter, ButtonKind, CardParameters, ComponentParameters, Parameter, ParameterPlace,
    ProductSection, TemplateContent,
};
use domain::location::Location;
use domain::media::WebAddress;
use domain::template::{Language, TemplateName};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
struct Template {
    name: String,
    language: String,
    #[serde(default)]
    components: Vec<ComponentRow>,
}

#[derive(Deserialize)]
struct ComponentRow {
    #[serde(rename = "type")]
    kind: String,
    sub_type: Option<String>,
    index: Option<Index>,
    #[serde(default)]
    parameters: Value,
    #[serde(default)]
    cards: Vec<CardRow>,
}

#[derive(Deserialize)]
struct CardRow {
    card_index: u8,
    components: Vec<ComponentRow>,
}

/// Rows of 2026 hold a number where the request had one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Index {
    Number(u8),
    Text(String),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ParameterRow {
    Text { parameter_name: Option<String>, text: String },
    Image { image: Link },
    Video { video: Link },
    Document { document: Link },
    Payload { payload: String },
    Currency { parameter_name: Option<String>, currency: CurrencyRow },
    DateTime { parameter_name: Option<String>, date_time: DateTimeRow },
    Gif { gif: Link },
    Location { location: LocationRow },
    Product { product: ProductRow },
    LimitedTimeOffer { limited_time_offer: OfferEndRow },
    CouponCode { coupon_code: String },
    Action { action: ActionRow },
}

#[derive(Deserialize)]
struct CurrencyRow {
    fallback_value: String,
    code: String,
    amount_1000: i64,
}

#[derive(Deserialize)]
struct DateTimeRow {
    fallback_value: String,
}

#[derive(Deserialize)]
struct LocationRow {
    latitude: f64,
    longitude: f64,
    name: Option<String>,
    address: Option<String>,
}

#[derive(Deserialize)]
struct ProductRow {
    catalog_id: String,
    product_retailer_id: String,
}

#[derive(Deserialize)]
struct OfferEndRow {
    expiration_time_ms: i64,
}

#[derive(Deserialize)]
struct ActionRow {
    thumbnail_product_retailer_id: Option<String>,
    #[serde(default)]
    sections: Vec<SectionRow>,
    flow_token: Option<String>,
    flow_action_data: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct SectionRow {
    title: Option<String>,
    product_items: Vec<ProductItemRow>,
}

#[derive(Deserialize)]
struct ProductItemRow {
    product_retailer_id: String,
}

/// Reads what was stored.
pub fn decode(json: &str) -> Result<TemplateContent, Unreadable> {
    let Template { name, language, components } = serde_json::from_str(json)?;
    let (mut filled, mut cards) = (Vec::new(), Vec::new());
    for row in components {
        if row.kind == CAROUSEL {
            cards = row.cards.into_iter().map(card).collect::<Result<_, _>>()?;
        } else {
            filled.push(component(row)?);
        }
    }
    let (name, language) = (TemplateName::stored(name), Language::stored(language));
    Ok(TemplateContent::stored(name, language, filled, cards))
}

fn card(row: CardRow) -> Result<CardParameters, Unreadable> {
    let components: Result<Vec<_>, _> = row.components.into_iter().map(component).collect();
    Ok(CardParameters { index: row.card_index, components: components? })
}

fn component(row: ComponentRow) -> Result<ComponentParameters, Unreadable> {
    let ComponentRow { kind, sub_type, index, parameters, .. } = row;
    let place = match kind.as_str() {
        "header" => ParameterPlace::Header,
        "body" => ParameterPlace::Body,
        "limited_time_offer" => ParameterPlace::LimitedTimeOffer,
        "button" => {
            let sub_type = sub_type.unwrap_or_default().to_ascii_lowercase();
            ParameterPlace::Button(
                keyword::<ButtonKind>(&sub_type, "a kind of button")?,
                place_of(index)?,
            )
        }
        _ => return Err(Unreadable::Keyword(kind, "a component")),
    };
    let parameters: Option<Vec<ParameterRow>> = serde_json::from_value(parameters)?;
    let parameters = parameters.into_iter().flatten().map(parameter).collect();
    Ok(ComponentParameters::new(place, parameters))
}

fn parameter(row: ParameterRow) -> Parameter {
    let link = |link: Link| WebAddress::stored(link.link);
    match row {
        ParameterRow::Text { parameter_name: name, text } => Parameter::Text { name, text },
        ParameterRow::Currency { parameter_name: name, currency } => {
            let CurrencyRow { fallback_value: fallback, code, amount_1000 } = currency;
            Parameter::Currency { name, fallback, code, amount_1000 }
        }
        ParameterRow::DateTime { parameter_name: name, date_time } => {
            Parameter::DateTime { name, fallback: date_time.fallback_value }
        }
        ParameterRow::Image { image } => Parameter::Image(link(image)),
        ParameterRow::Video { video } => Parameter::Video(link(video)),
        ParameterRow::Gif { gif } => Parameter::Gif(link(gif)),
        ParameterRow::Document { document } => {
            let Link { link, filename } = document;
            Parameter::Document(WebAddress::stored(link), filename)
        }
        ParameterRow::Location { location } => {
            let LocationRow { latitude, longitude, name, address } = location;
            Parameter::Location(Location::stored(latitude, longitude, name, address))
        }
        ParameterRow::Product { product } => {
            let ProductRow { catalog_id, product_retailer_id } = product;
            Parameter::Product { catalog_id, product_retailer_id }
        }
        ParameterRow::LimitedTimeOffer { limited_time_offer } => {
            Parameter::OfferExpiration(limited_time_offer.expiration_time_ms)
        }
        ParameterRow::CouponCode { coupon_code } => Parameter::CouponCode(coupon_code),
        ParameterRow::Payload { payload } => Parameter::Payload(payload),
        ParameterRow::Action { action } => Parameter::Action(opened(action)),
    }
}

fn opened(row: ActionRow) -> ActionParameter {
    let section = |it: SectionRow| ProductSection {
        title: it.title,
        products: it.product_items.into_iter().map(|item| item.product_retailer_id).collect(),
    };
    ActionParameter {
        thumbnail_product_retailer_id: row.thumbnail_product_retailer_id,
        sections: row.sections.into_iter().map(section).collect(),
        flow_token: row.flow_token,
        flow_action_data: row.flow_action_data.map(|data| Value::Object(data).to_string()),
    }
}

fn place_of(index: Option<Index>) -> Result<u8, Unreadable> {
    let text = match index {
        Some(Index::Number(number)) => return Ok(number),
        Some(Index::Text(text)) => text,
        None => String::new(),
    };
    let number: Option<i64> = text.parse().ok();
    let number = number.and_then(|number| u8::try_from(number).ok());
    number.ok_or(Unreadable::Keyword(text, "the index of a button"))
}
