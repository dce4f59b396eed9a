//! Locations, contact cards, reactions, bodies in the channel's own format, and each type of
//! interactive message (`docs/contract.md#send-a-message`).

use crate::cloud::{Cloud, NUMBER, PERSON, SEND, on_both_clouds, refusal};
use crate::world::graph::Fault;
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

const PICTURE: &str = "https://example.com/a.png";

pub fn body() -> Value {
    json!({"text": "Please look at this."})
}

pub fn named(kind: &str, name: &str, parameters: &Value) -> Value {
    json!({"type": kind, "body": body(), "action": {"name": name, "parameters": parameters}})
}

pub fn product_items(ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({"product_retailer_id": id})).collect()
}

pub fn picture_card(index: usize, action: &Value) -> Value {
    json!({
        "card_index": index,
        "type": "cta_url",
        "header": {"type": "image", "image": {"link": PICTURE}},
        "body": {"text": "One\nof three"},
        "action": action,
    })
}

pub fn carousel(cards: &[Value]) -> Value {
    json!({"type": "carousel", "body": body(), "action": {"cards": cards}})
}

pub fn order() -> Value {
    let amount = |value: i64| json!({"value": value, "offset": 100});
    json!({
        "reference_id": "order-1042",
        "type": "physical-goods",
        "currency": "INR",
        "total_amount": amount(1100),
        "payment_type": "upi",
        "payment_configuration": "main",
        "payment_settings": [
            {
                "type": "payment_gateway",
                "payment_gateway": {"type": "razorpay", "configuration_name": "a"},
            },
        ],
        "order": {
            "status": "pending",
            "catalog_id": "1042",
            "items": [
                {
                    "retailer_id": "1",
                    "name": "Bread",
                    "amount": amount(1500),
                    "sale_amount": amount(1000),
                    "quantity": 1,
                    "image": {"link": PICTURE},
                    "country_of_origin": "India",
                    "importer_name": "Bakers",
                    "importer_address": {"city": "Pune", "country_code": "IN"},
                },
            ],
            "subtotal": amount(1000),
            "tax": {"value": 100, "offset": 100, "description": "VAT"},
            "shipping": {"value": 100, "offset": 100},
            "discount": {
                "value": 100,
                "offset": 100,
                "description": "Welcome",
                "discount_program_name": "New",
            },
            "expiration": {"timestamp": "1900000000", "description": "The offer is over."},
        },
    })
}

fn request(kind: &str, name: &str) -> Value {
    json!({"type": kind, "body": body(), "action": {"name": name}})
}

/// Returns flows, requests and forms in Meta's format, each with the text that a contact reads.
fn asking() -> Vec<(Value, &'static str)> {
    let mut flow = named(
        "flow",
        "flow",
        &json!({
            "flow_message_version": "3",
            "flow_id": "77",
            "flow_cta": "Book",
            "flow_token": "t-1",
            "mode": "draft",
            "flow_action": "navigate",
            "flow_action_payload": {"screen": "FIRST", "data": {"b": [1, null], "a": {"c": 1.5}}},
        }),
    );
    flow["header"] = json!({
        "type": "document",
        "document": {"link": "https://example.com/a.pdf", "filename": "Terms.pdf"},
    });
    flow["footer"] = json!({"text": "Two minutes"});
    let by_name = json!({
        "flow_message_version": "3",
        "flow_name": "booking",
        "flow_cta": "Book",
        "flow_action": "data_exchange",
    });
    let address = json!({
        "country": "IN",
        "values": {"city": "Bangalore"},
        "saved_addresses": [{"id": "1", "value": {"city": "Bangalore"}}],
        "validation_errors": {"in_pin_code": "not served"},
    });
    let location = request("location_request_message", "send_location");
    let number = request("request_contact_info", "request_contact_info");
    let call = request("call_permission_request", "call_permission_request");
    vec![
        (flow, "[document] https://example.com/a.pdf\nPlease look at this.\nTwo minutes\n[Book]"),
        (named("flow", "flow", &by_name), "Please look at this.\n[Book]"),
        (location, "Please look at this.\n[Send location]"),
        (number, "Please look at this.\n[Share phone number]"),
        (call, "Please look at this.\n[Allow calls]"),
        (
            named("address_message", "address_message", &address),
            "Please look at this.\n[Provide address]",
        ),
    ]
}

/// Returns product and order messages, each with the text that a contact reads.
fn selling() -> Vec<(Value, &'static str)> {
    let thumbnail = json!({"thumbnail_product_retailer_id": "shoe"});
    let shoe = json!({"catalog_id": "1042", "product_retailer_id": "shoe"});
    let mut products = json!({
        "type": "product_list",
        "body": body(),
        "action": {
            "catalog_id": "1042",
            "sections": [
                {"title": "Shoes", "product_items": product_items(&["a", "b"])},
                {"title": "Hats", "product_items": product_items(&["c"])},
            ],
        },
    });
    products["header"] = json!({"type": "text", "text": "Autumn"});
    let mut details = named("order_details", "review_and_pay", &order());
    details["header"] = json!({"type": "image", "image": {"link": PICTURE}});
    let status = json!({
        "reference_id": "order-1042",
        "order": {"status": "partially-shipped", "description": "Half of it"},
    });
    vec![
        (
            named("catalog_message", "catalog_message", &thumbnail),
            "Please look at this.\n[View catalog]",
        ),
        (request("catalog_message", "catalog_message"), "Please look at this.\n[View catalog]"),
        (json!({"type": "product", "action": shoe}), "[product] shoe"),
        (products, "Autumn\nPlease look at this.\n[product] a\n[product] b\n[product] c"),
        (
            details,
            "[image] https://example.com/a.png\nPlease look at this.\n[order order-1042] 11.00 INR",
        ),
        (
            named("order_status", "review_order", &status),
            "Please look at this.\n[order order-1042] partially-shipped: Half of it",
        ),
    ]
}

/// Returns carousels, each with the text that a contact reads.
fn carousels() -> Vec<(Value, &'static str)> {
    let link = |text: &str| {
        json!({
            "name": "cta_url",
            "parameters": {"display_text": text, "url": "https://example.com/1"},
        })
    };
    let reply = |id: &str| {
        json!({
            "buttons": [{"type": "quick_reply", "quick_reply": {"id": id, "title": "More"}}],
        })
    };
    let product = |index: usize| {
        json!({
            "card_index": index,
            "type": "product",
            "action": {"catalog_id": "1042", "product_retailer_id": "shoe"},
        })
    };
    vec![
        (
            carousel(&[picture_card(0, &link("See")), picture_card(1, &link("Look"))]),
            "Please look at this.\n[image] https://example.com/a.png One\nof three [See] https://example.com/1\n\
             [image] https://example.com/a.png One\nof three [Look] https://example.com/1",
        ),
        (
            carousel(&[picture_card(0, &reply("a")), picture_card(1, &reply("b"))]),
            "Please look at this.\n[image] https://example.com/a.png One\nof three [More]\n\
             [image] https://example.com/a.png One\nof three [More]",
        ),
        (
            carousel(&[product(0), product(1)]),
            "Please look at this.\n[product] shoe\n[product] shoe",
        ),
    ]
}

fn interactive() -> Vec<(Value, &'static str)> {
    [asking(), selling(), carousels()].concat()
}

fn card() -> Value {
    json!({
        "name": {
            "formatted_name": "Ada Lovelace",
            "first_name": "Ada",
            "last_name": "Lovelace",
            "prefix": "Countess",
        },
        "phones": [{"phone": "+1 202 555 0150", "type": "WORK", "wa_id": "12025550150"}],
        "emails": [{"email": "ada@example.com", "type": "WORK"}],
        "urls": [{"url": "https://example.com", "type": "WORK"}],
        "addresses": [
            {
                "street": "1 Engine Way",
                "city": "London",
                "zip": "N1",
                "country": "United Kingdom",
                "country_code": "gb",
                "type": "HOME",
            },
        ],
        "org": {"company": "Analytical", "title": "Programmer"},
        "birthday": "1815-12-10",
    })
}

/// Returns other messages: the request to our API, the expected request to the Cloud API, and the
/// text that a contact reads.
fn others() -> Vec<(Value, Value, &'static str)> {
    let place = json!({
        "latitude": 37.758_056,
        "longitude": -122.425_332,
        "name": "Depot",
        "address": "1 Hacker Way",
    });
    let bare = json!({"latitude": -90, "longitude": 180});
    let few = json!({"name": {"formatted_name": "Shop", "first_name": "Shop"}});
    vec![
        (
            json!({"type": "location", "location": place}),
            json!({"type": "location", "location": place}),
            "[location] Depot, 1 Hacker Way",
        ),
        (
            json!({"type": "location", "location": bare}),
            json!({"type": "location", "location": {"latitude": -90.0, "longitude": 180.0}}),
            "[location] -90, 180",
        ),
        (
            json!({"type": "contacts", "contacts": [card(), few]}),
            json!({"type": "contacts", "contacts": [card(), few]}),
            "[contact] Ada Lovelace +1 202 555 0150\n[contact] Shop",
        ),
        (
            json!({"type": "media", "media_url": "https://example.com/a.ogg", "voice": true}),
            json!({"type": "audio", "audio": {"link": "https://example.com/a.ogg", "voice": true}}),
            "[audio] https://example.com/a.ogg",
        ),
        (
            json!({"type": "channel", "channel": {"type": "text", "text": {"body": "As it is"}}}),
            json!({"type": "text", "text": {"body": "As it is"}}),
            "[text]",
        ),
    ]
}

fn all() -> Vec<(Value, Value, &'static str)> {
    let interactive = interactive().into_iter().map(|(shape, words)| {
        let body = json!({"type": "interactive", "interactive": shape});
        (body.clone(), body, words)
    });
    others().into_iter().chain(interactive).collect()
}

/// Adds a recipient to a body.
pub fn with_recipient(number: &str, body: &Value) -> Value {
    let mut body = body.clone();
    body["phone_number"] = json!(number);
    body
}

/// Returns the field in the history and its expected content for a message: the content of the
/// request, except for fields with another name in the API.
fn shown(asked: &Value) -> (&str, Value) {
    let kind = asked["type"].as_str().unwrap();
    let field = if kind == "media" { "media" } else { kind };
    let content = match kind {
        "media" => {
            json!({
                "url": asked["media_url"],
                "media_type": "audio",
                "caption": null,
                "filename": null,
                "voice": true,
            })
        }
        "location" if asked["location"]["name"].is_null() => {
            json!({"latitude": -90.0, "longitude": 180.0})
        }
        kind => asked[kind].clone(),
    };
    (field, content)
}

async fn agent(world: &World, number: &str) -> Value {
    let path =
        format!("/api/v1/conversations/history?phone_number={}", number.trim_start_matches('+'));
    world.get(&path, &world.key).await.body["conversation"]["ai_agent"].clone()
}

async fn each_type_arrives_in_metas_shape_and_is_shown_as_it_was_sent(cloud: Cloud) {
    for (asked, mut expected, words) in all() {
        // When a message is sent as a dry run,
        let asked = with_recipient(PERSON, &asked);
        let mut dry = asked.clone();
        dry["dry_run"] = json!(true);
        let checked = cloud.post(SEND, &cloud.key, &dry).await;
        // then the response has the text that the contact will read.
        assert_eq!(checked.status, 200, "{asked}: {}", checked.text);
        assert_eq!(checked.body["rendered"], words);

        // When the message is sent,
        let id = cloud.send(&asked).await;
        cloud.settle().await;
        // then it arrives in Meta's format,
        for (name, value) in [
            ("messaging_product", "whatsapp"),
            ("recipient_type", "individual"),
            ("to", PERSON),
            ("biz_opaque_callback_data", &id),
        ] {
            expected[name] = json!(value);
        }
        let accepted = cloud.accepted(&id);
        assert_eq!(accepted.len(), 1, "{asked}: {}", cloud.message(&id).await);
        assert_eq!(accepted[0].body, expected);
        assert_eq!(accepted[0].phone_number_id.as_str(), NUMBER);
        // and the history shows its content.
        let message = cloud.message(&id).await;
        let (field, content) = shown(&asked);
        assert_eq!(message["type"], asked["type"], "{message}");
        assert_eq!(message["status"], "queued", "{message}");
        assert_eq!(message[field], content, "{message}");
    }
    cloud.all_in_shape();
    assert!(cloud.is_idle().await);
}

async fn a_reaction_names_the_message_that_it_is_on_by_the_channels_id(cloud: Cloud) {
    let react = |id: &str, emoji: &str| {
        json!({
            "type": "reaction",
            "phone_number": PERSON,
            "reaction": {"message_id": id, "emoji": emoji},
        })
    };
    // Given a message that the channel has accepted, and one that it has not yet accepted,
    let first = cloud.text(PERSON, "First").await;
    cloud.settle().await;
    let second = cloud.text(PERSON, "Second").await;
    // when we react to both, and withdraw one reaction,
    let reactions = [(&first, "👍🏽"), (&second, "❤️"), (&first, "")];
    for (message, emoji) in reactions {
        let id = cloud.send(&react(message, emoji)).await;
        cloud.settle().await;
        // then each reaction names the channel's id of its message, and has no reply context.
        let accepted = cloud.accepted(&id);
        let shape = json!({"message_id": cloud.accepted(message)[0].wamid, "emoji": emoji});
        assert_eq!(accepted[0].body["reaction"], shape);
        assert_eq!(accepted[0].body["context"], Value::Null);
        let shown = cloud.message(&id).await;
        assert_eq!(shown["type"], "reaction");
        assert_eq!(shown["text"], json!(emoji));
        assert_eq!(shown["reply_to"], json!(message));
    }
    cloud.all_in_shape();
}

async fn a_reaction_to_a_message_that_failed_fails(cloud: Cloud) {
    // Given a message that the channel refused,
    cloud.graph.plan(|request| {
        if request.body["type"] == "text" { refusal(400, 131_026, "No") } else { Fault::None }
    });
    let failed = cloud.text(PERSON, "Never").await;
    cloud.settle().await;
    // when we react to it,
    let body = json!({
        "type": "reaction",
        "phone_number": PERSON,
        "reaction": {"message_id": failed, "emoji": "👍"},
    });
    let id = cloud.send(&body).await;
    cloud.settle().await;
    // then the reaction fails without a request to the channel.
    let message = cloud.message(&id).await;
    assert_eq!(message["status"], "failed");
    assert_eq!(message["error"]["code"], "channel_error");
    assert_eq!(cloud.accepted(&id), []);
}

async fn a_body_of_the_channels_own_goes_as_it_is(cloud: Cloud) {
    // Given a body with fields that this version does not know, which replies to a message,
    let first = cloud.text(PERSON, "First").await;
    cloud.settle().await;
    let own = json!({
        "type": "interactive",
        "interactive": {
            "type": "button",
            "body": {"text": "Hi"},
            "later_field": {"z": 1, "a": [1.50, null]},
            "action": {"buttons": [{"type": "reply", "reply": {"id": "1", "title": "Yes"}}]},
        },
    });
    let body =
        json!({"type": "channel", "phone_number": PERSON, "channel": own, "reply_to": first});
    // when it is sent,
    let id = cloud.send(&body).await;
    cloud.settle().await;
    // then the channel gets it with the recipient, our id and the reply context.
    let sent = cloud.accepted(&id)[0].body.clone();
    assert_eq!(sent["type"], own["type"]);
    assert_eq!(sent["interactive"], own["interactive"]);
    assert_eq!(sent["to"], json!(PERSON));
    assert_eq!(sent["context"]["message_id"], json!(cloud.accepted(&first)[0].wamid));
    assert_eq!(cloud.message(&id).await["channel"], own);
}

async fn a_template_in_a_body_of_the_channels_own_pauses_no_agent(cloud: Cloud) {
    let template =
        json!({"type": "template", "template": {"name": "hello", "language": {"code": "en"}}});
    let send = |body: Value| json!({"type": "channel", "phone_number": PERSON, "channel": body});
    // When a template is sent in the channel's format, then the customer service window does
    // not matter and the agent keeps running.
    let answer = cloud.post(SEND, &cloud.key, &send(template)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(answer.body["warnings"], json!([]), "{}", answer.text);
    assert_eq!(agent(&cloud, PERSON).await, "running");
    // When another type is sent in the channel's format, then it pauses the agent like any
    // free-form message.
    let text = json!({"type": "text", "text": {"body": "Hello"}});
    let answer = cloud.post(SEND, &cloud.key, &send(text)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.body["warnings"], json!(["window_closed"]));
    assert_eq!(agent(&cloud, PERSON).await, "paused");
}

async fn a_reaction_is_to_a_message_of_its_own_conversation(world: World) {
    let send = |to: &str, text: &str| json!({"type": "text", "phone_number": to, "text": text});
    let react = |id: &str| {
        json!({
            "type": "reaction",
            "phone_number": "+12025550123",
            "reaction": {"message_id": id, "emoji": "👍"},
        })
    };
    // Given a message to another contact, one of another organization, and an unknown message
    // id,
    let elsewhere = world.post(SEND, &world.key, &send("+12025550124", "Hi")).await.text_of("id");
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550190").await;
    let their_key = world.key_of(other).await;
    let theirs = world.post(SEND, &their_key, &send("+12025550123", "Hi")).await.text_of("id");
    // when we react to one of them, then the response is the one for an unknown message.
    for id in [elsewhere.as_str(), &theirs, "msg_01jd7qkz5tefrs7nn4j9m2h8xa"] {
        for dry_run in [false, true] {
            let mut body = react(id);
            body["dry_run"] = json!(dry_run);
            world.post(SEND, &world.key, &body).await.is_problem(404, "not_found");
        }
    }
    assert_eq!(world.history("+12025550123").await, Vec::<Value>::new());
    // A message of the same conversation can get a reaction.
    let here = world.post(SEND, &world.key, &send("+12025550123", "Hi")).await.text_of("id");
    assert_eq!(world.post(SEND, &world.key, &react(&here)).await.status, 201);
}

async fn the_sandboxs_people_answer_what_they_are_asked_for(world: World) {
    // When each interactive message is sent to the sandbox contact that taps,
    for (shape, _) in interactive() {
        let body =
            with_recipient("+12025550108", &json!({"type": "interactive", "interactive": shape}));
        let sent = world.post(SEND, &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        world.live_through(Duration::from_secs(1)).await;
        let message = world.get(&format!("{SEND}/{}", sent.text_of("id")), &world.key).await;
        assert_eq!(message.body["status"], "read", "{body}");
    }
    // then each message has been read, and forms, requests and cards have been answered.
    let history = world.history("+12025550108").await;
    let answers = history.iter().filter(|it| it["direction"] == "inbound").count();
    assert_eq!(history.len() - answers, interactive().len(), "{history:?}");
    assert_eq!(answers, 7, "{history:?}");
    // The sandbox also accepts each other type.
    for (body, _, _) in others() {
        let sent = world.post(SEND, &world.key, &with_recipient("+12025550100", &body)).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
    }
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history("+12025550100").await.len(), others().len() * 2);
}

on_both_clouds! {
    each_type_arrives_in_metas_shape_and_is_shown_as_it_was_sent,
    a_reaction_names_the_message_that_it_is_on_by_the_channels_id,
    a_reaction_to_a_message_that_failed_fails,
    a_body_of_the_channels_own_goes_as_it_is,
    a_template_in_a_body_of_the_channels_own_pauses_no_agent,
}

on_both_databases! {
    a_reaction_is_to_a_message_of_its_own_conversation,
    the_sandboxs_people_answer_what_they_are_asked_for,
}
