//! A member's actions in the popup, and the events that the partner's page receives.

use super::{BrowserWorld, Engine, STATE, Setup, Windows, on_every_browser, until};
use crate::world::Database;
use serde_json::json;

/// The whole handshake, with a sign-in.
async fn one_click_leads_to_a_working_key(engine: Engine, database: Database) {
    let scene = BrowserWorld::on(engine, database, Setup::default()).await;
    let opener = scene.open(scene.partner_page("")).await;
    scene.click_connect(&opener).await;
    scene.fill_in_sign_in().await;
    let text = {
        scene.browser.find("button[value=allow]").await;
        scene.browser.text().await
    };
    assert!(text.contains("Connect Partner CRM"), "{text}");
    scene.decide("allow").await;
    scene.browser.switch_to(&opener).await;
    scene.wait_for_callback().await;
    let connect_events = scene.connect_events().await;
    assert_eq!(connect_events.len(), 1, "{connect_events:?}");
    assert_eq!(connect_events[0]["state"], json!(STATE));
    assert_eq!(connect_events[0]["iss"], json!(scene.service));
    assert_eq!(connect_events[0]["error"], json!(null));
    assert_eq!(connect_events[0]["errorDescription"], json!(null));
    until("the popup closes", async || scene.browser.windows().await == 1).await;
    scene.one_callback_with_a_code().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_click_leads_to_a_working_key_on_postgres() {
    one_click_leads_to_a_working_key(Engine::Chromium, Database::migrated_postgres().await).await;
}

/// Opens the popup with the Enter key and confirms it with the Enter key, several times.
async fn the_enter_key_opens_and_allows(engine: Engine, windows: Windows) {
    let scene = BrowserWorld::with(engine, Setup { windows, ..Setup::default() }).await;
    scene.sign_in().await;
    for round in 1..=3 {
        let opener = scene.open(scene.partner_page("")).await;
        scene.browser.run("sessionStorage.clear()").await;
        scene.browser.enter("#connect").await;
        scene.browser.popup(&opener).await;
        scene.browser.enter("button[value=allow]").await;
        scene.browser.switch_to(&opener).await;
        scene.wait_for_callback().await;
        let callbacks = scene.site.asked("/callback").len();
        assert_eq!(scene.connect_events().await.len(), 1);
        assert_eq!(callbacks, round);
    }
}

/// Firefox with visible windows, where key presses take another path than in headless mode.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn firefox_on_a_display() {
    the_enter_key_opens_and_allows(Engine::Firefox, Windows::Shown).await;
}

async fn with_the_enter_key_it_is_opened_and_allowed(engine: Engine) {
    the_enter_key_opens_and_allows(engine, Windows::Minimal).await;
}

async fn one_click_leads_to_a_working_key_on_sqlite(engine: Engine) {
    one_click_leads_to_a_working_key(engine, Database::migrated_sqlite()).await;
}

async fn a_page_that_prevents_the_default_gets_the_code_and_stays_open(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("<script>window.prevent = true</script>")).await;
    scene.click_connect(&opener).await;
    scene.decide("allow").await;
    scene.browser.switch_to(&opener).await;
    until("the event comes", async || !scene.connect_events().await.is_empty()).await;
    assert!(scene.callbacks().await.is_empty());
    let connect_events = scene.connect_events().await;
    assert_eq!(connect_events.len(), 1, "{connect_events:?}");
    assert!(
        connect_events[0]["code"].as_str().is_some_and(|code| code.len() > 20),
        "{connect_events:?}"
    );
    assert!(scene.browser.address().await.ends_with('/'));
}

async fn a_blocked_popup_becomes_the_whole_page(engine: Engine) {
    let setup = Setup { windows: Windows::Hidden, ..Setup::default() };
    let scene = BrowserWorld::with(engine, setup).await;
    scene.sign_in().await;
    // The page was not clicked, so the browser blocks the popup.
    let script = "<script>addEventListener('load', () => \
                  setTimeout(() => document.getElementById('connect').click(), 100))</script>";
    scene.open(scene.partner_page(script)).await;
    scene.browser.find("button[value=allow]").await;
    assert_eq!(scene.browser.windows().await, 1);
    assert!(!scene.browser.address().await.contains("display=popup"));
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
}

async fn declining_is_reported_and_delivered_once(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("")).await;
    scene.click_connect(&opener).await;
    scene.decide("cancel").await;
    scene.browser.switch_to(&opener).await;
    scene.wait_for_callback().await;
    let callbacks = scene.callbacks().await;
    assert_eq!(callbacks.len(), 1, "{callbacks:?}");
    assert!(callbacks[0].starts_with("error=access_denied&error_description="), "{callbacks:?}");
    let connect_events = scene.connect_events().await;
    assert_eq!(connect_events.len(), 1);
    assert_eq!(connect_events[0]["error"], "access_denied");
    let description = connect_events[0]["errorDescription"].as_str();
    assert!(description.is_some_and(|it| !it.is_empty()), "{connect_events:?}");
    assert_eq!(connect_events[0]["iss"], json!(scene.service));
    assert_eq!(connect_events[0]["code"], json!(null));
}

async fn a_closed_popup_is_reported_and_nothing_else_happens(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let opener = scene.open(scene.partner_page("")).await;
    // The member closes the popup on the sign-in page, before any decision.
    scene.click_connect(&opener).await;
    scene.browser.find("input[name=password]").await;
    scene.browser.client.close_window().await.unwrap();
    scene.browser.switch_to(&opener).await;
    until("the event comes", async || !scene.connect_events().await.is_empty()).await;
    assert!(scene.callbacks().await.is_empty());
    let connect_events = scene.connect_events().await;
    assert_eq!(connect_events.len(), 1, "{connect_events:?}");
    assert_eq!(connect_events[0]["error"], "popup_closed", "{connect_events:?}");
    assert!(scene.browser.address().await.ends_with('/'));

    // The button can be used again.
    scene.click_connect(&opener).await;
    scene.browser.find("input[name=password]").await;
}

async fn without_a_script_the_whole_page_goes_there_and_back(engine: Engine) {
    let scene = BrowserWorld::with(engine, Setup { script: false, ..Setup::default() }).await;
    scene.browser.goto(&scene.authorize_url()).await;
    scene.fill_in_sign_in().await;
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
}

on_every_browser! {
    with_the_enter_key_it_is_opened_and_allowed,
    one_click_leads_to_a_working_key_on_sqlite,
    a_page_that_prevents_the_default_gets_the_code_and_stays_open,
    a_blocked_popup_becomes_the_whole_page,
    declining_is_reported_and_delivered_once,
    a_closed_popup_is_reported_and_nothing_else_happens,
    without_a_script_the_whole_page_goes_there_and_back,
}
