//! Checks the `action` of interactive messages other than buttons, lists and links, and some
//! message types.

use super::shape_check::{Checked, Located, all_differ};
use super::shapes::{MAX_LABEL_LENGTH, bare_media, reply};
use serde_json::Value;

/// Checks the action of a flow message.
pub fn flow(at: &Located<'_>) -> Checked {
    let parameters = named(at, "flow")?.object(&[
        "flow_message_version",
        "flow_id",
        "flow_name",
        "flow_cta",
        "flow_token",
        "mode",
        "flow_action",
        "flow_action_payload",
    ])?;
    parameters.need("flow_message_version")?.word(&["3"])?;
    match (parameters.may("flow_id"), parameters.may("flow_name")) {
        (Some(flow), None) | (None, Some(flow)) => flow.text(1, 512)?,
        _ => return at.wrong("must have either flow_id or flow_name"),
    };
    parameters.need("flow_cta")?.text(1, 30)?;
    parameters.if_there("flow_token", |at| at.text(1, 512))?;
    parameters.if_there("mode", |at| at.word(&["draft", "published"]))?;
    parameters.if_there("flow_action", |at| at.word(&["navigate", "data_exchange"]))?;
    parameters.if_there("flow_action_payload", |at| {
        let payload = at.object(&["screen", "data"])?;
        payload.if_there("screen", |at| at.text(1, 512))?;
        payload.if_there("data", |at| match at.value.as_object() {
            Some(data) if !data.is_empty() => Ok(()),
            _ => at.wrong("must be an object that is not empty"),
        })
    })
}

/// Checks the name of an action and returns its parameters.
fn named<'a>(at: &Located<'a>, name: &'static str) -> Checked<Located<'a>> {
    let fields = at.object(&["name", "parameters"])?;
    fields.need("name")?.word(&[name])?;
    fields.need("parameters")
}

/// Checks an action that consists of its name only.
pub fn request(at: &Located<'_>, name: &'static str) -> Checked {
    at.object(&["name"])?.need("name")?.word(&[name]).map(drop)
}

/// Checks the action of an address message.
pub fn address(at: &Located<'_>) -> Checked {
    let known = ["country", "values", "saved_addresses", "validation_errors"];
    let parameters = named(at, "address_message")?.object(&known)?;
    parameters.need("country")?.text(2, 2)?;
    parameters.if_there("values", |at| at.fields().map(drop))?;
    parameters.if_there("saved_addresses", |at| at.list(0, 100).map(drop))?;
    parameters.if_there("validation_errors", |at| at.fields().map(drop))
}

/// Checks the action of a catalog message.
pub fn catalog(at: &Located<'_>) -> Checked {
    let fields = at.object(&["name", "parameters"])?;
    fields.need("name")?.word(&["catalog_message"])?;
    fields.if_there("parameters", |at| {
        let parameters = at.object(&["thumbnail_product_retailer_id"])?;
        parameters.need("thumbnail_product_retailer_id")?.text(1, 256).map(drop)
    })
}

/// Checks the action of a single-product message.
pub fn product(at: &Located<'_>) -> Checked {
    let fields = at.object(&["catalog_id", "product_retailer_id"])?;
    fields.need("catalog_id")?.text(1, 256)?;
    fields.need("product_retailer_id")?.text(1, 256).map(drop)
}

/// Checks the action of a multi-product message.
pub fn product_list(at: &Located<'_>) -> Checked {
    let fields = at.object(&["catalog_id", "sections"])?;
    fields.need("catalog_id")?.text(1, 256)?;
    let sections = fields.need("sections")?;
    let entries = sections.list(1, 10)?;
    let mut count = 0;
    for entry in &entries {
        let section = entry.object(&["title", "product_items"])?;
        section.if_there("title", |at| at.text(1, 24))?;
        if entries.len() > 1 {
            section.need("title")?;
        }
        for item in section.need("product_items")?.list(1, 30)? {
            let item = item.object(&["product_retailer_id"])?;
            item.need("product_retailer_id")?.text(1, 256)?;
            count += 1;
        }
    }
    if count > 30 { sections.wrong("must have at most 30 products in all") } else { Ok(()) }
}

/// Checks the cards of a carousel.
pub fn carousel(at: &Located<'_>) -> Checked {
    let cards = at.object(&["cards"])?.need("cards")?;
    let mut shapes = Vec::new();
    for card in cards.list(2, 10)? {
        shapes.push(self::card(&card)?);
    }
    if shapes.windows(2).any(|pair| pair[0] != pair[1]) {
        return cards.wrong("must have buttons of the same type and number");
    }
    Ok(())
}

/// Checks a card. Returns the type of its buttons and their number.
fn card(at: &Located<'_>) -> Checked<(&'static str, usize)> {
    let fields = at.object(&["card_index", "type", "header", "body", "action"])?;
    let index = fields.need("card_index")?;
    if index.value.as_u64().is_none_or(|index| index > 9) {
        return index.wrong("must be 0 to 9");
    }
    let kind = fields.need("type")?.word(&["cta_url", "product"])?;
    let action = fields.need("action")?;
    if kind == "product" {
        if fields.may("header").is_some() || fields.may("body").is_some() {
            return at.wrong("a product has neither header nor body");
        }
        product(&action)?;
        return Ok(("product", 1));
    }
    let header = fields.need("header")?;
    let file = header.fields()?.need("type")?.word(&["image", "video"])?;
    bare_media(&header.object(&["type", file])?.need(file)?, file)?;
    fields.if_there("body", |at| at.object(&["text"])?.need("text")?.text(1, 160).map(drop))?;
    if action.fields()?.may("buttons").is_none() {
        let parameters = named(&action, "cta_url")?.object(&["display_text", "url"])?;
        parameters.need("display_text")?.text(1, MAX_LABEL_LENGTH)?;
        parameters.need("url")?.link(usize::MAX)?;
        return Ok(("link", 1));
    }
    let buttons = action.object(&["buttons"])?.need("buttons")?;
    let entries = buttons.list(1, 3)?;
    let mut ids = Vec::new();
    for button in &entries {
        let button = button.object(&["type", "quick_reply"])?;
        button.need("type")?.word(&["quick_reply"])?;
        ids.push(reply(&button.need("quick_reply")?)?.0);
    }
    all_differ(&ids, &buttons)?;
    Ok(("replies", entries.len()))
}

/// Checks the action of an order details message.
pub fn order_details(at: &Located<'_>) -> Checked {
    let parameters = named(at, "review_and_pay")?.object(&[
        "reference_id",
        "type",
        "payment_type",
        "payment_configuration",
        "payment_settings",
        "currency",
        "total_amount",
        "order",
    ])?;
    parameters.need("reference_id")?.text(1, 35)?;
    parameters.need("type")?.word(&["digital-goods", "physical-goods"])?;
    parameters.if_there("payment_type", |at| at.text(1, 256))?;
    parameters.if_there("payment_configuration", |at| at.text(1, 256))?;
    parameters.if_there("payment_settings", |at| at.list(1, 20).map(drop))?;
    parameters.need("currency")?.text(3, 3)?;
    let total = amount(&parameters.need("total_amount")?, &[])?;
    let Some(order) = parameters.may("order") else { return Ok(()) };
    let due = self::order(&order)?;
    if due == total { Ok(()) } else { at.wrong("total_amount must be what the order comes to") }
}

/// Checks an order. Returns its total.
fn order(at: &Located<'_>) -> Checked<i64> {
    let known =
        ["status", "catalog_id", "items", "subtotal", "tax", "shipping", "discount", "expiration"];
    let fields = at.object(&known)?;
    fields.need("status")?.word(&["pending"])?;
    fields.if_there("catalog_id", |at| at.text(1, 256))?;
    for item in fields.need("items")?.list(1, 999)? {
        let known = [
            "retailer_id",
            "name",
            "amount",
            "sale_amount",
            "quantity",
            "image",
            "country_of_origin",
            "importer_name",
            "importer_address",
        ];
        let item = item.object(&known)?;
        item.need("retailer_id")?.text(1, 256)?;
        item.need("name")?.text(1, 60)?;
        amount(&item.need("amount")?, &[])?;
        item.if_there("sale_amount", |at| amount(at, &[]))?;
        item.if_there("image", |at| at.object(&["link"])?.need("link")?.text(1, 2048))?;
        for name in ["country_of_origin", "importer_name"] {
            item.if_there(name, |at| at.text(1, 256))?;
        }
        let parts =
            ["address_line1", "address_line2", "city", "zone_code", "postal_code", "country_code"];
        item.if_there("importer_address", |at| at.object(&parts).map(drop))?;
        let quantity = item.need("quantity")?;
        if quantity.value.as_u64().is_none_or(|it| it == 0) {
            return quantity.wrong("must be at least 1");
        }
    }
    fields.if_there("expiration", |at| {
        let fields = at.object(&["timestamp", "description"])?;
        fields.need("timestamp")?.text(1, 20)?;
        fields.need("description")?.text(1, 120)
    })?;
    let charge = |name, known: &[&str]| match fields.may(name) {
        Some(at) => amount(&at, known),
        None => Ok(0),
    };
    let more = charge("tax", &["description"])? + charge("shipping", &["description"])?;
    let less = charge("discount", &["description", "discount_program_name"])?;
    Ok(amount(&fields.need("subtotal")?, &[])? + more - less)
}

fn amount(at: &Located<'_>, known: &[&str]) -> Checked<i64> {
    let fields = at.object(&[&["value", "offset"], known].concat())?;
    for name in known {
        fields.if_there(name, |at| at.text(1, 60))?;
    }
    let offset = fields.need("offset")?;
    if offset.value.as_u64() != Some(100) {
        return offset.wrong("must be 100");
    }
    let value = fields.need("value")?;
    match value.value.as_i64() {
        Some(amount) if amount >= 0 => Ok(amount),
        _ => value.wrong("must be a number that is not below 0"),
    }
}

/// Checks the action of an order status message.
pub fn order_status(at: &Located<'_>) -> Checked {
    let parameters = named(at, "review_order")?.object(&["reference_id", "order"])?;
    parameters.need("reference_id")?.text(1, 35)?;
    let order = parameters.need("order")?.object(&["status", "description"])?;
    let states = ["pending", "processing", "partially-shipped", "shipped", "completed", "canceled"];
    order.need("status")?.word(&states)?;
    order.if_there("description", |at| at.text(1, 120))
}

pub fn location(at: &Located<'_>) -> Checked {
    let fields = at.object(&["latitude", "longitude", "name", "address"])?;
    for (name, most) in [("latitude", 90.0), ("longitude", 180.0)] {
        let degrees = fields.need(name)?;
        if degrees.value.as_f64().is_none_or(|it| it.abs() > most) {
            return degrees.wrong(format!("must be a number from -{most} to {most}"));
        }
    }
    fields.if_there("name", |at| at.text(1, 1000))?;
    fields.if_there("address", |at| at.text(1, 1000))
}

pub fn reaction(at: &Located<'_>) -> Checked {
    let fields = at.object(&["message_id", "emoji"])?;
    fields.need("message_id")?.text_like(
        512,
        |id| id.starts_with("wamid."),
        "an id of a message",
    )?;
    fields.need("emoji")?.text(0, 20).map(drop)
}

pub fn contacts(at: &Located<'_>) -> Checked {
    for card in at.list(1, 257)? {
        let known = ["name", "phones", "emails", "urls", "addresses", "org", "birthday"];
        let fields = card.object(&known)?;
        let parts = ["first_name", "last_name", "middle_name", "suffix", "prefix"];
        let name = fields.need("name")?;
        texts(&name, &[&["formatted_name"], &parts[..]].concat())?;
        name.fields()?.need("formatted_name")?;
        if parts.iter().all(|part| name.fields().is_ok_and(|it| it.may(part).is_none())) {
            return name.wrong("needs a part beside formatted_name");
        }
        entries(&fields, "phones", &["phone", "type", "wa_id"])?;
        entries(&fields, "emails", &["email", "type"])?;
        entries(&fields, "urls", &["url", "type"])?;
        let address = ["street", "city", "state", "zip", "country", "country_code", "type"];
        entries(&fields, "addresses", &address)?;
        fields.if_there("org", |at| texts(at, &["company", "department", "title"]))?;
        fields.if_there("birthday", |at| at.text(10, 10))?;
    }
    Ok(())
}

fn entries(fields: &super::shape_check::Fields<'_>, name: &str, known: &[&str]) -> Checked {
    let Some(list) = fields.may(name) else { return Ok(()) };
    list.list(1, 100)?.iter().try_for_each(|entry| texts(entry, known))
}

/// Checks an object whose known fields are strings of 1 to 1,000 characters.
fn texts(at: &Located<'_>, known: &[&str]) -> Checked {
    let fields = at.object(known)?;
    known.iter().try_for_each(|name| fields.if_there(name, |at| at.text(1, 1000)))?;
    if at.value == &Value::Object(serde_json::Map::new()) { at.wrong("is empty") } else { Ok(()) }
}
