//! The numbers beside pages of the sidebar.

use super::{KEYS, WEBHOOKS, member_of_another_organization, sign_in_member};
use crate::connect::{EMAIL, PASSWORD, Page};
use crate::members::sign_in;
use crate::webhooks::receiver::{Answers, Receiver};
use crate::webhooks::{create_endpoint, send_message, with_receivers};
use crate::world::World;
use serde_json::json;
use std::time::Duration;

/// Returns the number beside a page of the sidebar, and what it counts.
fn mark(page: &Page, path: &str) -> Option<String> {
    let (_, entry) = page.text.split_once(&format!("<a href=\"{path}\"")).unwrap();
    let entry = entry.split("</a>").next().unwrap();
    let (_, mark) = entry.split_once("<span class=\"n ")?;
    let (_, mark) = mark.split_once('>').unwrap();
    Some(mark.replace("<span class=\"sr\">", "").replace("</span>", ""))
}

async fn the_sidebar_counts_what_needs_attention(world: World) {
    // Given an organization without faults, then nothing is counted.
    let mut browser = sign_in_member(&world).await;
    let receiver = Receiver::start().await;
    create_endpoint(&world, &receiver, &[]).await;
    send_message(&world).await;
    world.live_through(Duration::from_secs(2)).await;
    for path in ["/messages", WEBHOOKS, "/numbers"] {
        assert_eq!(mark(&browser.get(KEYS).await, path), None, "{path}");
    }
    // When messages and deliveries fail, then each page says so,
    receiver.answer(Answers::With(503));
    for _ in 0..2 {
        let unreachable = json!({"type": "text", "phone_number": "+12025550103", "text": "Hello"});
        let sent = world.post("/api/v1/messages", &world.key, &unreachable).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
    }
    world.live_through(Duration::from_secs(2)).await;
    let page = browser.get(KEYS).await;
    let failed = "2 failed in the last 24 hours";
    assert_eq!(mark(&page, "/messages").as_deref(), Some(failed), "{}", page.text);
    let failing = "1 failing or disabled by failures";
    assert_eq!(mark(&page, WEBHOOKS).as_deref(), Some(failing), "{}", page.text);
    // but not to another organization,
    let mut eve = member_of_another_organization(&world).await;
    for path in ["/messages", WEBHOOKS] {
        assert_eq!(mark(&eve.get(KEYS).await, path), None, "{path}");
    }
    // and a day later the messages are not counted.
    world.advance(Duration::from_hours(25));
    let mut browser = sign_in(&world, EMAIL, PASSWORD).await;
    assert_eq!(mark(&browser.get(KEYS).await, "/messages"), None);
}

with_receivers! {
    the_sidebar_counts_what_needs_attention,
}
