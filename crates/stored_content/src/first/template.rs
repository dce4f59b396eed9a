//! Templates and their parameters.

use super::{FileLinkRow, LocationRow, keyword};
use crate::Unreadable;
use domain::content::template::CAROUSEL;
use domain::content::{
    ActionParameter, ButtonKind, CardParameters, ComponentParameters, DateParts, Parameter,
    ParameterPlace, ProductSection, TapTarget, TemplateContent,
};
use domain::keyword::Keyword as _;
use domain::media::WebAddress;
use domain::template::{Language, TemplateName};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

#[derive(Serialize, Deserialize)]
struct TemplateRow {
    name: String,
    language: String,
    #[serde(default)]
    components: Vec<ComponentRow>,
}

#[derive(Serialize, Deserialize)]
struct ComponentRow {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<ButtonIndexRow>,
    #[serde(default, deserialize_with = "parameters")]
    parameters: Vec<ParameterRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cards: Vec<CardRow>,
}

#[derive(Serialize, Deserialize)]
struct CardRow {
    card_index: u8,
    components: Vec<ComponentRow>,
}

/// The index of a button. It is stored as text. In rows of 2026 it is a number if the request
/// contained a number.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ButtonIndexRow {
    Number(u8),
    Text(String),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ParameterRow {
    Text {
        #[serde(skip_serializing_if = "Option::is_none")]
        parameter_name: Option<String>,
        text: String,
    },
    Image {
        image: FileLinkRow,
    },
    Video {
        video: FileLinkRow,
    },
    Document {
        document: FileLinkRow,
    },
    Payload {
        payload: String,
    },
    Currency {
        #[serde(skip_serializing_if = "Option::is_none")]
        parameter_name: Option<String>,
        currency: CurrencyRow,
    },
    DateTime {
        #[serde(skip_serializing_if = "Option::is_none")]
        parameter_name: Option<String>,
        date_time: DateTimeRow,
    },
    Gif {
        gif: FileLinkRow,
    },
    Location {
        location: LocationRow,
    },
    Product {
        product: TemplateProductRow,
    },
    LimitedTimeOffer {
        limited_time_offer: OfferEndRow,
    },
    CouponCode {
        coupon_code: String,
    },
    TtlMinutes {
        ttl_minutes: i64,
    },
    Action {
        action: TemplateActionRow,
    },
    OrderStatus {
        order_status: Map<String, Value>,
    },
    TapTargetConfiguration {
        tap_target_configuration: Vec<TapTargetRow>,
    },
}

#[derive(Serialize, Deserialize)]
struct CurrencyRow {
    fallback_value: String,
    code: String,
    amount_1000: i64,
}

#[derive(Serialize, Deserialize)]
struct DateTimeRow {
    fallback_value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_week: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_month: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hour: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minute: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calendar: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct TapTargetRow {
    url: String,
    title: String,
}

#[derive(Serialize, Deserialize)]
struct TemplateProductRow {
    catalog_id: String,
    product_retailer_id: String,
}

#[derive(Serialize, Deserialize)]
struct OfferEndRow {
    expiration_time_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct TemplateActionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_product_retailer_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sections: Vec<TemplateSectionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_data: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_details: Option<Map<String, Value>>,
}

#[derive(Serialize, Deserialize)]
struct TemplateSectionRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    product_items: Vec<TemplateProductItemRow>,
}

#[derive(Serialize, Deserialize)]
struct TemplateProductItemRow {
    product_retailer_id: String,
}

/// Decodes a list; null is an empty list.
fn parameters<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<ParameterRow>, D::Error> {
    Ok(Option::deserialize(reader)?.unwrap_or_default())
}

pub fn decode(json: &str) -> Result<TemplateContent, Unreadable> {
    let TemplateRow { name, language, components } = serde_json::from_str(json)?;
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
        "order_status" => ParameterPlace::OrderStatus,
        "tap_target_configuration" => ParameterPlace::TapTargets,
        "button" => {
            let sub_type = sub_type.unwrap_or_default().to_ascii_lowercase();
            match (keyword::<ButtonKind>(&sub_type, "a kind of button")?, index) {
                (ButtonKind::VoiceCall, None) => ParameterPlace::CallButton,
                (kind, index) => ParameterPlace::Button(kind, place_of(index)?),
            }
        }
        _ => return Err(Unreadable::Keyword(kind, "a component")),
    };
    let parameters = parameters.into_iter().map(parameter).collect();
    Ok(ComponentParameters::new(place, parameters))
}

fn parameter(row: ParameterRow) -> Parameter {
    let link = |link: FileLinkRow| WebAddress::stored(link.link);
    match row {
        ParameterRow::Text { parameter_name: name, text } => Parameter::Text { name, text },
        ParameterRow::Currency { parameter_name: name, currency } => {
            let CurrencyRow { fallback_value: fallback, code, amount_1000 } = currency;
            Parameter::Currency { name, fallback, code, amount_1000 }
        }
        ParameterRow::DateTime { parameter_name: name, date_time } => {
            let parts = DateParts {
                day_of_week: date_time.day_of_week,
                year: date_time.year,
                month: date_time.month,
                day_of_month: date_time.day_of_month,
                hour: date_time.hour,
                minute: date_time.minute,
                calendar: date_time.calendar,
                timestamp: date_time.timestamp,
            };
            let fallback = date_time.fallback_value;
            Parameter::DateTime { name, fallback, parts: Box::new(parts) }
        }
        ParameterRow::Image { image } => Parameter::Image(link(image)),
        ParameterRow::Video { video } => Parameter::Video(link(video)),
        ParameterRow::Gif { gif } => Parameter::Gif(link(gif)),
        ParameterRow::Document { document } => {
            let FileLinkRow { link, filename } = document;
            Parameter::Document(WebAddress::stored(link), filename)
        }
        ParameterRow::Location { location } => Parameter::Location(location.into()),
        ParameterRow::Product { product } => {
            let TemplateProductRow { catalog_id, product_retailer_id } = product;
            Parameter::Product { catalog_id, product_retailer_id }
        }
        ParameterRow::LimitedTimeOffer { limited_time_offer } => {
            Parameter::OfferExpiration(limited_time_offer.expiration_time_ms)
        }
        ParameterRow::CouponCode { coupon_code } => Parameter::CouponCode(coupon_code),
        ParameterRow::Payload { payload } => Parameter::Payload(payload),
        ParameterRow::TtlMinutes { ttl_minutes } => Parameter::TtlMinutes(ttl_minutes),
        ParameterRow::Action { action } => Parameter::Action(opened(action)),
        ParameterRow::OrderStatus { order_status } => {
            Parameter::OrderStatus(Value::Object(order_status).to_string())
        }
        ParameterRow::TapTargetConfiguration { tap_target_configuration } => {
            let target =
                |TapTargetRow { url, title }| TapTarget { url: WebAddress::stored(url), title };
            Parameter::TapTargets(tap_target_configuration.into_iter().map(target).collect())
        }
    }
}

fn opened(row: TemplateActionRow) -> ActionParameter {
    let section = |it: TemplateSectionRow| ProductSection {
        title: it.title,
        products: it.product_items.into_iter().map(|item| item.product_retailer_id).collect(),
    };
    ActionParameter {
        thumbnail_product_retailer_id: row.thumbnail_product_retailer_id,
        sections: row.sections.into_iter().map(section).collect(),
        flow_token: row.flow_token,
        flow_action_data: row.flow_action_data.map(|data| Value::Object(data).to_string()),
        order_details: row.order_details.map(|order| Value::Object(order).to_string()),
    }
}

fn place_of(index: Option<ButtonIndexRow>) -> Result<u8, Unreadable> {
    let text = match index {
        Some(ButtonIndexRow::Number(number)) => return Ok(number),
        Some(ButtonIndexRow::Text(text)) => text,
        None => String::new(),
    };
    let number: Option<i64> = text.parse().ok();
    let number = number.and_then(|number| u8::try_from(number).ok());
    number.ok_or(Unreadable::Keyword(text, "the index of a button"))
}

pub fn encode(it: &TemplateContent) -> serde_json::Result<String> {
    let mut components = rows_of(&it.components)?;
    if !it.cards.is_empty() {
        let card = |it: &CardParameters| {
            Ok(CardRow { card_index: it.index, components: rows_of(&it.components)? })
        };
        let cards: serde_json::Result<Vec<CardRow>> = it.cards.iter().map(card).collect();
        components.push(ComponentRow { cards: cards?, ..ComponentRow::parse(CAROUSEL) });
    }
    let (name, language) = (it.name.as_str().to_owned(), it.language.as_str().to_owned());
    serde_json::to_string(&TemplateRow { name, language, components })
}

impl ComponentRow {
    fn parse(kind: &str) -> Self {
        let (parameters, cards) = (Vec::new(), Vec::new());
        Self { kind: kind.to_owned(), sub_type: None, index: None, parameters, cards }
    }
}

fn rows_of(components: &[ComponentParameters]) -> serde_json::Result<Vec<ComponentRow>> {
    let row = |it: &ComponentParameters| {
        let row = match it.place {
            ParameterPlace::Header => ComponentRow::parse("header"),
            ParameterPlace::Body => ComponentRow::parse("body"),
            ParameterPlace::LimitedTimeOffer => ComponentRow::parse("limited_time_offer"),
            ParameterPlace::OrderStatus => ComponentRow::parse("order_status"),
            ParameterPlace::TapTargets => ComponentRow::parse("tap_target_configuration"),
            ParameterPlace::Button(kind, index) => ComponentRow {
                sub_type: Some(kind.as_str().to_owned()),
                index: Some(ButtonIndexRow::Text(index.to_string())),
                ..ComponentRow::parse("button")
            },
            ParameterPlace::CallButton => ComponentRow {
                sub_type: Some(ButtonKind::VoiceCall.as_str().to_owned()),
                ..ComponentRow::parse("button")
            },
        };
        let parameters: serde_json::Result<_> = it.parameters.iter().map(row_of).collect();
        Ok(ComponentRow { parameters: parameters?, ..row })
    };
    components.iter().map(row).collect()
}

fn row_of(it: &Parameter) -> serde_json::Result<ParameterRow> {
    Ok(match it.clone() {
        Parameter::Text { name: parameter_name, text } => {
            ParameterRow::Text { parameter_name, text }
        }
        Parameter::Currency { name: parameter_name, fallback, code, amount_1000 } => {
            let currency = CurrencyRow { fallback_value: fallback, code, amount_1000 };
            ParameterRow::Currency { parameter_name, currency }
        }
        Parameter::DateTime { name: parameter_name, fallback, parts } => {
            let date_time = DateTimeRow {
                fallback_value: fallback,
                day_of_week: parts.day_of_week,
                year: parts.year,
                month: parts.month,
                day_of_month: parts.day_of_month,
                hour: parts.hour,
                minute: parts.minute,
                calendar: parts.calendar,
                timestamp: parts.timestamp,
            };
            ParameterRow::DateTime { parameter_name, date_time }
        }
        Parameter::Image(link) => ParameterRow::Image { image: FileLinkRow::to(&link) },
        Parameter::Video(link) => ParameterRow::Video { video: FileLinkRow::to(&link) },
        Parameter::Gif(link) => ParameterRow::Gif { gif: FileLinkRow::to(&link) },
        Parameter::Document(link, filename) => {
            ParameterRow::Document { document: FileLinkRow { filename, ..FileLinkRow::to(&link) } }
        }
        Parameter::Location(place) => ParameterRow::Location { location: place.into() },
        Parameter::Product { catalog_id, product_retailer_id } => ParameterRow::Product {
            product: TemplateProductRow { catalog_id, product_retailer_id },
        },
        Parameter::OfferExpiration(expiration_time_ms) => ParameterRow::LimitedTimeOffer {
            limited_time_offer: OfferEndRow { expiration_time_ms },
        },
        Parameter::CouponCode(coupon_code) => ParameterRow::CouponCode { coupon_code },
        Parameter::Payload(payload) => ParameterRow::Payload { payload },
        Parameter::TtlMinutes(ttl_minutes) => ParameterRow::TtlMinutes { ttl_minutes },
        Parameter::Action(action) => ParameterRow::Action { action: action_row(action)? },
        Parameter::OrderStatus(status) => {
            ParameterRow::OrderStatus { order_status: serde_json::from_str(&status)? }
        }
        Parameter::TapTargets(targets) => {
            let target =
                |TapTarget { url, title }| TapTargetRow { url: url.as_str().to_owned(), title };
            let tap_target_configuration = targets.into_iter().map(target).collect();
            ParameterRow::TapTargetConfiguration { tap_target_configuration }
        }
    })
}

fn action_row(it: ActionParameter) -> serde_json::Result<TemplateActionRow> {
    let item = |product_retailer_id| TemplateProductItemRow { product_retailer_id };
    let section = |it: ProductSection| TemplateSectionRow {
        title: it.title,
        product_items: it.products.into_iter().map(item).collect(),
    };
    let data = it.flow_action_data.as_deref().map(serde_json::from_str).transpose()?;
    let order = it.order_details.as_deref().map(serde_json::from_str).transpose()?;
    Ok(TemplateActionRow {
        thumbnail_product_retailer_id: it.thumbnail_product_retailer_id,
        sections: it.sections.into_iter().map(section).collect(),
        flow_token: it.flow_token,
        flow_action_data: data,
        order_details: order,
    })
}
