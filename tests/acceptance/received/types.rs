//! Each type of message that people send.

use super::{received, with};
use crate::cloud::{Cloud, PERSON, from_person, on_both_clouds};
use serde_json::{Value, json};

/// Meta's examples of messages, each with the type and the field that it is shown as.
fn examples() -> Vec<(Value, &'static str, Value)> {
    let file = |kind: &str, more: Value| {
        let file = with(
            json!({"mime_type": "image/jpeg", "sha256": "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=", "id": "1003383421387256"}),
            &more,
        );
        json!({"type": kind, (kind): file})
    };
    let interactive = |kind: &str, part: &Value| json!({"type": "interactive", "interactive": {"type": kind, (kind): part}});
    let place = json!({"latitude": 37.483_196_2, "longitude": -122.146_498_7, "name": "Main Street Beach", "address": "Main Street Beach, Santa Cruz, CA", "url": "https://foursquare.com/v/4d7031d35b5df7744"});
    let cards = json!([{
        "name": {"formatted_name": "Barbara J. Johnson", "first_name": "Barbara", "last_name": "Johnson", "middle_name": "Joana", "suffix": "Esq.", "prefix": "Dr."},
        "phones": [{"phone": "+16505559999", "type": "HOME", "wa_id": "16505559999"}, {"phone": "+19175559999"}],
        "emails": [{"email": "bjohnson@example.com", "type": "Work"}],
        "urls": [{"url": "https://www.example.com", "type": "Company"}],
        "addresses": [{"street": "1 Lucky Shrub Way", "city": "Menlo Park", "state": "CA", "zip": "94025", "country": "United States", "country_code": "US", "type": "Office"}],
        "org": {"company": "Lucky Shrub", "department": "Legal", "title": "Lead Counsel"},
        "birthday": "1999-01-23",
    }]);
    let items = json!([
        {"product_retailer_id": "di9ozbzfi4", "quantity": 2, "item_price": 30, "currency": "USD"},
        {"product_retailer_id": "nqryix03ez", "quantity": 1, "item_price": "25.5", "currency": "USD"},
    ]);
    let ordered = json!([
        {"product_retailer_id": "di9ozbzfi4", "quantity": 2.0, "item_price": 30.0, "currency": "USD"},
        {"product_retailer_id": "nqryix03ez", "quantity": 1.0, "item_price": 25.5, "currency": "USD"},
    ]);
    let address = r#"{"saved_address_id":"address1","values":{"in_pin_code":"400063","address":"Wadala East","city":"Mumbai"}}"#;
    vec![
        (
            json!({"type": "text", "text": {"body": "Does it come in another color?"}}),
            "text",
            json!("Does it come in another color?"),
        ),
        (
            json!({"type": "reaction", "reaction": {"message_id": "wamid.0", "emoji": "\u{1f44d}"}}),
            "reaction",
            json!("\u{1f44d}"),
        ),
        (
            file(
                "image",
                json!({"caption": "Taj Mahal", "url": "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1"}),
            ),
            "media",
            json!({"url": null, "media_type": "image", "content_type": "image/jpeg", "caption": "Taj Mahal", "filename": null}),
        ),
        (
            file("video", json!({})),
            "media",
            json!({"url": null, "media_type": "video", "content_type": "image/jpeg", "caption": null, "filename": null}),
        ),
        (
            file("audio", json!({"voice": true})),
            "media",
            json!({"url": null, "media_type": "audio", "content_type": "image/jpeg", "caption": null, "filename": null, "voice": true}),
        ),
        (
            file("audio", json!({"voice": false})),
            "media",
            json!({"url": null, "media_type": "audio", "content_type": "image/jpeg", "caption": null, "filename": null}),
        ),
        (
            file("document", json!({"filename": "invoice.pdf"})),
            "media",
            json!({"url": null, "media_type": "document", "content_type": "image/jpeg", "caption": null, "filename": "invoice.pdf"}),
        ),
        (
            file("sticker", json!({"animated": true})),
            "media",
            json!({"url": null, "media_type": "sticker", "content_type": "image/jpeg", "caption": null, "filename": null, "animated": true}),
        ),
        (json!({"type": "location", "location": place}), "location", place.clone()),
        (
            json!({"type": "location", "location": {"latitude": 1, "longitude": "-2", "name": "", "later": 7}}),
            "location",
            json!({"latitude": 1.0, "longitude": -2.0}),
        ),
        (json!({"type": "contacts", "contacts": cards}), "contacts", cards.clone()),
        (
            json!({"type": "contacts", "contacts": [{"name": {}, "vcard": "BEGIN:VCARD"}]}),
            "contacts",
            json!([{"name": {"formatted_name": ""}}]),
        ),
        (
            json!({"type": "order", "order": {"catalog_id": "194836987003835", "text": "Love these!", "product_items": items}}),
            "order",
            json!({"catalog_id": "194836987003835", "text": "Love these!", "product_items": ordered}),
        ),
        (
            json!({"type": "button", "button": {"payload": "Unsubscribe", "text": "Unsubscribe"}}),
            "interactive",
            json!({"type": "button_reply", "button_reply": {"id": "Unsubscribe", "title": "Unsubscribe"}}),
        ),
        (
            interactive("button_reply", &json!({"id": "cancel-button", "title": "Cancel"})),
            "interactive",
            json!({"type": "button_reply", "button_reply": {"id": "cancel-button", "title": "Cancel"}}),
        ),
        (
            interactive(
                "list_reply",
                &json!({"id": "priority", "title": "Priority Mail Express", "description": "Next Day to 2 Days"}),
            ),
            "interactive",
            json!({"type": "list_reply", "list_reply": {"id": "priority", "title": "Priority Mail Express", "description": "Next Day to 2 Days"}}),
        ),
        (
            interactive(
                "nfm_reply",
                &json!({"name": "flow", "body": "Sent", "response_json": "{\"flow_token\": \"unused\", \"rating\": [\"4\"]}"}),
            ),
            "interactive",
            json!({"type": "flow_reply", "flow_reply": {"name": "flow", "body": "Sent", "response": {"flow_token": "unused", "rating": ["4"]}}}),
        ),
        (
            interactive(
                "nfm_reply",
                &json!({"name": "address_message", "body": "Wadala East", "response_json": address}),
            ),
            "interactive",
            json!({"type": "flow_reply", "flow_reply": {"name": "address_message", "body": "Wadala East", "response": {"saved_address_id": "address1", "values": {"in_pin_code": "400063", "address": "Wadala East", "city": "Mumbai"}}}}),
        ),
        (
            interactive("nfm_reply", &json!({"response_json": "{\"a\":\"\\u0000\\ud83d\"}"})),
            "interactive",
            json!({"type": "flow_reply", "flow_reply": {"name": null, "body": null, "response": {"a": "\u{fffd}\u{fffd}"}}}),
        ),
        (
            interactive("nfm_reply", &json!({"response_json": "not JSON"})),
            "interactive",
            json!({"type": "flow_reply", "flow_reply": {"name": null, "body": null, "response": "not JSON"}}),
        ),
        (
            interactive(
                "call_permission_reply",
                &json!({"response": "accept", "is_permanent": false, "expiration_timestamp": 1_795_267_200, "response_source": "user_action"}),
            ),
            "interactive",
            json!({"type": "call_permission_reply", "call_permission_reply": {"accepted": true, "permanent": false, "expires_at": "2026-11-21T13:20:00.000Z", "automatic": false}}),
        ),
        (
            interactive(
                "call_permission_reply",
                &json!({"response": "reject", "response_source": "automatic"}),
            ),
            "interactive",
            json!({"type": "call_permission_reply", "call_permission_reply": {"accepted": false, "permanent": false, "expires_at": null, "automatic": true}}),
        ),
    ]
}

async fn last(cloud: &Cloud) -> Value {
    cloud.history(PERSON).await.pop().expect("a message")
}

on_both_clouds! {
    async fn each_is_shown_as_what_it_is(cloud: Cloud) {
        for (index, (fields, kind, expected)) in examples().into_iter().enumerate() {
            // When a person sends it, and the callback comes twice,
            let callback = received(&format!("wamid.{index}"), i64::try_from(index).unwrap(), &fields);
            cloud.report(&callback).await;
            cloud.post_callback(&callback).await;
            // then history shows it, once, and so does the event.
            let history = cloud.history(PERSON).await;
            assert_eq!(history.len(), index + 1, "{fields}");
            let mut shown = history[index].clone();
            let field = if kind == "reaction" { "text" } else { kind };
            if kind == "media" {
                // The file itself is fetched, or not, by another worker.
                shown["media"]["url"] = Value::Null;
            }
            assert_eq!((&shown["type"], &shown[field]), (&json!(kind), &expected));
            assert_eq!((&shown["direction"], &shown["source"], &shown["status"]), (&json!("inbound"), &json!("customer"), &json!("received")));
            let others = ["text", "media", "interactive", "template", "location", "contacts", "order", "unsupported"];
            for other in others.into_iter().filter(|other| *other != field) {
                assert_eq!(shown[other], Value::Null, "{other} of {shown}");
            }
        }
        let events = cloud.get("/api/v1/events?type=message.received&limit=100", &cloud.key).await;
        let told: Vec<&Value> = events.body["data"].as_array().unwrap().iter().map(|it| &it["data"]["type"]).collect();
        assert_eq!(told, examples().iter().map(|it| it.1).collect::<Vec<_>>());
    }

    async fn what_has_not_the_shape_of_its_type_is_kept_as_it_came(cloud: Cloud) {
        let flow = json!({"type": "interactive", "interactive": {"type": "nfm_reply", "nfm_reply": {"body": "Sent"}}});
        for (index, fields) in [
            json!({"type": "location", "location": {"latitude": "north", "longitude": 2}}),
            json!({"type": "contacts", "contacts": {"name": "Barbara"}}),
            json!({"type": "order", "order": {"product_items": 7}}),
            json!({"type": "interactive", "interactive": {"type": "product", "product": {"id": "1"}}}),
            flow,
            json!({"type": "unsupported", "errors": [{"code": 131_051, "title": "Message type unknown"}], "unsupported": {"type": "poll_creation"}}),
            json!({"type": "hologram", "hologram": {"id": "1"}}),
            json!({"no": "type"}),
        ].into_iter().enumerate() {
            let callback = received(&format!("wamid.{index}"), 0, &fields);
            cloud.post_callback(&callback).await;
            let shown = last(&cloud).await;
            assert_eq!((&shown["type"], &shown["unsupported"]["type"]), (&json!("unsupported"), fields.get("type").unwrap_or(&json!(""))));
            assert_eq!(shown["unsupported"]["payload"], callback["entry"][0]["changes"][0]["value"]["messages"][0]);
        }
        assert_eq!(cloud.history(PERSON).await.len(), 8);
    }

    async fn where_a_message_comes_from_is_shown(cloud: Cloud) {
        let ad = json!({
            "source_url": "https://fb.me/3cr4Wqqkv", "source_id": "120226305854810726", "source_type": "ad", "headline": "Chat with us", "body": "Summer succulents are here!",
            "media_type": "image", "image_url": "https://scontent.example.com/1", "ctwa_clid": "Aff-n8ZTODiE79d22KtAwQKj9e", "welcome_message": {"text": "Hi there! Let us know how we can help!"},
        });
        let words = json!({"type": "text", "text": {"body": "Hi"}});
        let product = json!({"catalog_id": "194836987003835", "product_retailer_id": "di9ozbzfi4"});
        for (index, (more, shown)) in [
            (json!({"referral": ad}), json!({"referral": ad})),
            (json!({"referral": with(ad.clone(), &json!({"source_id": 7, "headline": null}))}), json!({"referral": {
                "source_url": "https://fb.me/3cr4Wqqkv", "source_id": "7", "source_type": "ad", "body": "Summer succulents are here!", "media_type": "image",
                "image_url": "https://scontent.example.com/1", "ctwa_clid": "Aff-n8ZTODiE79d22KtAwQKj9e", "welcome_message": {"text": "Hi there! Let us know how we can help!"},
            }})),
            (json!({"referral": 7}), json!({})),
            (json!({"context": {"from": "15550783881", "id": "wamid.X", "referred_product": product}}), json!({"referred_product": product})),
            (json!({"context": {"forwarded": true}}), json!({"forwarded": true})),
            (json!({"context": {"frequently_forwarded": true}}), json!({"frequently_forwarded": true})),
            (json!({"context": {"forwarded": false, "id": 7}}), json!({})),
            (json!({"context": "x"}), json!({})),
        ].into_iter().enumerate() {
            cloud.post_callback(&received(&format!("wamid.{index}"), 0, &with(words.clone(), &more))).await;
            let message = cloud.history(PERSON).await[index].clone();
            assert_eq!(message["text"], "Hi");
            for field in ["referral", "referred_product", "forwarded", "frequently_forwarded"] {
                assert_eq!(message.get(field), shown.get(field), "{field} of {message}");
            }
        }
    }

    async fn what_it_answers_is_named_whichever_type_it_is_of(cloud: Cloud) {
        let id = cloud.text(PERSON, "Where are you?").await;
        cloud.settle().await;
        let wamid = cloud.accepted(&id)[0].wamid.clone();
        let answer = json!({"type": "location", "location": {"latitude": 1.5, "longitude": 2}, "context": {"from": "15550783881", "id": wamid}});
        cloud.post_callback(&received("wamid.A", 0, &answer)).await;
        assert_eq!(last(&cloud).await["reply_to"], json!(id));
        // A person may answer, and react to, what they wrote themselves.
        cloud.post_callback(&from_person("wamid.B").reaction(Some("\u{2764}"), "wamid.A")).await;
        let history = cloud.history(PERSON).await;
        let place = history.iter().find(|it| it["type"] == "location").unwrap();
        assert_eq!(history.iter().find(|it| it["type"] == "reaction").unwrap()["reply_to"], place["id"]);
    }

    async fn what_the_channel_says_itself_is_no_message_of_the_person(cloud: Cloud) {
        cloud.post_callback(&from_person("wamid.A").text("Hello")).await;
        for (index, system) in [
            json!({"body": "User A changed", "type": "user_changed_number", "wa_id": "16505559999"}),
            json!({"body": "A verified identity changed", "type": "customer_identity_changed", "identity": "h"}),
            json!({"body": "Something later"}),
        ].iter().enumerate() {
            cloud.post_callback(&received(&format!("wamid.S{index}"), 9, &json!({"type": "system", "system": system}))).await;
        }
        let history = cloud.history("+16505559999").await;
        assert_eq!(history.len(), 1, "{history:?}");
        // What is not known of it is kept for the operator.
        let listed = crate::operators::admin(cloud.database_url(), &["callback", "list", "--limit", "10"]).await;
        assert_eq!(listed["data"].as_array().unwrap().len(), 2, "{listed}");
    }
}
