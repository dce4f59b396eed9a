//! A customer of the sandbox who writes through the API (`docs/contract.md#sandbox-inbound`).

use crate::cloud::{Cloud, on_both_clouds};
use crate::template_creation::TEMPLATES;
use crate::world::{Answer, World, on_both_databases};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::time::Duration;

const INBOUND: &str = "/api/v1/sandbox/inbound";
const CUSTOMER: &str = "+12025550143";
const NOBODYS: &str = "msg_01h455vb4pex5vsknk084sn02q";

async fn write(world: &World, body: &Value) -> Answer {
    let answer = world.post(INBOUND, &world.key, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    world.live_through(Duration::from_secs(1)).await;
    answer
}

async fn a_text_arrives_as_if_the_customer_had_written_it(world: World) {
    // When a customer who is not known yet writes,
    let body = json!({"phone_number": "+1 202 555 0143", "text": "When do you open?"});
    let written = write(&world, &body).await;
    // then the answer names the message,
    assert_eq!(written.body["status"], "received");
    assert_eq!(written.body["phone_number"], CUSTOMER);
    assert_eq!(written.body["account_id"], json!(world.account.to_string()));
    // which is in the history under that id, opens the window, and is an event.
    let path = format!("/api/v1/messages/{}", written.text_of("id"));
    let message = world.get(&path, &world.key).await;
    assert_eq!(message.status, 200, "{}", message.text);
    assert_eq!(message.body["text"], "When do you open?");
    assert_eq!(message.body["direction"], "inbound");
    assert_eq!(message.body["source"], "customer");
    let conversation = format!("/api/v1/conversations/{}", message.text_of("conversation_id"));
    let conversation = world.get(&conversation, &world.key).await;
    assert!(conversation.body["window_closes_at"].is_string(), "{}", conversation.text);
    let events = crate::events::events(&world, &world.key).await;
    let received = events.iter().find(|it| it["type"] == "message.received").expect("the event");
    assert_eq!(received["data"]["id"], written.body["id"]);
}

async fn a_repeated_request_writes_once(world: World) {
    let body = json!({"phone_number": CUSTOMER, "text": "Once"});
    let first = world.post_once(INBOUND, "once", &body).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let second = world.post_once(INBOUND, "once", &body).await;
    assert_eq!(second.text, first.text);
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
}

async fn an_upload_is_sent_as_a_file(world: World) {
    // Given an upload,
    let data = BASE64_STANDARD.encode("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
    let upload =
        json!({"data": data, "content_type": "application/pdf", "filename": "receipt.pdf"});
    let upload = world.post("/api/v1/media", &world.key, &upload).await;
    assert_eq!(upload.status, 201, "{}", upload.text);
    // when the customer sends it, then the message has its address.
    let body = json!({
        "phone_number": CUSTOMER, "media_url": upload.body["url"], "caption": "My receipt",
    });
    write(&world, &body).await;
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history(CUSTOMER).await;
    let media = &history[0]["media"];
    assert_eq!(media["url"], upload.body["url"], "{}", history[0]);
    assert_eq!(media["media_type"], "document");
    assert_eq!(media["content_type"], "application/pdf");
    assert_eq!(media["caption"], "My receipt");
    assert_eq!(media["filename"], "receipt.pdf");
}

async fn a_button_is_tapped(world: World) {
    // Given a message with a button,
    let buttons = json!([{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]);
    let interactive =
        json!({"type": "button", "body": {"text": "Well?"}, "action": {"buttons": buttons}});
    let body = json!({"type": "interactive", "phone_number": CUSTOMER, "interactive": interactive});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    world.live_through(Duration::from_secs(2)).await;
    // when the customer taps it, then the answer names button and message.
    let button = json!({"message_id": sent.body["id"], "id": "yes"});
    write(&world, &json!({"phone_number": CUSTOMER, "button": button})).await;
    let history = world.history(CUSTOMER).await;
    let tap = history.last().unwrap();
    assert_eq!(tap["reply_to"], sent.body["id"]);
    assert_eq!(tap["interactive"]["button_reply"]["id"], "yes", "{tap}");
    // A button that the message does not have is not found, and neither is the button of a
    // message that does not exist.
    for (message, id) in [(sent.text_of("id"), "no"), (NOBODYS.to_owned(), "yes")] {
        let button = json!({"message_id": message, "id": id});
        let body = json!({"phone_number": CUSTOMER, "button": button});
        let answer = world.post(INBOUND, &world.key, &body).await;
        assert_eq!(answer.status, 404, "{}", answer.text);
    }
}

async fn only_the_recipient_taps_a_button(world: World) {
    // Given a message with a button, and another customer who has written, too,
    let buttons = json!([{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]);
    let interactive =
        json!({"type": "button", "body": {"text": "Well?"}, "action": {"buttons": buttons}});
    let body = json!({"type": "interactive", "phone_number": CUSTOMER, "interactive": interactive});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    world.live_through(Duration::from_secs(2)).await;
    write(&world, &json!({"phone_number": "+12025550177", "text": "Hi"})).await;
    // when somebody else taps it, known or not, then there is no such button.
    let button = json!({"message_id": sent.body["id"], "id": "yes"});
    for other in ["+12025550177", "+12025550178"] {
        let body = json!({"phone_number": other, "button": button});
        let answer = world.post(INBOUND, &world.key, &body).await;
        answer.is_problem(404, "not_found");
    }
    write(&world, &json!({"phone_number": CUSTOMER, "button": button})).await;
    assert_eq!(world.history(CUSTOMER).await.last().unwrap()["reply_to"], sent.body["id"]);
}

async fn a_file_is_an_upload_or_on_the_public_internet(world: World) {
    for url in [
        "http://example.com/a.jpg",
        "http://169.254.169.254/a.jpg",
        "https://169.254.169.254/a.jpg",
        "https://10.1.2.3/a.jpg",
        "https://[fe80::1]/a.jpg",
        "https://me:secret@example.com/a.jpg",
    ] {
        let body = json!({"phone_number": CUSTOMER, "media_url": url});
        let answer = world.post(INBOUND, &world.key, &body).await;
        answer.has_faults(&[("media_url", "invalid_format")]);
    }
}

async fn invalid_inbound_messages_are_rejected(world: World) {
    let long = "x".repeat(4097);
    let button = json!({"message_id": NOBODYS, "id": "yes"});
    for (body, field) in [
        (json!({"text": "Hello"}), "phone_number"),
        (json!({"phone_number": "what", "text": "Hello"}), "phone_number"),
        (json!({"phone_number": CUSTOMER}), "text"),
        (json!({"phone_number": CUSTOMER, "text": ""}), "text"),
        (json!({"phone_number": CUSTOMER, "text": "  \n"}), "text"),
        (json!({"phone_number": CUSTOMER, "text": long}), "text"),
        (json!({"phone_number": CUSTOMER, "text": "Hello", "button": button}), "text"),
        (json!({"phone_number": CUSTOMER, "text": "Hello", "caption": "Hi"}), "caption"),
        (json!({"phone_number": CUSTOMER, "media_url": "ftp://a/b.png"}), "media_url"),
        (json!({"phone_number": CUSTOMER, "media_url": "https://a.example/b"}), "media_type"),
        (json!({"phone_number": CUSTOMER, "button": {"id": "yes"}}), "button.message_id"),
        (json!({"phone_number": CUSTOMER, "button": []}), "button"),
        (json!({"phone_number": CUSTOMER, "text": "Hello", "from": "me"}), "from"),
    ] {
        let answer = world.post(INBOUND, &world.key, &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert_eq!(answer.body["code"], "validation_failed");
        assert_eq!(answer.body["details"][0]["field"], field, "{}", answer.text);
    }
    world.live_through(Duration::from_secs(1)).await;
    assert!(world.history(CUSTOMER).await.is_empty());
}

async fn a_key_without_the_scope_cannot_write(world: World) {
    let key = world.key_with(world.organization, &[Scope::TemplatesRead], None, 0).await;
    let answer = world.post(INBOUND, &key, &json!({"phone_number": CUSTOMER, "text": "Hi"})).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    assert_eq!(answer.body["required_scope"], "messages.send");
}

async fn a_customer_of_another_channel_is_not_simulated(cloud: Cloud) {
    let body = json!({"phone_number": CUSTOMER, "text": "Hi"});
    let answer = cloud.post(INBOUND, &cloud.key, &body).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert_eq!(answer.body["code"], "not_supported_by_channel");
    assert_eq!(answer.body["channel"], "cloud_api");
    let templates = cloud.get(TEMPLATES, &cloud.key).await;
    assert_eq!(templates.status, 200);
}

on_both_databases! {
    a_text_arrives_as_if_the_customer_had_written_it,
    a_repeated_request_writes_once,
    an_upload_is_sent_as_a_file,
    a_button_is_tapped,
    only_the_recipient_taps_a_button,
    a_file_is_an_upload_or_on_the_public_internet,
    invalid_inbound_messages_are_rejected,
    a_key_without_the_scope_cannot_write,
}

on_both_clouds! {
    a_customer_of_another_channel_is_not_simulated,
}
