//! Checks the template part of a message: the name, the language and the parameters.

use super::shape_check::{Checked, Located, all_differ};
use super::shapes::{MEDIA, bare_media};
use super::template_shapes::{is_language, is_name};
use serde_json::Value;

/// Longer than any text of a template can be.
const MAX_PARAMETER_LENGTH: usize = 32_768;

/// Checks the `template` object of a message.
pub fn template(at: &Located<'_>) -> Checked {
    let fields = at.object(&["name", "language", "components"])?;
    fields.need("name")?.text_like(512, is_name, "lower case letters, digits and _")?;
    let language = fields.need("language")?.object(&["code", "policy"])?;
    language.need("code")?.text_like(16, is_language, "a language such as en_US")?;
    language.if_there("policy", |at| at.word(&["deterministic"]))?;
    let Some(components) = fields.may("components") else { return Ok(()) };
    all_components(&components, true)
}

fn all_components(components: &Located<'_>, may_have_cards: bool) -> Checked {
    let mut places = Vec::new();
    for entry in components.list(0, 14)? {
        places.push(component(&entry, may_have_cards)?);
    }
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    all_differ(&places, components)
}

fn carousel(at: &Located<'_>) -> Checked<String> {
    for card in at.object(&["type", "cards"])?.need("cards")?.list(2, 10)? {
        let card = card.object(&["card_index", "components"])?;
        let index = card.need("card_index")?;
        if index.value.as_u64().is_none_or(|index| index > 9) {
            return index.wrong("must be 0 to 9");
        }
        all_components(&card.need("components")?, false)?;
    }
    Ok("carousel".to_owned())
}

/// Checks the parameters of one component. Returns the component's identity, for the check for
/// duplicates.
fn component(at: &Located<'_>, may_have_cards: bool) -> Checked<String> {
    let of_card = ["header", "body", "button"];
    let all = [
        "header",
        "body",
        "button",
        "limited_time_offer",
        "order_status",
        "tap_target_configuration",
        "carousel",
    ];
    let kinds = if may_have_cards { &all[..] } else { &of_card[..] };
    let kind = at.fields()?.need("type")?.word(kinds)?;
    match kind {
        "button" => return button(at),
        "carousel" => return carousel(at),
        _ => {}
    }
    let parameters = at.object(&["type", "parameters"])?.need("parameters")?;
    let most = if kind == "header" { 1 } else { 100 };
    let entries = parameters.list(1, most)?;
    let mut names = Vec::new();
    for entry in &entries {
        names.extend(parameter(entry, kind)?);
    }
    if !names.is_empty() && names.len() < entries.len() {
        return parameters.wrong("either all or none must have a parameter_name");
    }
    all_differ(&names, &parameters)?;
    Ok(kind.to_owned())
}

/// Checks a parameter of a header or body. Returns its name, if it has one.
fn parameter<'a>(at: &Located<'a>, of: &str) -> Checked<Option<&'a str>> {
    let kinds: &[&str] = match of {
        "header" => &["text", "image", "video", "gif", "document", "location", "product"],
        "limited_time_offer" => &["limited_time_offer"],
        "order_status" => &["order_status"],
        "tap_target_configuration" => &["tap_target_configuration"],
        _ => &["text", "currency", "date_time"],
    };
    let kind = at.fields()?.need("type")?.word(kinds)?;
    let fields = if kind == "text" {
        at.object(&["type", "text", "parameter_name"])?
    } else {
        at.object(&["type", kind])?
    };
    let value = fields.need(kind)?;
    match kind {
        "text" => words(&value)?,
        "currency" => {
            let currency = value.object(&["fallback_value", "code", "amount_1000"])?;
            words(&currency.need("fallback_value")?)?;
            currency.need("code")?.text(3, 3)?;
            let amount = currency.need("amount_1000")?;
            if !amount.value.is_i64() {
                return amount.wrong("must be a whole number");
            }
        }
        "date_time" => {
            let date = value.object(&[
                "fallback_value",
                "day_of_week",
                "year",
                "month",
                "day_of_month",
                "hour",
                "minute",
                "calendar",
                "timestamp",
            ])?;
            words(&date.need("fallback_value")?)?;
        }
        "order_status" => {
            let status = value.object(&["reference_id", "order"])?;
            status.need("reference_id")?.text(1, 35)?;
            status
                .need("order")?
                .object(&["status", "description"])?
                .need("status")?
                .text(1, 64)?;
        }
        "tap_target_configuration" => {
            for target in value.list(1, 10)? {
                let target = target.object(&["url", "title"])?;
                target.need("url")?.link(2000)?;
                target.need("title")?.text(1, 256)?;
            }
        }
        "location" => location(&value)?,
        "product" => {
            let product = value.object(&["catalog_id", "product_retailer_id"])?;
            product.need("catalog_id")?.text(1, 256)?;
            product.need("product_retailer_id")?.text(1, 256)?;
        }
        "limited_time_offer" => {
            let end = value.object(&["expiration_time_ms"])?.need("expiration_time_ms")?;
            if !end.value.is_i64() {
                return end.wrong("must be a whole number");
            }
        }
        _ => bare_media(&value, if MEDIA.contains(&kind) { kind } else { "" })?,
    }
    fields.may("parameter_name").map(|at| at.text(1, 128)).transpose()
}

/// Checks a text parameter: Meta rejects line breaks, tabs and more than four spaces in a row
/// (132018).
fn words(at: &Located<'_>) -> Checked {
    let text = at.text(1, MAX_PARAMETER_LENGTH)?;
    if text.contains(['\n', '\t', '\r']) || text.contains("     ") {
        return at.wrong("cannot have new-line/tab characters or more than 4 consecutive spaces");
    }
    Ok(())
}

fn location(at: &Located<'_>) -> Checked {
    let fields = at.object(&["latitude", "longitude", "name", "address"])?;
    for name in ["latitude", "longitude"] {
        let degrees = fields.need(name)?;
        if !degrees.value.is_number() {
            degrees.text_like(32, |text| text.parse::<f64>().is_ok(), "decimal degrees")?;
        }
    }
    fields.if_there("name", |at| at.text(1, 1024))?;
    fields.if_there("address", |at| at.text(1, 1024))
}

/// Checks the parameter of a button. Returns the button's identity, for the check for duplicates.
fn button(at: &Located<'_>) -> Checked<String> {
    let fields = at.object(&["type", "sub_type", "index", "parameters"])?;
    let sub_type = fields.need("sub_type")?;
    // Meta's own examples use both upper and lower case.
    let kind = sub_type.text(1, 32)?.to_lowercase();
    if kind == "voice_call" && fields.may("index").is_none() {
        call(&fields.need("parameters")?)?;
        return Ok("call button".to_owned());
    }
    let content = match kind.as_str() {
        "quick_reply" => ("payload", "payload", 256),
        "url" => ("text", "text", 2000),
        "copy_code" => ("coupon_code", "coupon_code", 15),
        "flow" | "catalog" | "mpm" | "order_details" => ("action", "action", 0),
        "reminder" | "voice_call" => ("payload", "payload", 512),
        _ => {
            return sub_type.wrong(
                "must be one of quick_reply, url, copy_code, flow, catalog, mpm, order_details, reminder, voice_call",
            );
        }
    };
    let index = fields.need("index")?;
    let number = match index.value {
        Value::String(digits) => digits.parse().ok(),
        value => value.as_u64(),
    };
    let Some(number) = number.filter(|number| *number < 10) else {
        return index.wrong("must be 0 to 9");
    };
    let (name, field, most) = content;
    for parameter in fields.need("parameters")?.list(1, 1)? {
        let parameter = parameter.object(&["type", field])?;
        parameter.need("type")?.word(&[name])?;
        match name {
            "action" => action(&parameter.need(field)?)?,
            "text" => words(&parameter.need(field)?)?,
            _ => parameter.need(field)?.text(1, most).map(drop)?,
        }
    }
    Ok(format!("button {number}"))
}

/// Checks the parameters of a button that calls the business.
fn call(parameters: &Located<'_>) -> Checked {
    for parameter in parameters.list(1, 2)? {
        let kind = parameter.fields()?.need("type")?.word(&["ttl_minutes", "payload"])?;
        let value = parameter.object(&["type", kind])?.need(kind)?;
        match kind {
            "payload" => value.text(1, 512).map(drop)?,
            _ if value.value.as_i64().is_some_and(|it| (1..=43_200).contains(&it)) => {}
            _ => return value.wrong("must be 1 to 43200"),
        }
    }
    Ok(())
}

/// Checks the action of a button that opens a flow, the catalog, products or an order.
fn action(at: &Located<'_>) -> Checked {
    let known = [
        "thumbnail_product_retailer_id",
        "sections",
        "flow_token",
        "flow_action_data",
        "order_details",
    ];
    let fields = at.object(&known)?;
    if let Some(order) = fields.may("order_details") {
        order.fields()?.need("reference_id")?.text(1, 35)?;
    }
    fields.if_there("thumbnail_product_retailer_id", |at| at.text(1, 256))?;
    fields.if_there("flow_token", |at| at.text(1, 256))?;
    fields.if_there("flow_action_data", Located::fields)?;
    let Some(sections) = fields.may("sections") else { return Ok(()) };
    for section in sections.list(1, 10)? {
        let section = section.object(&["title", "product_items"])?;
        section.if_there("title", |at| at.text(1, 24))?;
        for item in section.need("product_items")?.list(1, 30)? {
            item.object(&["product_retailer_id"])?.need("product_retailer_id")?.text(1, 256)?;
        }
    }
    Ok(())
}
