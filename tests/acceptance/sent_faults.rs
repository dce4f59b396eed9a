//! Faults in locations, contact cards, reactions, bodies in the channel's own format and
//! interactive messages: an error names all faults at once.

use crate::cloud::SEND;
use crate::sent_types::{
    body, carousel, named, order, picture_card, product_items, with_recipient,
};
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};

/// Meta names a file by its URL or by the id of an upload; here the URL of the upload does.
async fn a_file_that_is_named_by_an_id_is_told_the_field_for_urls(world: World) {
    let file = json!({"id": "med_01kasbh5pfe9br3ngxpmmpw9gs"});
    let image = json!({"type": "image", "image": file});
    let interactive = json!({"type": "interactive", "interactive": {
        "type": "button",
        "header": image,
        "body": body(),
        "action": {"buttons": [{"type": "reply", "reply": {"id": "1", "title": "Yes"}}]},
    }});
    let components = json!([{"type": "header", "parameters": [image]}]);
    let template = json!({
        "type": "template", "template_name": "a", "language": "en", "components": components,
    });
    for (message, field) in [
        (interactive, "interactive.header.image.id"),
        (template, "components[0].parameters[0].image.id"),
    ] {
        let answer = world.post(SEND, &world.key, &with_recipient("+12025550110", &message)).await;
        let answer = answer.is_problem(422, "validation_failed");
        let details = answer.body["details"].as_array().unwrap();
        let fault = details.iter().find(|it| it["field"] == field).expect("the field is named");
        assert_eq!(fault["code"], "unknown_field");
        assert!(fault["message"].as_str().unwrap().contains("use link"), "{fault}");
    }
}

async fn each_fault_of_a_message_is_named_at_once(world: World) {
    let interactive = |shape: Value| json!({"type": "interactive", "interactive": shape});
    let cards = |count: usize| {
        json!({
            "type": "contacts",
            "contacts": vec![json!({"name": {"formatted_name": "A", "first_name": "A"}}); count],
        })
    };
    let long = json!({
        "type": "channel",
        "channel": {"type": "text", "text": {"body": "x".repeat(33_000)}},
    });
    let flow = |parameters: Value| interactive(named("flow", "flow", &parameters));
    let header = |fields: Value| {
        interactive(json!({
            "type": "request_contact_info",
            "header": fields,
            "body": body(),
            "action": {"name": "request_contact_info"},
        }))
    };
    let buttons = json!([{"type": "reply", "reply": {"id": "1", "title": "Yes"}}]);
    for (body, faults) in [
        (
            header(json!({
                "type": "image",
                "image": {"link": "https://example.com/a.png"},
                "text": "A",
                "document": {"link": "https://example.com/a.pdf"},
            })),
            vec![
                ("interactive.header.document", "not_allowed"),
                ("interactive.header.text", "not_allowed"),
                ("interactive.header", "not_allowed"),
            ],
        ),
        (
            interactive(json!({
                "type": "button",
                "body": body(),
                "action": {"buttons": buttons, "button": "Open", "name": "x", "cards": []},
            })),
            vec![
                ("interactive.action.button", "not_allowed"),
                ("interactive.action.cards", "not_allowed"),
                ("interactive.action.name", "not_allowed"),
            ],
        ),
        (
            interactive(json!({
                "type": "list",
                "body": body(),
                "action": {
                    "button": "Open",
                    "sections": [{"rows": [{"id": "1", "title": "One"}], "product_items": []}],
                },
            })),
            vec![("interactive.action.sections[0].product_items", "not_allowed")],
        ),
        (
            json!({
                "type": "location",
                "location": {"latitude": 90.1, "longitude": -180.5, "name": ""},
            }),
            vec![
                ("location.latitude", "out_of_range"),
                ("location.longitude", "out_of_range"),
                ("location.name", "empty"),
            ],
        ),
        (json!({"type": "location"}), vec![("location", "required")]),
        (
            json!({"type": "location", "location": {}, "text": "Hi"}),
            vec![
                ("location.latitude", "required"),
                ("location.longitude", "required"),
                ("text", "not_allowed"),
            ],
        ),
        (cards(258), vec![("contacts", "too_long")]),
        (cards(0), vec![("contacts", "empty")]),
        (
            json!({
                "type": "contacts",
                "contacts": [
                    {
                        "name": {"formatted_name": "A"},
                        "phones": [{"type": "HOME"}],
                        "emails": [{"type": "HOME"}],
                        "birthday": "2023-02-29",
                    },
                    {},
                ],
            }),
            vec![
                ("contacts[0].name.first_name", "required"),
                ("contacts[0].phones[0].phone", "required"),
                ("contacts[0].emails[0].email", "empty"),
                ("contacts[0].birthday", "invalid_format"),
                ("contacts[1].name.formatted_name", "empty"),
                ("contacts[1].name.first_name", "required"),
            ],
        ),
        (
            json!({
                "type": "reaction",
                "reaction": {"message_id": "nonsense", "emoji": "ok"},
                "reply_to": "msg_01jd7qkz5tefrs7nn4j9m2h8xa",
            }),
            vec![
                ("reaction.message_id", "invalid_format"),
                ("reaction.emoji", "invalid_format"),
                ("reply_to", "not_allowed"),
            ],
        ),
        (
            json!({
                "type": "reaction",
                "reaction": {"message_id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa", "emoji": "👍👍"},
            }),
            vec![("reaction.emoji", "invalid_format")],
        ),
        (
            json!({"type": "media", "media_url": "https://example.com/a.png", "voice": true}),
            vec![("voice", "not_allowed")],
        ),
        (
            json!({
                "type": "channel",
                "channel": {
                    "type": "text",
                    "to": "1",
                    "recipient": "x",
                    "biz_opaque_callback_data": "y",
                    "context": {},
                },
            }),
            vec![
                ("channel.to", "not_allowed"),
                ("channel.recipient", "not_allowed"),
                ("channel.biz_opaque_callback_data", "not_allowed"),
                ("channel.context", "not_allowed"),
            ],
        ),
        (json!({"type": "channel", "channel": {"text": {}}}), vec![("channel.type", "required")]),
        (json!({"type": "channel", "channel": {"type": 7}}), vec![("channel.type", "wrong_type")]),
        (long, vec![("channel", "too_long")]),
        (
            interactive(json!({
                "type": "location_request_message",
                "header": {"type": "text", "text": "A"},
                "footer": {"text": "B"},
                "action": {"name": "location"},
            })),
            vec![
                ("interactive.header", "not_allowed"),
                ("interactive.footer", "not_allowed"),
                ("interactive.body.text", "required"),
                ("interactive.action.name", "not_one_of"),
            ],
        ),
        (
            flow(json!({
                "flow_id": "1",
                "flow_name": "a",
                "flow_action": "data_exchange",
                "mode": "open",
                "country": "IN",
                "flow_action_payload": {"data": {}},
                "flow_message_version": "2",
            })),
            vec![
                ("interactive.action.parameters.flow_id", "not_allowed"),
                ("interactive.action.parameters.flow_cta", "required"),
                ("interactive.action.parameters.mode", "not_one_of"),
                ("interactive.action.parameters.country", "not_allowed"),
                ("interactive.action.parameters.flow_action_payload", "not_allowed"),
                ("interactive.action.parameters.flow_action_payload.data", "empty"),
                ("interactive.action.parameters.flow_message_version", "not_one_of"),
            ],
        ),
        (
            interactive(json!({
                "type": "product_list",
                "body": body(),
                "action": {
                    "catalog_id": "1",
                    "sections": [
                        {"product_items": product_items(&["a"; 20])},
                        {"title": "B", "product_items": product_items(&["a"; 11])},
                    ],
                },
            })),
            vec![
                ("interactive.header", "required"),
                ("interactive.action.sections", "too_long"),
                ("interactive.action.sections[0].title", "required"),
            ],
        ),
        (
            interactive(
                json!({"type": "product", "header": {"type": "text", "text": "A"}, "action": {}}),
            ),
            vec![
                ("interactive.header", "not_allowed"),
                ("interactive.action.catalog_id", "required"),
                ("interactive.action.product_retailer_id", "required"),
            ],
        ),
        (
            interactive(named("address_message", "address_message", &json!({"country": "India"}))),
            vec![("interactive.action.parameters.country", "invalid_format")],
        ),
        (
            interactive(named(
                "order_status",
                "review_order",
                &json!({"reference_id": "a b", "order": {"status": "lost", "items": []}}),
            )),
            vec![
                ("interactive.action.parameters.reference_id", "invalid_format"),
                ("interactive.action.parameters.order.status", "not_one_of"),
                ("interactive.action.parameters.order.items", "not_allowed"),
            ],
        ),
    ] {
        let answer = world.post(SEND, &world.key, &with_recipient("+12025550123", &body)).await;
        answer.has_faults(&faults);
    }
    assert_eq!(world.history("+12025550123").await, Vec::<Value>::new());
}

async fn each_fault_of_cards_and_orders_is_named_at_once(world: World) {
    let interactive = |shape: Value| json!({"type": "interactive", "interactive": shape});
    let at = |field: &str| format!("interactive.action.{field}");
    let reply =
        json!({"buttons": [{"type": "quick_reply", "quick_reply": {"id": "1", "title": "More"}}]});
    let two = json!({
        "buttons": [
            {"type": "quick_reply", "quick_reply": {"id": "1", "title": "More"}},
            {"type": "reply", "quick_reply": {"id": "1", "title": "Less"}},
        ],
    });
    let mut wrong = order();
    wrong["total_amount"]["value"] = json!(1101);
    wrong["total_amount"]["offset"] = json!(10);
    wrong["order"]["items"][0]["quantity"] = json!(0);
    wrong["order"]["subtotal"] = json!({"value": -1, "offset": 100});
    wrong["order"]["items"][0]["image"] = json!({"link": "nowhere"});
    let mut late = order();
    late["order"]["expiration"] = json!({"timestamp": "soon"});
    let mut sum = order();
    sum["total_amount"]["value"] = json!(1);
    let faulty_card = json!({
        "card_index": 10,
        "type": "video",
        "body": {"text": "a\nb\nc\nd"},
        "action": {"name": "x"},
    });
    for (shape, faults) in [
        (carousel(&[picture_card(0, &reply)]), vec![(at("cards"), "empty")]),
        (
            carousel(&vec![picture_card(0, &reply); 11]),
            [
                vec![(at("cards"), "too_long")],
                (1..10).map(|it| (at(&format!("cards[{it}].card_index")), "duplicate")).collect(),
            ]
            .concat(),
        ),
        (
            carousel(&[picture_card(0, &reply), picture_card(1, &two)]),
            vec![
                (at("cards[1].action.buttons[1].type"), "not_one_of"),
                (at("cards[1].action.buttons"), "duplicate"),
                (at("cards[1].action"), "not_allowed"),
            ],
        ),
        (
            carousel(&[faulty_card.clone(), picture_card(0, &reply), picture_card(0, &two)]),
            vec![
                (at("cards[0].card_index"), "out_of_range"),
                (at("cards[0].type"), "not_one_of"),
                (at("cards[0].body.text"), "too_long"),
                (at("cards[0].action.name"), "not_one_of"),
                (at("cards[0].action.parameters.display_text"), "required"),
                (at("cards[0].action.parameters.url"), "required"),
                (at("cards[2].action.buttons[1].type"), "not_one_of"),
                (at("cards[2].action.buttons"), "duplicate"),
                (at("cards[2].action"), "not_allowed"),
                (at("cards[2].card_index"), "duplicate"),
            ],
        ),
        (
            carousel(&[
                picture_card(0, &json!({"buttons": [], "name": "cta_url"})),
                picture_card(1, &reply),
            ]),
            vec![
                (at("cards[0].action.name"), "not_allowed"),
                (at("cards[0].action.buttons"), "empty"),
                (at("cards[1].action"), "not_allowed"),
            ],
        ),
        (
            carousel(&[picture_card(0, &reply), faulty_card]),
            vec![
                (at("cards[1].card_index"), "out_of_range"),
                (at("cards[1].type"), "not_one_of"),
                (at("cards[1].body.text"), "too_long"),
                (at("cards[1].action.name"), "not_one_of"),
                (at("cards[1].action.parameters.display_text"), "required"),
                (at("cards[1].action.parameters.url"), "required"),
            ],
        ),
        (
            named("order_details", "review_and_pay", &wrong),
            vec![
                (at("parameters.total_amount.offset"), "not_one_of"),
                (at("parameters.order.items[0].quantity"), "out_of_range"),
                (at("parameters.order.subtotal.value"), "out_of_range"),
                (at("parameters.order.items[0].image.link"), "invalid_format"),
                (at("parameters.total_amount.value"), "out_of_range"),
            ],
        ),
        (
            named("order_details", "review_and_pay", &late),
            vec![
                (at("parameters.order.expiration.timestamp"), "invalid_format"),
                (at("parameters.order.expiration.description"), "required"),
            ],
        ),
        (
            named("order_details", "review_and_pay", &sum),
            vec![(at("parameters.total_amount.value"), "out_of_range")],
        ),
        (
            named("order_details", "review_and_pay", &json!({})),
            vec![
                (at("parameters.reference_id"), "required"),
                (at("parameters.type"), "required"),
                (at("parameters.currency"), "required"),
                (at("parameters.total_amount"), "required"),
            ],
        ),
    ] {
        let answer = world
            .post(SEND, &world.key, &with_recipient("+12025550123", &interactive(shape)))
            .await;
        let faults: Vec<(&str, &str)> =
            faults.iter().map(|(field, code)| (field.as_str(), *code)).collect();
        answer.has_faults(&faults);
    }
}

on_both_databases! {
    a_file_that_is_named_by_an_id_is_told_the_field_for_urls,
    each_fault_of_a_message_is_named_at_once,
    each_fault_of_cards_and_orders_is_named_at_once,
}
