//! What a person does in the popup, and what the partner's page learns of it.

use super::{Chromium, Scene, Setup, until};
use crate::world::Database;
use serde_json::json;

/// The whole of it, with a sign-in on the way.
async fn one_click_leads_to_a_working_key(database: Database) {
    let scene = Scene::on(database, Setup::default()).await;
    let opener = scene.open(scene.partner_page("")).await;
    scene.click_connect(&opener).await;
    scene.fill_in_sign_in().await;
    let text = {
        scene.chromium.find("button[value=allow]").await;
        scene.chromium.text().await
    };
    assert!(text.contains("Connect Partner CRM"), "{text}");
    scene.decide("allow").await;
    scene.chromium.switch_to(&opener).await;
    scene.until_back().await;
    let told = scene.told().await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["state"], &told[0]["error"]), (&json!(super::STATE), &json!(null)));
    until("the popup closes", async || scene.chromium.windows().await == 1).await;
    scene.one_callback_with_a_code().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_click_leads_to_a_working_key_on_sqlite() {
    one_click_leads_to_a_working_key(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_click_leads_to_a_working_key_on_postgres() {
    one_click_leads_to_a_working_key(Database::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_prevents_it_gets_the_code_and_is_not_left() {
    let scene = Scene::start().await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("<script>window.prevent = true</script>")).await;
    scene.click_connect(&opener).await;
    scene.decide("allow").await;
    scene.chromium.switch_to(&opener).await;
    until("the event comes", async || !scene.told().await.is_empty()).await;
    assert!(scene.callbacks().await.is_empty());
    let told = scene.told().await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0]["code"].as_str().is_some_and(|code| code.len() > 20), "{told:?}");
    assert!(scene.chromium.address().await.ends_with('/'));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_popup_becomes_the_whole_page() {
    let scene = Scene::start().await;
    scene.sign_in().await;
    // Nobody touched this page, so Chromium opens no window for it.
    let script = "<script>addEventListener('load', () => \
                  setTimeout(() => document.getElementById('connect').click(), 100))</script>";
    scene.open(scene.partner_page(script)).await;
    scene.chromium.find("button[value=allow]").await;
    assert_eq!(scene.chromium.windows().await, 1);
    assert!(!scene.chromium.address().await.contains("display=popup"));
    scene.decide("allow").await;
    scene.until_back().await;
    scene.one_callback_with_a_code().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declining_is_told_and_sent_on_once() {
    let scene = Scene::start().await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("")).await;
    scene.click_connect(&opener).await;
    scene.decide("cancel").await;
    scene.chromium.switch_to(&opener).await;
    scene.until_back().await;
    let callbacks = scene.callbacks().await;
    assert_eq!(callbacks.len(), 1, "{callbacks:?}");
    assert!(callbacks[0].starts_with("error=access_denied&error_description="), "{callbacks:?}");
    let told = scene.told().await;
    assert_eq!(
        (told.len(), &told[0]["error"], &told[0]["code"]),
        (1, &json!("access_denied"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_popup_that_the_person_closes_is_told_and_nothing_else_happens() {
    let scene = Scene::start().await;
    let opener = scene.open(scene.partner_page("")).await;
    // On the sign-in page, which comes before any decision.
    scene.click_connect(&opener).await;
    scene.chromium.find("input[name=password]").await;
    scene.chromium.client.close_window().await.unwrap();
    scene.chromium.switch_to(&opener).await;
    until("the event comes", async || !scene.told().await.is_empty()).await;
    assert!(scene.callbacks().await.is_empty());
    let told = scene.told().await;
    assert_eq!((told.len(), &told[0]["error"]), (1, &json!("popup_closed")), "{told:?}");
    assert!(scene.chromium.address().await.ends_with('/'));

    // And the button can be used again.
    scene.click_connect(&opener).await;
    scene.chromium.find("input[name=password]").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_script_the_whole_page_goes_there_and_back() {
    let scene = Scene::on(Database::sqlite(), Setup { script: false, ..Setup::default() }).await;
    let Chromium { client, .. } = &scene.chromium;
    client.goto(&scene.authorize_url()).await.unwrap();
    scene.fill_in_sign_in().await;
    scene.decide("allow").await;
    scene.until_back().await;
    scene.one_callback_with_a_code().await;
}
