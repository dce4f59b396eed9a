//! Meta's documented examples of interactive messages pass the checks, and deviations from them
//! fail.

use super::shapes;
use serde_json::{Value, json};

fn sent(kind: &str, content: &Value) -> Value {
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "+16505551234",
        "type": kind,
        (kind): content,
    })
}

fn interactive(content: &Value) -> Value {
    sent("interactive", content)
}

fn order_details() -> Value {
    json!({
        "type": "order_details",
        "body": {"text": "your-text-body-content"},
        "footer": {"text": "your-text-footer-content"},
        "header": {
            "type": "image",
            "image": {"link": "https://upload.wikimedia.org/wikipedia/commons/a.jpg"},
        },
        "action": {
            "name": "review_and_pay",
            "parameters": {
                "currency": "INR",
                "payment_configuration": "my-payment-config-name",
                "payment_type": "upi",
                "reference_id": "unique-reference-id",
                "total_amount": {"offset": 100, "value": 1100},
                "type": "digital-goods",
                "order": {
                    "status": "pending",
                    "subtotal": {"offset": 100, "value": 1000},
                    "discount": {
                        "description": "optional_text",
                        "discount_program_name": "optional_text",
                        "offset": 100,
                        "value": 100,
                    },
                    "items": [
                        {
                            "amount": {"offset": 100, "value": 1500},
                            "name": "bread",
                            "quantity": 1,
                            "retailer_id": "1234567",
                            "sale_amount": {"offset": 100, "value": 1000},
                        },
                    ],
                    "shipping": {"description": "optional_text", "offset": 100, "value": 100},
                    "tax": {"description": "optional_text", "offset": 100, "value": 100},
                },
            },
        },
    })
}

#[test]
fn documented_examples_are_right() {
    let flow = |how: Value| {
        let mut parameters = json!({
            "flow_action": "navigate",
            "flow_action_payload": {
                "data": {"<CUSTOM_KEY>": "<CUSTOM_VALUE>"},
                "screen": "<SCREEN_ID>",
            },
            "flow_cta": "Open Flow!",
            "flow_message_version": "3",
            "flow_token": "<FLOW_TOKEN>",
        });
        parameters.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        interactive(&json!({
            "type": "flow",
            "header": {"type": "text", "text": "<HEADER_TEXT>"},
            "body": {"text": "<BODY_TEXT>"},
            "footer": {"text": "<FOOTER_TEXT>"},
            "action": {"name": "flow", "parameters": parameters},
        }))
    };
    let items =
        |ids: [&str; 2]| json!([{"product_retailer_id": ids[0]}, {"product_retailer_id": ids[1]}]);
    let card = json!({
        "name": {
            "first_name": "John",
            "formatted_name": "John Smith",
            "last_name": "Smith",
            "middle_name": "D.",
            "prefix": "Dr",
            "suffix": "Jr",
        },
        "addresses": [
            {
                "city": "Menlo Park",
                "country": "United States",
                "country_code": "us",
                "state": "CA",
                "street": "1 Hacker Way",
                "type": "HOME",
                "zip": "94025",
            },
        ],
        "birthday": "2012-08-18",
        "emails": [{"email": "test@fb.com", "type": "WORK"}],
        "org": {"company": "WhatsApp", "department": "Design", "title": "Manager"},
        "phones": [
            {"phone": "+1 (940) 555-1234", "type": "HOME"},
            {"phone": "+1 (650) 555-1234", "type": "WORK", "wa_id": "16505551234"},
        ],
        "urls": [{"type": "WORK", "url": "https://www.facebook.com"}],
    });
    for message in [
        sent(
            "location",
            &json!({
                "address": "1 Hacker Way",
                "latitude": 37.758_056,
                "longitude": -122.425_332,
                "name": "META HQ",
            }),
        ),
        sent("contacts", &json!([card])),
        sent("reaction", &json!({"emoji": "\u{1f600}", "message_id": "wamid.HBgLM..."})),
        flow(json!({"flow_id": "1", "mode": "draft"})),
        flow(json!({"flow_name": "a"})),
        interactive(&json!({
            "type": "catalog_message",
            "body": {"text": "Hello!"},
            "footer": {"text": "Best"},
            "action": {
                "name": "catalog_message",
                "parameters": {"thumbnail_product_retailer_id": "2lc20305pt"},
            },
        })),
        interactive(&json!({
            "type": "product",
            "body": {"text": "a"},
            "footer": {"text": "b"},
            "action": {"catalog_id": "367025965434465", "product_retailer_id": "1"},
        })),
        interactive(&json!({
            "type": "product_list",
            "header": {"type": "text", "text": "a"},
            "body": {"text": "b"},
            "action": {
                "catalog_id": "146265584024623",
                "sections": [
                    {"title": "1", "product_items": items(["a", "b"])},
                    {"title": "2", "product_items": items(["c", "d"])},
                ],
            },
        })),
        interactive(&order_details()),
        interactive(&json!({
            "type": "order_status",
            "body": {"text": "a"},
            "action": {
                "name": "review_order",
                "parameters": {
                    "reference_id": "unique",
                    "order": {"status": "processing", "description": "optional-text"},
                },
            },
        })),
        json!({
            "messaging_product": "whatsapp",
            "status": "read",
            "message_id": "wamid.HBgLM",
            "typing_indicator": {"type": "text"},
        }),
    ] {
        shapes::message(&message).unwrap_or_else(|wrong| panic!("{wrong}\n{message}"));
    }
}

#[test]
fn deviations_from_documented_examples_are_errors() {
    let right = interactive(&order_details());
    for (pointer, value) in [
        ("/interactive/action/parameters/total_amount/value", json!(1)),
        ("/interactive/action/parameters/total_amount/offset", json!(10)),
        ("/interactive/action/parameters/reference_id", json!("x".repeat(36))),
        ("/interactive/action/name", json!("pay")),
        ("/interactive/action/parameters/order/items", json!([])),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert!(shapes::message(&wrong).is_err(), "{pointer}");
    }
    for (kind, content) in [
        ("location", json!({"latitude": 91, "longitude": 0})),
        ("location", json!({"latitude": "1", "longitude": 0})),
        ("contacts", json!([])),
        ("contacts", json!([{"name": {"formatted_name": "A"}}])),
        ("reaction", json!({"message_id": "msg_1", "emoji": ""})),
        (
            "interactive",
            json!({
                "type": "product",
                "header": {"type": "text", "text": "a"},
                "action": {"catalog_id": "1", "product_retailer_id": "1"},
            }),
        ),
        (
            "interactive",
            json!({
                "type": "location_request_message",
                "body": {"text": "a"},
                "action": {"name": "location_request_message"},
            }),
        ),
    ] {
        assert!(shapes::message(&sent(kind, &content)).is_err(), "{content}");
    }
}
