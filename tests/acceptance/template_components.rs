//! Templates of every category and with every component that Meta documents: they are created,
//! submitted unchanged, and filled in by a send (`docs/contract.md#manage-templates`). The payloads
//! follow Meta's documentation.

use crate::cloud::{Cloud, PERSON, SEND, on_both_clouds};
use crate::template_creation::{create_template, plain_template, post_template, template_with};
use crate::world::graph::callbacks;
use serde_json::{Value, json};

/// Builds a template of this category.
fn template(name: &str, category: &str, components: &Value) -> Value {
    let mut body = template_with(name, components);
    body["category"] = json!(category);
    body
}

fn one_time_code(name: &str, button: Value) -> Value {
    let mut button = button;
    button["type"] = json!("OTP");
    let components = json!([
        {"type": "BODY", "add_security_recommendation": true},
        {"type": "FOOTER", "code_expiration_minutes": 5},
        {"type": "BUTTONS", "buttons": [button]},
    ]);
    let mut body = template(name, "authentication", &components);
    body["message_send_ttl_seconds"] = json!(60);
    body
}

fn tap_button(kind: &str) -> Value {
    let app = json!({"package_name": "com.example.bakery", "signature_hash": "K8a/AINcGX7"});
    json!({
        "otp_type": kind,
        "text": "Copy code",
        "autofill_text": "Autofill",
        "supported_apps": [app],
    })
}

fn picture_card(reply: &str) -> Value {
    json!({
        "components": [
            {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::an"]}},
            {"type": "BODY", "text": "A loaf for {{1}} only.", "example": {"body_text": [["Ada"]]}},
            {
                "type": "BUTTONS",
                "buttons": [
                    {"type": "QUICK_REPLY", "text": reply},
                    {
                        "type": "URL",
                        "text": "Shop",
                        "url": "https://bakery.example/{{1}}",
                        "example": ["rye"],
                    },
                ],
            },
        ],
    })
}

fn text() -> Value {
    json!({"type": "BODY", "text": "Fresh bread today."})
}

fn carousel(name: &str, cards: &[Value]) -> Value {
    template(name, "marketing", &json!([text(), {"type": "CAROUSEL", "cards": cards}]))
}

fn buttons(name: &str, button: &Value) -> Value {
    template(name, "marketing", &json!([text(), {"type": "BUTTONS", "buttons": [button]}]))
}

fn header(name: &str, format: &str) -> Value {
    template(name, "utility", &json!([{"type": "HEADER", "format": format}, text()]))
}

fn animation() -> Value {
    let header =
        json!({"type": "HEADER", "format": "GIF", "example": {"header_handle": ["4::an"]}});
    template("animation", "marketing", &json!([header, text()]))
}

fn offer(name: &str) -> Value {
    let components = json!([
        {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::an"]}},
        {
            "type": "LIMITED_TIME_OFFER",
            "limited_time_offer": {"text": "Expiring offer!", "has_expiration": true},
        },
        {
            "type": "BODY",
            "text": "Good news, {{1}}!  Half price.",
            "example": {"body_text": [["Ada"]]},
        },
        {
            "type": "BUTTONS",
            "buttons": [
                {"type": "COPY_CODE", "example": ["BREAD25"]},
                {
                    "type": "URL",
                    "text": "Order",
                    "url": "https://bakery.example/{{1}}",
                    "example": ["https://bakery.example/x"],
                },
            ],
        },
    ]);
    template(name, "marketing", &components)
}

fn product_card() -> Value {
    let view = json!({"type": "BUTTONS", "buttons": [{"type": "SPM", "text": "View"}]});
    json!({"components": [{"type": "HEADER", "format": "PRODUCT"}, view]})
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn body(text: &str) -> Value {
    json!({"type": "body", "parameters": [words(text)]})
}

fn button(sub_type: &str, index: &str, parameter: &Value) -> Value {
    json!({"type": "button", "sub_type": sub_type, "index": index, "parameters": [parameter]})
}

fn above(parameter: &Value) -> Value {
    json!({"type": "header", "parameters": [parameter]})
}

fn picture() -> Value {
    above(&json!({"type": "image", "image": {"link": "https://bakery.example/a.png"}}))
}

fn product() -> Value {
    json!({
        "type": "product",
        "product": {"catalog_id": "194836987003835", "product_retailer_id": "rye"},
    })
}

/// Returns templates for one-time codes, with their parameters.
fn codes() -> Vec<(Value, Value)> {
    let mut zero = tap_button("ZERO_TAP");
    zero["zero_tap_terms_accepted"] = json!(true);
    let code = json!([body("123456"), button("url", "0", &words("123456"))]);
    vec![
        (one_time_code("code_copied", json!({"otp_type": "COPY_CODE"})), code.clone()),
        (one_time_code("code_one_tap", tap_button("ONE_TAP")), code.clone()),
        (one_time_code("code_zero_tap", zero), code),
    ]
}

/// Returns templates with headers and texts of every kind, with their parameters.
fn headers() -> Vec<(Value, Value)> {
    let place =
        json!({"latitude": 52.52, "longitude": 13.405, "name": "Bakery", "address": "Mill Lane 1"});
    let place = json!({"type": "location", "location": place});
    let gif = json!({"type": "gif", "gif": {"link": "https://bakery.example/a.mp4"}});
    let amounts = json!([
        {
            "type": "BODY",
            "text": "You owe {{1}} until {{2}} at noon.",
            "example": {"body_text": [["$1", "May"]]},
        },
    ]);
    let money = json!({
        "type": "currency",
        "currency": {"fallback_value": "$10.50", "code": "USD", "amount_1000": 10500},
    });
    let day = json!({"type": "date_time", "date_time": {"fallback_value": "May 5"}});
    vec![
        (header("place", "LOCATION"), json!([above(&place)])),
        (animation(), json!([above(&gif)])),
        (header("product", "PRODUCT"), json!([above(&product())])),
        (
            template("amounts", "utility", &amounts),
            json!([{"type": "body", "parameters": [money, day]}]),
        ),
    ]
}

/// Returns templates with buttons of every kind, with their parameters.
fn all_buttons() -> Vec<(Value, Value)> {
    let shelf = json!({"title": "Bread", "product_items": [{"product_retailer_id": "rye"}]});
    let action = |action: Value| json!({"type": "action", "action": action});
    let catalog = action(json!({"thumbnail_product_retailer_id": "rye"}));
    let shelves = action(json!({"thumbnail_product_retailer_id": "rye", "sections": [shelf]}));
    let flow = action(json!({"flow_token": "t-1", "flow_action_data": {"day": 5}}));
    let book = json!({
        "type": "FLOW",
        "text": "Book",
        "flow_id": "1",
        "flow_action": "navigate",
        "navigate_screen": "DAY",
    });
    vec![
        (
            buttons("catalog", &json!({"type": "CATALOG", "text": "View"})),
            json!([button("catalog", "0", &catalog)]),
        ),
        (
            buttons("products", &json!({"type": "MPM", "text": "View"})),
            json!([button("mpm", "0", &shelves)]),
        ),
        (buttons("flow", &book), json!([button("flow", "0", &flow)])),
        (buttons("number", &json!({"type": "REQUEST_CONTACT_INFO"})), json!([])),
        (buttons("call", &json!({"type": "VOICE_CALL", "text": "Call us"})), json!([])),
    ]
}

/// Returns carousels and an offer, with their parameters.
fn marketing() -> Vec<(Value, Value)> {
    let more = json!({"type": "payload", "payload": "more"});
    let card = |index: u8| {
        json!({
            "card_index": index,
            "components": [
                picture(),
                body("Ada"),
                button("quick_reply", "0", &more),
                button("url", "1", &words("rye")),
            ],
        })
    };
    let item = |index: u8| json!({"card_index": index, "components": [above(&product())]});
    let end = json!({
        "type": "limited_time_offer",
        "limited_time_offer": {"expiration_time_ms": 1_800_000_000_000_i64},
    });
    let code = json!({"type": "coupon_code", "coupon_code": "BREAD25"});
    vec![
        (
            carousel("pictures", &[picture_card("More"), picture_card("More")]),
            json!([{"type": "carousel", "cards": [card(0), card(1)]}]),
        ),
        (
            carousel("items", &[product_card(), product_card()]),
            json!([{"type": "carousel", "cards": [item(0), item(1)]}]),
        ),
        (
            offer("offer"),
            json!([
                picture(), {"type": "limited_time_offer", "parameters": [end]}, body("Ada"),
                button("copy_code", "0", &code), button("url", "1", &words("x")),
            ]),
        ),
    ]
}

/// Returns all of these templates, with their parameters.
fn all() -> Vec<(Value, Value)> {
    [codes(), headers(), all_buttons(), marketing()].concat()
}

async fn approved(cloud: &Cloud, template: &Value) {
    cloud.settle().await;
    let path = format!("/api/v1/templates/{}", template["id"].as_str().unwrap());
    let pending = cloud.get(&path, &cloud.key).await.body;
    let text = |field: &str| pending[field].as_str().unwrap();
    let (external, name) = (text("external_id"), text("name"));
    let approval =
        callbacks::template_status(crate::cloud::BUSINESS, external, name, "en", "APPROVED", None);
    cloud.post_callback(&approval).await;
}

fn send(template: &Value, components: &Value) -> Value {
    json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": template["name"],
        "language": "en",
        "components": components,
    })
}

async fn every_kind_of_template_is_made_submitted_and_sent(cloud: Cloud) {
    for (body, components) in all() {
        // Given a template as Meta documents it, when it is created, then it is submitted
        // unchanged,
        let template = create_template(&cloud, &body).await;
        assert_eq!(template["warnings"], json!([]), "{template}");
        assert_eq!(template["components"], body["components"]);
        assert_eq!(template["message_send_ttl_seconds"], body["message_send_ttl_seconds"]);
        approved(&cloud, &template).await;
        let seen = cloud.graph.templates().pop().unwrap().body;
        assert_eq!(seen["components"], body["components"]);
        assert_eq!(seen.get("message_send_ttl_seconds"), body.get("message_send_ttl_seconds"));

        // and a send with the template reaches the channel with all parameters.
        let id = cloud.send(&send(&template, &components)).await;
        cloud.settle().await;
        let accepted = cloud.accepted(&id);
        let [message] = accepted.as_slice() else { panic!("{accepted:?}") };
        let filled = message.body["template"].get("components").cloned().unwrap_or(json!([]));
        assert_eq!(filled, components, "{}", body["name"]);
    }
    cloud.all_in_shape();
}

async fn sends_with_wrong_parameters_are_rejected(cloud: Cloud) {
    for (body, components) in all() {
        let template = create_template(&cloud, &body).await;
        approved(&cloud, &template).await;
        let Some(full) = components.as_array().filter(|all| !all.is_empty()) else { continue };
        // The picture of a catalog and the data of a flow are optional.
        if ["catalog", "flow"].iter().any(|name| template["name"] == *name) {
            continue;
        }
        for left_out in 0..full.len() {
            let mut some = full.clone();
            some.remove(left_out);
            let answer = cloud.post(SEND, &cloud.key, &send(&template, &json!(some))).await;
            answer.is_problem(422, "template_params_mismatch");
        }
    }
    // The code in the button must be the same as in the body.
    let other = json!([
        {"type": "body", "parameters": [{"type": "text", "text": "123456"}]},
        {
            "type": "button",
            "sub_type": "url",
            "index": "0",
            "parameters": [{"type": "text", "text": "654321"}],
        },
    ]);
    let answer = cloud.post(SEND, &cloud.key, &send(&json!({"name": "code_copied"}), &other)).await;
    answer.is_problem(422, "template_params_mismatch");
    assert_eq!(cloud.graph.accepted().len(), 0);
}

async fn parameters_that_no_template_accepts_are_rejected(cloud: Cloud) {
    // Given a template that the server does not know, so that only the request itself is
    // checked,
    let send = |components: Value| send(&json!({"name": "elsewhere"}), &components);
    let reply = button("quick_reply", "0", &json!({"type": "payload", "payload": "yes"}));
    let card = |index: u8| json!({"card_index": index, "components": [picture()]});
    for (components, field, code) in [
        // when there are parameters next to the cards, no cards, or one card twice,
        (
            json!([
                {"type": "carousel", "parameters": [{"type": "text"}], "cards": [card(0), card(1)]},
            ]),
            "components[0].parameters",
            "not_allowed",
        ),
        (json!([{"type": "carousel", "cards": []}]), "components[0].cards", "empty"),
        (
            json!([{"type": "carousel", "cards": [card(0), card(0)]}]),
            "components[0].cards[1].card_index",
            "duplicate",
        ),
        (
            json!([
                {
                    "type": "carousel",
                    "cards": [
                        {"card_index": 0, "components": [{"type": "carousel", "cards": [card(0)]}]},
                    ],
                },
            ]),
            "components[0].cards[0].components[0].type",
            "not_allowed",
        ),
        // or two components are for one button,
        (json!([reply, button("url", "0", &words("x"))]), "components[1]", "duplicate"),
        // or a value is out of its bounds,
        (
            json!([above(
                &json!({"type": "location", "location": {"latitude": 91, "longitude": 0}})
            )]),
            "components[0].parameters[0].location.latitude",
            "out_of_range",
        ),
        (
            json!([button(
                "copy_code",
                "0",
                &json!({"type": "coupon_code", "coupon_code": "x".repeat(21)})
            )]),
            "components[0].parameters[0].coupon_code",
            "too_long",
        ),
    ] {
        // then the send is rejected.
        let answer = cloud.post(SEND, &cloud.key, &send(components)).await;
        answer.has_faults(&[(field, code)]);
    }
    // A button's type in capital letters means the same as in lower case.
    let loud = button("QUICK_REPLY", "0", &json!({"type": "payload", "payload": "yes"}));
    let id = cloud.send(&send(json!([loud]))).await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id)[0].body["template"]["components"], json!([reply]));
    let message = cloud.get(&format!("{SEND}/{id}"), &cloud.key).await.body;
    assert_eq!(message["template"]["components"], json!([reply]), "{message}");
}

async fn components_that_meta_refuses_are_rejected(cloud: Cloud) {
    let code = json!({"type": "OTP", "otp_type": "COPY_CODE"});
    let mut card = picture_card("More");
    card["components"][2]["buttons"][0] = code;
    let cards = carousel("cards", &[card.clone(), card]);
    post_template(&cloud, &cards).await.has_faults(&[
        ("components[1].cards[0].components", "not_allowed"),
        ("components[1].cards[1].components", "not_allowed"),
    ]);
    let mut elsewhere = carousel("elsewhere", &[picture_card("More"), picture_card("More")]);
    elsewhere["category"] = json!("utility");
    post_template(&cloud, &elsewhere).await.has_faults(&[("category", "not_allowed")]);
    let screen = json!({"type": "QUICK_REPLY", "text": "x", "navigate_screen": "A"});
    let field = "components[1].buttons[0].navigate_screen";
    post_template(&cloud, &buttons("screen", &screen)).await.has_faults(&[(field, "not_allowed")]);
    let products = json!({"type": "MPM", "text": "View"});
    let template = create_template(&cloud, &buttons("nothing_opened", &products)).await;
    approved(&cloud, &template).await;
    let empty = button("mpm", "0", &json!({"type": "action", "action": {}}));
    let answer = cloud.post(SEND, &cloud.key, &send(&template, &json!([empty]))).await;
    answer.is_problem(422, "template_params_mismatch");
    // Cards without buttons are accepted.
    let mut bare = picture_card("More");
    bare["components"].as_array_mut().unwrap().pop();
    create_template(&cloud, &carousel("bare", &[bare.clone(), bare])).await;
}

async fn a_dry_run_shows_what_the_person_reads(cloud: Cloud) {
    for (body, components) in all() {
        let template = create_template(&cloud, &body).await;
        approved(&cloud, &template).await;
        let expected = match template["name"].as_str().unwrap() {
            "code_copied" => {
                "123456 is your verification code. For your security, do not share this code.\nThis code expires in 5 minutes."
            }
            "place" => "[location] Bakery, Mill Lane 1\nFresh bread today.",
            "offer" => "[image]\nExpiring offer!\nGood news, Ada!  Half price.",
            "pictures" => {
                "Fresh bread today.\n[card 1] [image] A loaf for Ada only.\n[card 2] [image] A loaf for Ada only."
            }
            "amounts" => "You owe $10.50 until May 5 at noon.",
            _ => continue,
        };
        let mut dry = send(&template, &components);
        dry["dry_run"] = json!(true);
        let answer = cloud.post(SEND, &cloud.key, &dry).await;
        assert_eq!(answer.body["rendered"], expected, "{}", answer.text);
    }
}

async fn unknown_components_are_passed_on_with_a_warning(cloud: Cloud) {
    // Given a template with types and fields of a later version of the API,
    let components = json!([
        {
            "type": "HEADER",
            "format": "LATER",
            "later_beam": {"watts": 3},
            "example": {"later_ray": 1},
        },
        {"type": "BODY", "text": "Hello.", "later_mood": "glad"},
        {"type": "BUTTONS", "buttons": [{"type": "LATER", "text": "Go", "later_to": ["Mars"]}]},
        {"type": "LATER", "later_track": 7},
    ]);
    // when it is created, then it is accepted with a warning for each,
    let template = create_template(&cloud, &template_with("later", &components)).await;
    let warnings = template["warnings"].as_array().unwrap().iter();
    let found: Vec<_> =
        warnings.map(|it| (it["field"].as_str().unwrap(), it["code"].as_str().unwrap())).collect();
    assert_eq!(
        found,
        [
            ("components[0].later_beam", "unknown_field"),
            ("components[0].example.later_ray", "unknown_field"),
            ("components[0].format", "unknown_type"),
            ("components[1].later_mood", "unknown_field"),
            ("components[2].buttons[0].later_to", "unknown_field"),
            ("components[2].buttons[0].type", "unknown_type"),
            ("components[3].later_track", "unknown_field"),
            ("components[3].type", "unknown_type"),
        ]
    );
    // and the reviewer gets it unchanged. A send is left to the channel to check.
    approved(&cloud, &template).await;
    assert_eq!(cloud.graph.templates().pop().unwrap().body["components"], components);
    let id = cloud.send(&send(&template, &json!([]))).await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);
}

async fn ten_cards_with_a_fault_each_are_ten_faults(cloud: Cloud) {
    let mut cards = vec![picture_card("More"); 10];
    for card in &mut cards {
        card["components"][1]["text"] = json!("x".repeat(161));
    }
    let answer = post_template(&cloud, &carousel("faulty", &cards)).await;
    let fields: Vec<String> =
        (0..10).map(|card| format!("components[1].cards[{card}].components[1].text")).collect();
    let expected: Vec<_> = fields.iter().map(|field| (field.as_str(), "too_long")).collect();
    // A text that is too long has no other fault, although its example lacks a variable.
    answer.has_faults(&expected);
}

async fn how_long_the_channel_tries_has_bounds_for_each_category(cloud: Cloud) {
    for (category, seconds, status) in [
        ("authentication", 29, 422),
        ("authentication", 900, 201),
        ("authentication", 901, 422),
        ("authentication", -1, 201),
        ("utility", 30, 201),
        ("utility", 43_201, 422),
        ("utility", -1, 201),
        ("marketing", -1, 422),
        ("marketing", 43_199, 422),
        ("marketing", 2_592_000, 201),
    ] {
        let mut body = plain_template(&format!("{category}_{}", seconds + 1));
        (body["category"], body["message_send_ttl_seconds"]) = (json!(category), json!(seconds));
        let answer = post_template(&cloud, &body).await;
        assert_eq!(answer.status, status, "{category} {seconds}: {}", answer.text);
    }
}

on_both_clouds! {
    every_kind_of_template_is_made_submitted_and_sent,
    sends_with_wrong_parameters_are_rejected,
    parameters_that_no_template_accepts_are_rejected,
    components_that_meta_refuses_are_rejected,
    a_dry_run_shows_what_the_person_reads,
    unknown_components_are_passed_on_with_a_warning,
    ten_cards_with_a_fault_each_are_ten_faults,
    how_long_the_channel_tries_has_bounds_for_each_category,
}
