//! The pages of webhooks: their appearance, and their use without scripts.

use super::appearance::look;
use super::small::page_area;
use super::{BrowserWorld, Engine, on_every_browser};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::webhooks::{create_endpoint, endpoint_owner, send_message};
use domain::event::EventKind;
use domain::webhook::Selection;
use service::endpoints::{self, EndpointInput};
use std::time::Duration;

const PATH: &str = "/integrations/webhooks";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_webhook_pages_are_accessible_in_light_and_dark_mode() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let show = async |path: &str, name: &str| {
        browser.goto(&format!("{}{path}", scene.service)).await;
        look(browser, name).await;
    };
    scene.sign_in().await;
    show(PATH, "webhooks-empty").await;
    show(&format!("{PATH}/new"), "webhooks-new").await;
    browser.fill("#url", "https://hooks.acme.example/switchboard").await;
    browser.fill("#description", "Order system").await;
    browser.run("document.querySelector('[name=which][value=some]').click()").await;
    browser.run("document.querySelector('[value=\"message.received\"]').click()").await;
    look(browser, "webhooks-choosing").await;
    browser.click("main form button.primary").await;
    browser.find("#secret").await;
    look(browser, "webhooks-made").await;

    // One endpoint works and has more than a page of deliveries, one fails, and one is gone.
    let well = Receiver::start().await;
    let (fine, _) = create_endpoint(world, &well, &[]).await;
    let failing = Receiver::that(Answers::With(500)).await;
    let failing_url = format!("{}/a/rather/long/path/that/has/to/be/broken/somewhere", failing.url);
    let endpoint_input = EndpointInput {
        url: &failing_url,
        description: "The till in the shop",
        events: Selection::All,
    };
    let (bad, _) =
        endpoints::create(&world.server.deps, endpoint_owner(world), endpoint_input).await.unwrap();
    let gone = Receiver::that(Answers::With(410)).await;
    let (disabled, _) = create_endpoint(world, &gone, &[EventKind::MessageQueued]).await;
    let mut message = String::new();
    for _ in 0..8 {
        message = send_message(world).await;
    }
    world.live_through(Duration::from_secs(2)).await;
    world.advance(Duration::from_mins(7));
    world.settle().await;
    show(PATH, "webhooks").await;
    for (made, name) in [(&fine, "webhook"), (&bad, "webhook-failing"), (&disabled, "webhook-gone")]
    {
        show(&format!("{PATH}/{}", made.id), name).await;
    }
    show(&format!("/messages/{message}"), "message-deliveries").await;
    show(&format!("{PATH}/{}/signature", fine.id), "webhook-signature").await;
    browser.fill("#body", "{}").await;
    browser.fill("#timestamp", "1795262400").await;
    browser.fill("#signature", "v1").await;
    browser.click("main form button.primary").await;
    browser.find("#signature-error").await;
    look(browser, "webhook-signature-refused").await;
    let signature = "v1,L3kJZnp6mmSrcjAsxf1kVWChC/Qgiu4VXIrV+5DeK9U=";
    let typed = format!("document.querySelector('#signature').value = {signature:?}");
    browser.run(&typed).await;
    browser.click("main form button.primary").await;
    browser.find(".once").await;
    look(browser, "webhook-signature-tested").await;
    browser.goto(&format!("{}{PATH}/{}", scene.service, fine.id)).await;
    browser.click("nav.pager a[rel=next]").await;
    browser.find("nav.pager a[rel=prev]").await;
    look(browser, "webhook-older").await;
    for page in ["edit", "replay"] {
        show(&format!("{PATH}/{}/{page}", fine.id), &format!("webhook-{page}")).await;
    }
    show(&format!("{PATH}/{}/delete", fine.id), "webhook-delete").await;
    browser.goto(&format!("{}{PATH}/{}", scene.service, bad.id)).await;
    browser.click("table a.link").await;
    browser.find("#attempts").await;
    browser
        .run("document.querySelectorAll('main details').forEach((it) => { it.open = true; })")
        .await;
    look(browser, "webhook-delivery").await;
}

/// The state of deliveries is the reason for which somebody opens this page.
async fn on_a_phone_the_state_of_a_delivery_is_in_sight(engine: Engine) {
    // Given an endpoint with a delivery that succeeded and one that is tried again,
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let receiver = Receiver::start().await;
    let (endpoint, _) = create_endpoint(world, &receiver, &[]).await;
    send_message(world).await;
    world.live_through(Duration::from_secs(2)).await;
    receiver.answer(Answers::With(503));
    send_message(world).await;
    world.live_through(Duration::from_secs(2)).await;
    scene.sign_in().await;
    // when the page is opened on a phone,
    page_area(browser, (390, 844)).await;
    browser.goto(&format!("{}{PATH}/{}", scene.service, endpoint.id)).await;
    browser.find("tbody .st").await;
    // then each state is inside the window, and nothing around it cuts it off.
    let states = "\
        const isIn = (it) => {\
          const { left, right, width } = it.getBoundingClientRect();\
          for (let around = it.parentElement; around; around = around.parentElement) {\
            const edge = around.getBoundingClientRect();\
            const cuts = getComputedStyle(around).overflowX !== 'visible';\
            if (cuts && (left < edge.left - 1 || right > edge.right + 1)) return false;\
          }\
          return width > 0 && left >= 0 && right <= innerWidth;\
        };\
        const all = [...document.querySelectorAll('tbody .st')];\
        return [all.map((it) => it.textContent), all.filter((it) => !isIn(it)).map((it) => it.textContent)]";
    let states = browser.run(states).await;
    let all = states[0].to_string();
    assert!(all.contains("Retrying") && all.contains("Delivered"), "{all}");
    assert_eq!(states[1], serde_json::json!([]), "{all}");
    let wider =
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.run(wider).await, 0);
}

on_every_browser! {
    on_a_phone_the_state_of_a_delivery_is_in_sight,
}
