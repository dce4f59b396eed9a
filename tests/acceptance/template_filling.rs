//! Template parameters (`docs/contract.md#send-a-template`): what the channel rejects is rejected
//! before anything is stored, and what it accepts reaches it. The payloads are those of Meta's
//! documents.

use crate::cloud::{Cloud, PERSON, SEND, on_both_clouds};
use crate::template_creation::{create_template, plain_template};
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

fn body_with(parameter: &Value) -> Value {
    json!([{"type": "body", "parameters": [parameter]}])
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns parameters with this text in every place that takes text, and the field of each.
fn places(text: &str) -> Vec<(Value, String)> {
    let money = json!({
        "type": "currency",
        "currency": {"fallback_value": text, "code": "USD", "amount_1000": 1000},
    });
    let date = json!({"type": "date_time", "date_time": {"fallback_value": text}});
    let named = json!({"type": "text", "parameter_name": "who", "text": text});
    let button =
        json!({"type": "button", "sub_type": "url", "index": "0", "parameters": [words(text)]});
    let card = |components: Value| {
        json!([
            {"type": "carousel", "cards": [{"card_index": 0, "components": components}]},
        ])
    };
    let first = "components[0].parameters[0]";
    let of_card = "components[0].cards[0].components[0].parameters[0].text";
    vec![
        (body_with(&words(text)), format!("{first}.text")),
        (body_with(&named), format!("{first}.text")),
        (json!([{"type": "header", "parameters": [words(text)]}]), format!("{first}.text")),
        (json!([button]), format!("{first}.text")),
        (body_with(&money), format!("{first}.currency.fallback_value")),
        (body_with(&date), format!("{first}.date_time.fallback_value")),
        (card(body_with(&words(text))), of_card.to_owned()),
        (card(json!([button])), of_card.to_owned()),
    ]
}

const REFUSED: [&str; 7] = ["a\nb", "a\r\nb", "a\rb", "a\tb", "a     b", "line\n", "     "];

/// Returns templates as Meta's documents send them.
fn examples() -> Vec<Value> {
    let date = json!({
        "type": "date_time",
        "date_time": {
            "fallback_value": "February 25, 1977",
            "day_of_week": 5,
            "year": 1977,
            "month": 2,
            "day_of_month": 25,
            "hour": 15,
            "minute": 33,
            "calendar": "GREGORIAN",
        },
    });
    let money = json!({
        "type": "currency",
        "currency": {"fallback_value": "$100.99", "code": "USD", "amount_1000": 100_990},
    });
    let place = json!({"type": "location", "location": {
        "latitude": "37.44211676562361", "longitude": "-122.16155960083124",
        "name": "Philz Coffee", "address": "101 Forest Ave, Palo Alto, CA 94301",
    }});
    let button = |kind: &str, index: Value, parameters: Value| {
        json!({
            "type": "button",
            "sub_type": kind,
            "index": index,
            "parameters": parameters,
        })
    };
    let order = json!({
        "reference_id": "abc.123_xyz-1",
        "type": "physical-goods",
        "currency": "INR",
        "payment_settings": [
            {
                "type": "payment_gateway",
                "payment_gateway": {
                    "type": "razorpay",
                    "configuration_name": "prod-razor-pay-config-05",
                },
            },
        ],
        "shipping_info": {
            "country": "IN",
            "addresses": [
                {
                    "name": "Nidhi Tripathi",
                    "phone_number": "919000090000",
                    "address": "Bandra Kurla Complex",
                    "city": "Mumbai",
                    "state": "Maharastra",
                    "in_pin_code": "400051",
                },
            ],
        },
        "order": {
            "items": [
                {
                    "amount": {"offset": 100, "value": 200_000},
                    "sale_amount": {"offset": 100, "value": 150_000},
                    "name": "Blue Elf Aloe",
                    "quantity": 1,
                },
            ],
            "subtotal": {"offset": 100, "value": 150_000},
            "shipping": {"offset": 100, "value": 20_000},
            "tax": {"offset": 100, "value": 10_000},
            "discount": {"offset": 100, "value": 15_000, "description": "Additional 10% off"},
            "status": "pending",
            "expiration": {"timestamp": "1726627150"},
        },
        "total_amount": {"offset": 100, "value": 165_000},
    });
    let pix = json!({
        "reference_id": "unique-1",
        "type": "digital-goods",
        "payment_type": "br",
        "payment_settings": [
            {
                "type": "pix_dynamic_code",
                "pix_dynamic_code": {
                    "code": "00020101021226700014br.gov.bcb.pix",
                    "merchant_name": "Account holder name",
                    "key": "39580525000189",
                    "key_type": "CNPJ",
                },
            },
        ],
    });
    let pay = |order: Value| json!([{"type": "action", "action": {"order_details": order}}]);
    let status = json!({
        "reference_id": "abc.123_xyz-1",
        "order": {"status": "processing", "description": "It is being packed."},
    });
    let call = json!([
        {"type": "ttl_minutes", "ttl_minutes": 100},
        {"type": "payload", "payload": "payload data"},
    ]);
    let targets = json!([{"url": "https://www.luckyshrubs.com/", "title": "Offer Details"}]);
    vec![
        json!([{"type": "body", "parameters": [words("text-string"), money, date]}]),
        json!([button("order_details", json!(0), pay(order))]),
        json!([button("ORDER_DETAILS", json!("0"), pay(pix))]),
        json!([
            {
                "type": "order_status",
                "parameters": [{"type": "order_status", "order_status": status}],
            },
        ]),
        json!([button("reminder", json!("0"), json!([{"type": "payload", "payload": "remind"}]))]),
        json!([{"type": "button", "sub_type": "voice_call", "parameters": call}]),
        json!([
            {"type": "body", "parameters": [words("Hello Andy...")]},
            {
                "type": "tap_target_configuration",
                "parameters": [
                    {"type": "tap_target_configuration", "tap_target_configuration": targets},
                ],
            },
        ]),
        json!([{"type": "header", "parameters": [place]}]),
    ]
}

/// Returns components as Meta gets them: indexes are strings, button types are lower case, degrees
/// are numbers.
fn as_sent(components: &Value) -> Value {
    let mut sent = components.clone();
    for part in sent.as_array_mut().unwrap() {
        if let Some(index) = part.get("index").and_then(Value::as_i64) {
            part["index"] = json!(index.to_string());
        }
        if let Some(kind) = part.get("sub_type").and_then(Value::as_str) {
            part["sub_type"] = json!(kind.to_lowercase());
        }
        if let Some(place) = part.pointer_mut("/parameters/0/location") {
            for name in ["latitude", "longitude"] {
                let degrees: f64 = place[name].as_str().unwrap().parse().unwrap();
                place[name] = json!(degrees);
            }
        }
    }
    sent
}

async fn values_that_the_channel_refuses_in_variables_are_rejected(cloud: Cloud) {
    for text in REFUSED {
        for (components, field) in places(text) {
            let long = json!({
                "type": "template",
                "phone_number": PERSON,
                "template_name": "elsewhere",
                "language": "en",
                "components": components,
            });
            let short = json!({
                "to": PERSON,
                "template_name": "elsewhere",
                "language": "en",
                "components": components,
            });
            for (path, body) in [(SEND.to_owned(), long), (format!("{SEND}/template"), short)] {
                for dry_run in [false, true] {
                    let mut body = body.clone();
                    body["dry_run"] = json!(dry_run);
                    let answer = cloud.post(&path, &cloud.key, &body).await;
                    answer.has_faults(&[(&field, "invalid_format")]);
                }
            }
        }
    }
    // Nothing is stored. Four spaces are accepted, and any white space in payloads that no
    // person reads.
    assert_eq!(cloud.history(PERSON).await.len(), 0);
    let me = cloud.get("/api/v1/me", &cloud.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
    let payload = json!({
        "type": "button",
        "sub_type": "quick_reply",
        "index": "1",
        "parameters": [{"type": "payload", "payload": "a\nb\t     c"}],
    });
    for mut components in places("a    b").into_iter().map(|it| it.0).take(6) {
        components.as_array_mut().unwrap().push(payload.clone());
        let body = json!({
            "type": "template",
            "phone_number": PERSON,
            "template_name": "elsewhere",
            "language": "en",
            "components": components,
        });
        let id = cloud.send(&body).await;
        cloud.settle().await;
        assert_eq!(cloud.accepted(&id).len(), 1, "{components}");
    }
}

async fn parameters_from_metas_documentation_are_accepted(cloud: Cloud) {
    for components in examples() {
        let body = json!({
            "type": "template",
            "phone_number": PERSON,
            "template_name": "elsewhere",
            "language": "en",
            "components": components,
        });
        let id = cloud.send(&body).await;
        cloud.settle().await;
        // The parameters reach the channel unchanged, and history shows them.
        let accepted = cloud.accepted(&id).pop().unwrap_or_else(|| panic!("{components}"));
        assert_eq!(accepted.body["template"]["components"], as_sent(&components));
        let shown = cloud.message(&id).await["template"]["components"].clone();
        assert_eq!(shown, as_sent(&components));
    }
    // The day of the week is also accepted by name.
    let day = |day: Value| {
        body_with(&json!({
            "type": "date_time",
            "date_time": {"fallback_value": "Friday", "day_of_week": day},
        }))
    };
    for given in [json!("FRIDAY"), json!("friday"), json!("5")] {
        let body = json!({
            "to": PERSON,
            "template_name": "elsewhere",
            "language": "en",
            "components": day(given),
        });
        let made = cloud.post(&format!("{SEND}/template"), &cloud.key, &body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        assert_eq!(
            cloud.message(&made.text_of("id")).await["template"]["components"],
            day(json!(5))
        );
    }
}

async fn undocumented_parameters_are_rejected(cloud: Cloud) {
    let part = |parameter: Value| body_with(&json!({"type": "date_time", "date_time": parameter}));
    let button = |kind: &str, parameter: Value| {
        json!([
            {"type": "button", "sub_type": kind, "index": "0", "parameters": [parameter]},
        ])
    };
    let first = "components[0].parameters[0]";
    for (components, field, code) in [
        (
            part(json!({"fallback_value": "x", "year": "soon"})),
            format!("{first}.date_time.year"),
            "wrong_type",
        ),
        (
            part(json!({"fallback_value": "x", "day_of_week": "someday"})),
            format!("{first}.date_time.day_of_week"),
            "wrong_type",
        ),
        (
            part(json!({"fallback_value": "x", "century": 20})),
            format!("{first}.date_time.century"),
            "unknown_field",
        ),
        (part(json!({"year": 1977})), format!("{first}.date_time.fallback_value"), "required"),
        (
            button("song", json!({"type": "payload", "payload": "x"})),
            "components[0].sub_type".to_owned(),
            "not_one_of",
        ),
        (
            button(
                "order_details",
                json!({"type": "action", "action": {"order_details": {"currency": "INR"}}}),
            ),
            format!("{first}.action.order_details.reference_id"),
            "required",
        ),
        (
            button("voice_call", json!({"type": "ttl_minutes", "ttl_minutes": 43_201})),
            format!("{first}.ttl_minutes"),
            "out_of_range",
        ),
        (
            json!([
                {
                    "type": "tap_target_configuration",
                    "parameters": [
                        {"type": "tap_target_configuration", "tap_target_configuration": []},
                    ],
                },
            ]),
            format!("{first}.tap_target_configuration"),
            "empty",
        ),
        (
            json!([
                {
                    "type": "header",
                    "parameters": [
                        {"type": "location", "location": {"latitude": "north", "longitude": "1"}},
                    ],
                },
            ]),
            format!("{first}.location.latitude"),
            "wrong_type",
        ),
    ] {
        let body = json!({
            "to": PERSON,
            "template_name": "elsewhere",
            "language": "en",
            "components": components,
        });
        let answer = cloud.post(&format!("{SEND}/template"), &cloud.key, &body).await;
        answer.has_faults(&[(&field, code)]);
    }
}

/// The API does not check raw bodies; the sandbox judges them as the Cloud API does.
async fn the_sandbox_is_as_strict_as_the_channel(world: World) {
    let number = "+12025550100";
    create_template(&world, &plain_template("hello")).await;
    world.live_through(Duration::from_secs(2)).await;
    let mut ids = Vec::new();
    for components in REFUSED.into_iter().flat_map(places).map(|it| it.0) {
        let template =
            json!({"name": "hello", "language": {"code": "en"}, "components": components});
        let body = json!({
            "type": "channel",
            "phone_number": number,
            "channel": {"type": "template", "template": template},
        });
        let sent = world.post(SEND, &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        ids.push(sent.text_of("id"));
    }
    world.live_through(Duration::from_secs(2)).await;
    for id in ids {
        let message = world.get(&format!("{SEND}/{id}"), &world.key).await.body;
        assert_eq!(message["status"], "failed", "{message}");
        assert_eq!(message["error"]["channel_code"], 132_018, "{message}");
        assert_eq!(message["error"]["code"], "channel_error");
    }
    let template =
        json!({"name": "hello", "language": {"code": "en"}, "components": places("a    b")[0].0});
    let body = json!({
        "type": "channel",
        "phone_number": number,
        "channel": {"type": "template", "template": template},
    });
    let sent = world.post(SEND, &world.key, &body).await;
    world.live_through(Duration::from_secs(1)).await;
    let message = world.get(&format!("{SEND}/{}", sent.text_of("id")), &world.key).await.body;
    assert_eq!(message["status"], "read", "{message}");
}

on_both_clouds! {
    values_that_the_channel_refuses_in_variables_are_rejected,
    parameters_from_metas_documentation_are_accepted,
    undocumented_parameters_are_rejected,
}

on_both_databases! {
    the_sandbox_is_as_strict_as_the_channel,
}
