//! Template messages and their parameters in the format of the Cloud API.

use super::interactive::{own, sections};
use super::json::set;
use domain::content::{
    ActionParameter, ButtonKind, CardParameters, ComponentParameters, DateParts, Parameter,
    ParameterPlace, TapTarget, TemplateContent,
};
use domain::keyword::Keyword as _;
use domain::location::Location;
use domain::media::WebAddress;
use serde_json::{Map, Value, json};

pub fn template(content: &TemplateContent) -> Value {
    let mut shape =
        json!({ "name": content.name.as_str(), "language": { "code": content.language.as_str() } });
    let mut components = content.components.iter().map(component).collect::<Vec<_>>();
    if !content.cards.is_empty() {
        let cards = content.cards.iter().map(card).collect::<Vec<_>>();
        components.push(json!({ "type": "carousel", "cards": cards }));
    }
    if !components.is_empty() {
        set(&mut shape, "components", Some(Value::from(components)));
    }
    shape
}

fn card(card: &CardParameters) -> Value {
    let components = card.components.iter().map(component).collect::<Vec<_>>();
    json!({ "card_index": card.index, "components": components })
}

fn component(part: &ComponentParameters) -> Value {
    let mut shape = match part.place {
        ParameterPlace::Header => Map::from_iter([("type".to_owned(), json!("header"))]),
        ParameterPlace::Body => Map::from_iter([("type".to_owned(), json!("body"))]),
        ParameterPlace::LimitedTimeOffer => {
            Map::from_iter([("type".to_owned(), json!("limited_time_offer"))])
        }
        ParameterPlace::OrderStatus => Map::from_iter([("type".to_owned(), json!("order_status"))]),
        ParameterPlace::TapTargets => {
            Map::from_iter([("type".to_owned(), json!("tap_target_configuration"))])
        }
        ParameterPlace::Button(kind, index) => Map::from_iter([
            ("type".to_owned(), json!("button")),
            ("sub_type".to_owned(), json!(kind.as_str())),
            ("index".to_owned(), json!(index.to_string())),
        ]),
        ParameterPlace::CallButton => Map::from_iter([
            ("type".to_owned(), json!("button")),
            ("sub_type".to_owned(), json!(ButtonKind::VoiceCall.as_str())),
        ]),
    };
    let copies = matches!(part.place, ParameterPlace::Button(ButtonKind::CopyCode, _));
    let parameters = part.parameters.iter().map(|it| parameter(it, copies)).collect::<Vec<_>>();
    shape.insert("parameters".to_owned(), Value::from(parameters));
    Value::Object(shape)
}

fn parameter(parameter: &Parameter, copies: bool) -> Value {
    let kind = parameter.word();
    let with = |content: Value| json!({ "type": kind, kind: content });
    let named = |mut shape: Value, name: &Option<String>| {
        set(&mut shape, "parameter_name", name.clone().map(Value::from));
        shape
    };
    let linked = |url: &WebAddress| json!({ "link": url.as_str() });
    match parameter {
        Parameter::Text { text, .. } | Parameter::Payload(text) if copies => {
            json!({ "type": "coupon_code", "coupon_code": text })
        }
        Parameter::Text { name, text } => named(with(json!(text)), name),
        Parameter::Currency { name, fallback, code, amount_1000 } => {
            let money =
                json!({ "fallback_value": fallback, "code": code, "amount_1000": amount_1000 });
            named(with(money), name)
        }
        Parameter::DateTime { name, fallback, parts } => {
            named(with(date_time(fallback, parts)), name)
        }
        Parameter::Image(url) | Parameter::Video(url) | Parameter::Gif(url) => with(linked(url)),
        Parameter::Document(url, name) => {
            let mut file = linked(url);
            set(&mut file, "filename", name.clone().map(Value::from));
            with(file)
        }
        Parameter::Location(place) => with(location(place)),
        Parameter::Product { catalog_id, product_retailer_id } => {
            with(json!({ "catalog_id": catalog_id, "product_retailer_id": product_retailer_id }))
        }
        Parameter::OfferExpiration(end) => with(json!({ "expiration_time_ms": end })),
        Parameter::CouponCode(text) | Parameter::Payload(text) => with(json!(text)),
        Parameter::TtlMinutes(minutes) => with(json!(minutes)),
        Parameter::Action(opened) => with(action(opened)),
        Parameter::OrderStatus(status) => with(own(Some(status)).unwrap_or_else(|| json!({}))),
        Parameter::TapTargets(targets) => {
            let target = |it: &TapTarget| json!({ "url": it.url.as_str(), "title": it.title });
            with(targets.iter().map(target).collect())
        }
    }
}

fn date_time(fallback: &str, parts: &DateParts) -> Value {
    let mut shape = json!({ "fallback_value": fallback });
    for (name, value) in [
        ("day_of_week", parts.day_of_week),
        ("year", parts.year),
        ("month", parts.month),
        ("day_of_month", parts.day_of_month),
        ("hour", parts.hour),
        ("minute", parts.minute),
        ("timestamp", parts.timestamp),
    ] {
        set(&mut shape, name, value.map(Value::from));
    }
    set(&mut shape, "calendar", parts.calendar.clone().map(Value::from));
    shape
}

pub fn location(place: &Location) -> Value {
    let mut shape = json!({ "latitude": place.latitude, "longitude": place.longitude });
    set(&mut shape, "name", place.name.clone().map(Value::from));
    set(&mut shape, "address", place.address.clone().map(Value::from));
    shape
}

fn action(opened: &ActionParameter) -> Value {
    let mut shape = json!({});
    let thumbnail = opened.thumbnail_product_retailer_id.clone().map(Value::from);
    set(&mut shape, "thumbnail_product_retailer_id", thumbnail);
    let sections = (!opened.sections.is_empty()).then(|| sections(&opened.sections).into());
    set(&mut shape, "sections", sections);
    set(&mut shape, "flow_token", opened.flow_token.clone().map(Value::from));
    let data = own(opened.flow_action_data.as_ref());
    set(&mut shape, "flow_action_data", data);
    set(&mut shape, "order_details", own(opened.order_details.as_ref()));
    shape
}
