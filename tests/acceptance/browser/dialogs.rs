//! What the script of the dashboard adds: confirmations and the search as dialogs, times in the
//! reader's time zone, and a line that renews itself. Without scripts the same pages do it.

use super::{BrowserWorld, Setup, on_every_browser, until};
use crate::browser::Engine;

const KEYS: &str = "/integrations/keys";

async fn a_confirmation_opens_above_the_page_it_is_about(engine: Engine) {
    // Given a member on the page of a key,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}{KEYS}", scene.service)).await;
    browser.click("table a.link").await;
    browser.find("#danger").await;
    let here = browser.address().await;
    // when the deletion is asked for, then the question is a dialog that can be closed,
    browser.click("a.danger[data-dialog]").await;
    let asks = browser.find("dialog[open] h2").await.text().await.unwrap();
    assert!(asks.starts_with("Delete the key "), "{asks}");
    browser.click("dialog [data-close]").await;
    until("the dialog is gone", async || {
        browser.run("return document.querySelector('dialog')").await.is_null()
    })
    .await;
    assert_eq!(browser.address().await, here);
    // and its button does what it says.
    browser.click("a.danger[data-dialog]").await;
    browser.click("dialog[open] button[value=delete]").await;
    let said = browser.find(".once b").await.text().await.unwrap();
    assert_eq!(said, "Key deleted.");
}

async fn without_scripts_the_confirmation_is_a_page(engine: Engine) {
    let scene = BrowserWorld::with(engine, Setup { script: false, ..Setup::default() }).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}{KEYS}", scene.service)).await;
    browser.click("table a.link").await;
    browser.click("a.danger[data-dialog]").await;
    browser.click("#confirm button[value=delete]").await;
    let said = browser.find(".once b").await.text().await.unwrap();
    assert_eq!(said, "Key deleted.");
}

/// Opens the search with the key `/`.
async fn open_search(scene: &BrowserWorld) {
    let browser = &scene.browser;
    let slash = "new KeyboardEvent('keydown', { key: '/', code: 'Slash', bubbles: true })";
    // WebKit may report the page as loaded before its script has run.
    until("the search is open", async || {
        browser.run(&format!("document.dispatchEvent({slash})")).await;
        browser.run("return document.querySelector('dialog[open]') !== null").await == true
    })
    .await;
}

async fn the_search_opens_pages_with_the_keyboard(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}{KEYS}", scene.service)).await;
    open_search(&scene).await;
    browser.fill("dialog[open] input", "web").await;
    until("only one page is found", async || {
        browser.run("return document.querySelectorAll('dialog .hit').length").await == 1
    })
    .await;
    browser.fill("dialog[open] input", "\u{e007}").await; // Enter
    until("the page is open", async || browser.address().await.ends_with("/integrations/webhooks"))
        .await;
}

async fn one_escape_closes_a_search_that_contains_a_text(engine: Engine) {
    // Given a search with a text, which browsers clear at the first Escape,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    browser.goto(&format!("{}{KEYS}", scene.service)).await;
    open_search(&scene).await;
    browser.fill("dialog[open] input", "web").await;
    // when Escape is pressed once, then the search is closed.
    browser.fill("dialog[open] input", "\u{e00c}").await; // Escape
    until("the search is closed", async || {
        browser.run("return document.querySelector('dialog')").await.is_null()
    })
    .await;
}

async fn a_new_key_shows_its_first_call_by_itself(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    scene.sign_in().await;
    browser.goto(&format!("{}{KEYS}/new", scene.service)).await;
    browser.fill("#name", "Newsletter").await;
    browser.run("document.querySelector('[name=scope]').checked = true").await;
    browser.click("main form button.primary").await;
    let client_id = browser.find("#client-id").await.text().await.unwrap();
    let client_secret = browser.find("#client-secret").await.text().await.unwrap();
    assert!(browser.text().await.contains("Waiting for your first call"));
    let pair = crate::world::Pair { client_id, client_secret };
    assert_eq!(world.get("/api/v1/me", &pair).await.status, 200);
    // Uses are recorded in portions.
    let deps = &world.server.deps;
    deps.usage_counter.flush(&deps.db).await.unwrap();
    until("the page says that the key was used", async || {
        browser.text().await.contains("Last used")
    })
    .await;
}

on_every_browser! {
    a_confirmation_opens_above_the_page_it_is_about,
    without_scripts_the_confirmation_is_a_page,
    the_search_opens_pages_with_the_keyboard,
    one_escape_closes_a_search_that_contains_a_text,
    a_new_key_shows_its_first_call_by_itself,
}
