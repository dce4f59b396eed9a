//! Each type of message that contacts send.

use super::{inbound_callback, with_fields};
use crate::cloud::{Cloud, PERSON, from_person, on_both_clouds};
use crate::dashboard::sign_in_member;
use serde_json::{Value, json};

/// Returns messages as Meta documents them, each with the type and the field in the API.
fn examples() -> Vec<(Value, String, Value)> {
    let all: Vec<Value> = serde_json::from_str(include_str!("examples.json")).unwrap();
    let of = |it: Value| {
        let kind = it["type"].as_str().unwrap().to_owned();
        (it["sent"].clone(), kind, it["shown"].clone())
    };
    all.into_iter().map(of).collect()
}

async fn last_message(cloud: &Cloud) -> Value {
    cloud.history(PERSON).await.pop().expect("a message")
}

async fn each_type_of_message_is_shown(cloud: Cloud) {
    for (index, (fields, kind, expected)) in examples().into_iter().enumerate() {
        // When a contact sends the message, and the callback comes twice,
        let callback =
            inbound_callback(&format!("wamid.{index}"), i64::try_from(index).unwrap(), &fields);
        cloud.report(&callback).await;
        cloud.post_callback(&callback).await;
        // then it is once in the history and once in an event.
        let history = cloud.history(PERSON).await;
        assert_eq!(history.len(), index + 1, "{fields}");
        let mut shown = history[index].clone();
        let field = if kind == "reaction" { "text" } else { &kind };
        if kind == "media" {
            // The file is downloaded by another worker, at another time.
            shown["media"]["url"] = Value::Null;
        }
        assert_eq!(shown["type"], json!(kind));
        assert_eq!(shown[field], expected);
        assert_eq!(shown["direction"], "inbound");
        assert_eq!(shown["source"], "customer");
        assert_eq!(shown["status"], "received");
        let others = [
            "text",
            "media",
            "interactive",
            "template",
            "location",
            "contacts",
            "order",
            "unsupported",
        ];
        for other in others.into_iter().filter(|other| *other != field) {
            assert_eq!(shown[other], Value::Null, "{other} of {shown}");
        }
    }
    let events = cloud.get("/api/v1/events?type=message.received&limit=100", &cloud.key).await;
    let reported: Vec<&Value> =
        events.body["data"].as_array().unwrap().iter().map(|it| &it["data"]["type"]).collect();
    let expected: Vec<Value> = examples().into_iter().map(|it| it.1.into()).collect();
    assert_eq!(reported, expected.iter().collect::<Vec<_>>());
}

async fn messages_with_invalid_fields_are_stored_unchanged(cloud: Cloud) {
    let flow = json!({
        "type": "interactive",
        "interactive": {"type": "nfm_reply", "nfm_reply": {"body": "Sent"}},
    });
    for (index, fields) in [
        json!({"type": "location", "location": {"latitude": "north", "longitude": 2}}),
        json!({"type": "contacts", "contacts": {"name": "Barbara"}}),
        json!({"type": "order", "order": {"product_items": 7}}),
        json!({"type": "interactive", "interactive": {"type": "product", "product": {"id": "1"}}}),
        flow,
        json!({
            "type": "unsupported",
            "errors": [{"code": 131_051, "title": "Message type unknown"}],
            "unsupported": {"type": "poll_creation"},
        }),
        json!({"type": "hologram", "hologram": {"id": "1"}}),
        json!({"no": "type"}),
    ]
    .into_iter()
    .enumerate()
    {
        let callback = inbound_callback(&format!("wamid.{index}"), 0, &fields);
        cloud.post_callback(&callback).await;
        let shown = last_message(&cloud).await;
        assert_eq!(shown["type"], "unsupported");
        assert_eq!(&shown["unsupported"]["type"], fields.get("type").unwrap_or(&json!("")));
        assert_eq!(
            shown["unsupported"]["payload"],
            callback["entry"][0]["changes"][0]["value"]["messages"][0]
        );
    }
    assert_eq!(cloud.history(PERSON).await.len(), 8);
}

async fn the_ad_or_product_behind_a_message_is_shown(cloud: Cloud) {
    let ad = json!({
        "source_url": "https://fb.me/3cr4Wqqkv",
        "source_id": "120226305854810726",
        "source_type": "ad",
        "headline": "Chat with us",
        "body": "Summer succulents are here!",
        "media_type": "image",
        "image_url": "https://scontent.example.com/1",
        "ctwa_clid": "Aff-n8ZTODiE79d22KtAwQKj9e",
        "welcome_message": {"text": "Hi there! Let us know how we can help!"},
    });
    let words = json!({"type": "text", "text": {"body": "Hi"}});
    let product = json!({"catalog_id": "194836987003835", "product_retailer_id": "di9ozbzfi4"});
    for (index, (more, shown)) in [
        (json!({"referral": ad}), json!({"referral": ad})),
        (
            json!({
                "referral": with_fields(ad.clone(), &json!({"source_id": 7, "headline": null})),
            }),
            json!({
                "referral": {
                    "source_url": "https://fb.me/3cr4Wqqkv",
                    "source_id": "7",
                    "source_type": "ad",
                    "body": "Summer succulents are here!",
                    "media_type": "image",
                    "image_url": "https://scontent.example.com/1",
                    "ctwa_clid": "Aff-n8ZTODiE79d22KtAwQKj9e",
                    "welcome_message": {"text": "Hi there! Let us know how we can help!"},
                },
            }),
        ),
        (json!({"referral": 7}), json!({})),
        (
            json!({
                "context": {"from": "15550783881", "id": "wamid.X", "referred_product": product},
            }),
            json!({"referred_product": product}),
        ),
        (json!({"context": {"forwarded": true}}), json!({"forwarded": true})),
        (json!({"context": {"frequently_forwarded": true}}), json!({"frequently_forwarded": true})),
        (json!({"context": {"forwarded": false, "id": 7}}), json!({})),
        (json!({"context": "x"}), json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        cloud
            .post_callback(&inbound_callback(
                &format!("wamid.{index}"),
                0,
                &with_fields(words.clone(), &more),
            ))
            .await;
        let message = cloud.history(PERSON).await[index].clone();
        assert_eq!(message["text"], "Hi");
        for field in ["referral", "referred_product", "forwarded", "frequently_forwarded"] {
            assert_eq!(message.get(field), shown.get(field), "{field} of {message}");
        }
    }
}

async fn the_inbox_shows_what_cards_orders_and_ads_say(cloud: Cloud) {
    let mut ada = sign_in_member(&cloud).await;
    let cards = json!({
        "type": "contacts",
        "contacts": [{
            "name": {"formatted_name": "Barbara <J.> Johnson", "first_name": "Barbara"},
            "phones": [{"phone": "+16505559999", "type": "HOME"}, {"phone": "+19175559999"}],
        }],
    });
    let item = |id: &str, quantity: i64, price: f64| {
        json!({
            "product_retailer_id": id,
            "quantity": quantity,
            "item_price": price,
            "currency": "USD",
        })
    };
    let order = json!({
        "type": "order",
        "order": {
            "catalog_id": "194836987003835",
            "text": "Love these!",
            "product_items": [item("di9ozbzfi4", 2, 30.0), item("nqryix03ez", 1, 25.5)],
        },
    });
    let from_ad = json!({
        "type": "text",
        "text": {"body": "Hi"},
        "referral": {
            "source_url": "https://fb.me/3cr4Wqqkv",
            "source_type": "ad",
            "headline": "Chat with us",
            "body": "Summer succulents are here!",
        },
    });
    // Given a contact who sends cards, an order, and a text after a click on an ad,
    for (index, fields) in [cards, order, from_ad].iter().enumerate() {
        cloud.post_callback(&inbound_callback(&format!("wamid.{index}"), 0, fields)).await;
    }
    // when a member opens the conversation, then it says what is in them.
    let id = last_message(&cloud).await["conversation_id"].as_str().unwrap().to_owned();
    let page = ada.get(&format!("/inbox/{id}")).await;
    for expected in [
        "Contact card\nBarbara &#60;J.&#62; Johnson · +16505559999 · +19175559999<",
        "Order of 2 products\n2 × di9ozbzfi4, 30 USD each\n1 × nqryix03ez, 25.5 USD each\nLove these!<",
        ">Came from an ad\nChat with us\nSummer succulents are here!\nhttps://fb.me/3cr4Wqqkv<",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
}

async fn every_type_of_message_names_the_message_it_replies_to(cloud: Cloud) {
    let id = cloud.text(PERSON, "Where are you?").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let answer = json!({
        "type": "location",
        "location": {"latitude": 1.5, "longitude": 2},
        "context": {"from": "15550783881", "id": wamid},
    });
    cloud.post_callback(&inbound_callback("wamid.A", 0, &answer)).await;
    assert_eq!(last_message(&cloud).await["reply_to"], json!(id));
    // A contact can reply and react to its own message.
    cloud.post_callback(&from_person("wamid.B").reaction(Some("\u{2764}"), "wamid.A")).await;
    let history = cloud.history(PERSON).await;
    let place = history.iter().find(|it| it["type"] == "location").unwrap();
    assert_eq!(
        history.iter().find(|it| it["type"] == "reaction").unwrap()["reply_to"],
        place["id"]
    );
}

async fn system_messages_are_not_messages_of_the_contact(cloud: Cloud) {
    cloud.post_callback(&from_person("wamid.A").text("Hello")).await;
    for (index, system) in [
        json!({"body": "User A changed", "type": "user_changed_number", "wa_id": "16505559999"}),
        json!({
            "body": "A verified identity changed",
            "type": "customer_identity_changed",
            "identity": "h",
        }),
        json!({"body": "Something later"}),
    ]
    .iter()
    .enumerate()
    {
        cloud
            .post_callback(&inbound_callback(
                &format!("wamid.S{index}"),
                9,
                &json!({
                    "type": "system",
                    "system": system,
                }),
            ))
            .await;
    }
    let history = cloud.history("+16505559999").await;
    assert_eq!(history.len(), 1, "{history:?}");
    // Parts that are not understood become dead letters.
    let listed =
        crate::operators::admin(cloud.database_url(), &["callback", "list", "--limit", "10"]).await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
}

on_both_clouds! {
    each_type_of_message_is_shown,
    messages_with_invalid_fields_are_stored_unchanged,
    the_ad_or_product_behind_a_message_is_shown,
    the_inbox_shows_what_cards_orders_and_ads_say,
    every_type_of_message_names_the_message_it_replies_to,
    system_messages_are_not_messages_of_the_contact,
}
