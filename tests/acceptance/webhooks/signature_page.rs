//! The page that tests a signature, and the success rate of an endpoint.

use super::receiver::{Answers, Received, Receiver};
use super::{create_endpoint, endpoint_owner, send_message, with_receivers};
use crate::connect::{Browser, Page};
use crate::dashboard::{WEBHOOKS, csrf_token, sign_in_member};
use crate::world::World;
use domain::event::EventKind;
use persistence::records::Endpoint;
use service::endpoints;
use std::time::Duration;

/// A request as a member pastes it.
#[derive(Clone)]
struct Pasted {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

impl Pasted {
    fn of(received: &Received) -> Self {
        Self {
            id: received.id.clone(),
            timestamp: received.timestamp.to_string(),
            signature: received.signatures.join(" "),
            body: String::from_utf8(received.body.to_vec()).unwrap(),
        }
    }

    /// Tests the request on the page of an endpoint.
    async fn test(&self, browser: &mut Browser, endpoint: &Endpoint) -> Page {
        let path = format!("{WEBHOOKS}/{}/signature", endpoint.id);
        let form_token = csrf_token(&browser.get(&path).await);
        let fields = [
            ("token", form_token.as_str()),
            ("id", &self.id),
            ("timestamp", &self.timestamp),
            ("signature", &self.signature),
            ("body", &self.body),
        ];
        let page = browser.post(&path, &fields).await;
        assert!(!page.text.contains("whsec_"), "{}", page.text);
        page
    }
}

async fn a_wrong_signature_is_explained(world: World) {
    // Given a request that an endpoint received, and another endpoint,
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let (endpoint, _) = create_endpoint(&world, &receiver, &[EventKind::MessageSent]).await;
    let (other, _) = create_endpoint(&world, &receiver, &[EventKind::MessageFailed]).await;
    send_message(&world).await;
    world.live_through(Duration::from_secs(2)).await;
    let request = Pasted::of(&receiver.take().remove(0));
    let mut says = async |request: &Pasted, endpoint: &Endpoint, sentence: &str| {
        let page = request.test(&mut browser, endpoint).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.text.contains(sentence), "{sentence}: {}", page.text);
        assert!(page.text.contains("role=\"status\" tabindex=\"-1\" autofocus"));
        page
    };
    // then it verifies, also without the id, and with a line break that came with pasting.
    says(&request, &endpoint, "The signature is valid").await;
    says(&Pasted { id: String::new(), ..request.clone() }, &endpoint, "The signature is valid")
        .await;
    let broken = Pasted { body: format!("{}\r\n", request.body), ..request.clone() };
    says(&broken, &endpoint, "Line breaks that came with pasting were left out").await;
    // What is wrong is named: the body, the timestamp, the id, or the secret.
    let parsed: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    let body = serde_json::to_string_pretty(&parsed).unwrap();
    let changed = Pasted { body, ..request.clone() };
    says(&changed, &endpoint, "The body was changed").await;
    says(&changed, &endpoint, "difference is at character 2.").await;
    let timestamp = (request.timestamp.parse::<i64>().unwrap() + 1).to_string();
    says(&Pasted { timestamp, ..request.clone() }, &endpoint, "The timestamp was changed").await;
    let id = "evt_01kb1yf3n8w2c6t4s9x7z5q0ha".to_owned();
    says(&Pasted { id, ..request.clone() }, &endpoint, "The webhook-id is another one").await;
    says(&request, &other, "Wrong secret, or a changed body").await;
    let garbage =
        Pasted { body: "{\"sequence\": 99999999999999999999}".to_owned(), ..request.clone() };
    says(&garbage, &endpoint, "Wrong secret, or a changed body").await;
    // An old timestamp is told, and a secret that was rotated.
    world.advance(Duration::from_hours(3));
    says(&request, &endpoint, "The timestamp is 3 hours old").await;
    endpoints::rotate(&world.server.deps, endpoint_owner(&world), endpoint.id).await.unwrap();
    let rotated = super::read_endpoint(&world, &endpoint).await;
    for _ in 0..2 {
        says(&request, &rotated, "the timestamp is too old").await;
        world.advance(Duration::from_hours(9));
    }
    says(&request, &rotated, "the timestamp is too old").await;
    world.advance(Duration::from_hours(9));
    let page = says(&request, &rotated, "Made with a secret that was rotated").await;
    assert!(page.text.contains(&request.signature), "what was typed stays: {}", page.text);
}

async fn a_form_that_cannot_be_tested_names_all_faults(world: World) {
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let (endpoint, _) = create_endpoint(&world, &receiver, &[]).await;
    let empty = Pasted {
        id: String::new(),
        timestamp: "9223372036854775807".to_owned(),
        signature: "<b>v1".to_owned(),
        body: String::new(),
    };
    let page = empty.test(&mut browser, &endpoint).await;
    assert_eq!(page.status, 422);
    for says in ["Paste the body", "Enter the seconds since 1970", "It begins with “v1,”"] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    assert!(page.text.contains("&#60;b&#62;v1"), "{}", page.text);
    let unknown = format!("{WEBHOOKS}/whe_00000000000000000000000000/signature");
    assert_eq!(browser.get(&unknown).await.status, 404);
}

async fn the_success_rate_is_of_the_last_24_hours(world: World) {
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    let (endpoint, _) = create_endpoint(&world, &receiver, &[EventKind::MessageSent]).await;
    let path = format!("{WEBHOOKS}/{}", endpoint.id);
    assert!(!browser.get(&path).await.text.contains("Success rate"));
    receiver.answer(Answers::With(503));
    send_message(&world).await;
    world.live_through(Duration::from_secs(2)).await;
    let page = browser.get(&path).await;
    assert!(page.text.contains("0 of 1 deliveries in the last 24 hours"), "{}", page.text);
    receiver.answer(Answers::With(200));
    world.advance(Duration::from_mins(10));
    world.settle().await;
    send_message(&world).await;
    world.live_through(Duration::from_secs(2)).await;
    let page = browser.get(&path).await;
    assert!(page.text.contains("2 of 2 deliveries in the last 24 hours"), "{}", page.text);
    assert!(page.text.contains("100.0%"), "{}", page.text);
}

with_receivers! {
    a_wrong_signature_is_explained,
    a_form_that_cannot_be_tested_names_all_faults,
    the_success_rate_is_of_the_last_24_hours,
}
