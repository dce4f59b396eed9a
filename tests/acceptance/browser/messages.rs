//! The pages of messages while a member watches them: what changes without a reload.

use super::{BrowserWorld, on_every_browser, until};
use crate::browser::Engine;
use serde_json::json;
use std::time::Duration;

/// A customer of the sandbox who reads what arrives.
const READER: &str = "+12025550143";
/// A customer of the sandbox whom no message reaches.
const UNREACHABLE: &str = "+12025550103";
/// The scripts that mark the page, and that return whether it is still the marked one.
const MARK: &str = "window.isWatched = true";
const IS_MARKED: &str = "return window.isWatched === true";

impl BrowserWorld {
    /// Accepts a message, which waits for the workers, and returns its id.
    async fn accept_message(&self, to: &str) -> String {
        let body = json!({"type": "text", "phone_number": to, "text": "Your pie is ready"});
        let sent = self.world.post("/api/v1/messages", &self.world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        sent.text_of("id")
    }

    /// Opens the page of a message that waits, and marks the page.
    async fn watch_message(&self, to: &str) {
        let id = self.accept_message(to).await;
        self.browser.goto(&format!("{}/messages/{id}", self.service)).await;
        self.until_page_says("Queued").await;
        self.browser.run(MARK).await;
    }

    async fn until_page_says(&self, text: &str) {
        until(&format!("the page says {text:?}"), async || {
            self.browser.text().await.contains(text)
        })
        .await;
    }
}

async fn a_message_becomes_read_on_its_open_page(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    // Given a member who watches a message that waits, when the customer reads it,
    scene.watch_message(READER).await;
    scene.world.live_through(Duration::from_secs(3)).await;
    // then its status and its timeline say so, on the same page.
    let state = "return document.querySelector('#state').textContent";
    until("the status is shown", async || {
        scene.browser.run(state).await.as_str().is_some_and(|it| it.contains("Read"))
    })
    .await;
    scene.until_page_says("The customer opened it.").await;
    assert_eq!(scene.browser.run(IS_MARKED).await, true);
}

async fn a_failure_is_explained_on_the_open_page(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    // Given a member who watches a message that waits, when it fails,
    scene.watch_message(UNREACHABLE).await;
    scene.world.live_through(Duration::from_secs(3)).await;
    // then the page says why, and offers to send it again.
    scene.until_page_says("The recipient can’t be reached").await;
    scene.browser.find("#acts button[value=resend]").await;
    assert_eq!(scene.browser.run(IS_MARKED).await, true);
}

async fn the_first_message_appears_on_the_open_list(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    // Given the list of an organization without messages, when one is sent, then the list has it.
    scene.browser.goto(&format!("{}/messages", scene.service)).await;
    scene.until_page_says("No messages yet").await;
    scene.browser.run(MARK).await;
    let id = scene.accept_message(READER).await;
    scene.browser.find(&format!("#list tr[id={id}]")).await;
    assert_eq!(scene.browser.run(IS_MARKED).await, true);
}

on_every_browser! {
    a_message_becomes_read_on_its_open_page,
    a_failure_is_explained_on_the_open_page,
    the_first_message_appears_on_the_open_list,
}
