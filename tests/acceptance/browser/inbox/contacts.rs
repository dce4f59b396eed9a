//! The page of a contact, and what an open conversation shows after its contact was deleted.

use super::{CUSTOMER, OTHER_CUSTOMER};
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use crate::connect::Browser;
use crate::dashboard::csrf_token;
use serde_json::json;
use std::time::Duration;

impl BrowserWorld {
    /// Returns the path of the contact with this number.
    async fn contact_with(&self, number: &str) -> String {
        let id = self.world.history(number).await[0]["contact_id"].clone();
        format!("/contacts/{}", id.as_str().unwrap())
    }
}

async fn a_contact_is_named_merged_exported_and_deleted(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    // Given two contacts that are one person,
    scene.customer_writes("Hello").await;
    world.advance(Duration::from_secs(1));
    let body = json!({"type": "text", "phone_number": OTHER_CUSTOMER, "text": "It is ready"});
    assert_eq!(world.post("/api/v1/messages", &world.key, &body).await.status, 201);
    scene.sign_in().await;
    let contact = format!("{}{}", scene.service, scene.contact_with(CUSTOMER).await);
    browser.goto(&contact).await;
    // when a member names one of them,
    browser.fill("#name", "Petra").await;
    browser.click("button[value=rename]").await;
    scene.until_said("Name saved.").await;
    scene.until_it_is("return document.querySelector('main h1')?.textContent", "Petra").await;
    // and merges the other one into it, then it has the messages of both.
    browser.click("main a[href$='/merge']").await;
    browser.fill("main input[name=q]", OTHER_CUSTOMER).await;
    browser.click("main form.bar button").await;
    browser.click("main tbody a.link").await;
    browser.click("button[value=merge]").await;
    scene.until_said("Contacts merged.").await;
    let count = "return document.querySelector(\"main dl a[href^='/messages']\")?.textContent";
    scene.until_it_is(count, "2").await;
    // The link of the export leads to an archive.
    let export = "const done = arguments[arguments.length - 1];\
        fetch(document.querySelector(\"main a[href$='/export']\").href)\
          .then((answer) => answer.blob())\
          .then((archive) => archive.slice(0, 2).text())\
          .then(done)";
    let begins = browser.client.execute_async(export, Vec::new()).await.unwrap();
    assert_eq!(begins, "PK");
    // A deletion is confirmed in a dialog, and the page says that the contact was deleted.
    browser.click("a.danger[data-dialog]").await;
    browser.click("#confirm button[value=delete], dialog[open] button[value=delete]").await;
    scene.until_said("Contact deleted.").await;
    browser.goto(&contact).await;
    let text = browser.text().await;
    assert!(text.contains("This contact was deleted"), "{text}");
    assert!(!text.contains("Petra"), "{text}");
}

/// Deletes a contact on its page in another browser.
async fn delete_elsewhere(scene: &BrowserWorld, number: &str) {
    let path = scene.contact_with(number).await;
    let mut elsewhere = Browser::new(&scene.world);
    elsewhere.sign_in("/login").await;
    let token = csrf_token(&elsewhere.get(&path).await);
    let deleted = elsewhere.post(&path, &[("token", token.as_str()), ("action", "delete")]).await;
    assert_eq!(deleted.status, 303, "{}", deleted.text);
}

async fn an_open_conversation_tells_that_it_was_deleted(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a member who writes, when the contact is deleted elsewhere,
    browser.fill("#text", "A long answer").await;
    delete_elsewhere(&scene, CUSTOMER).await;
    // then the page says so, and keeps the text and nothing of the conversation.
    let why = "You can’t open this conversation anymore.";
    until("the page says so", async || browser.text().await.contains(why)).await;
    let text = browser.text().await;
    assert!(!text.contains("Hello"), "{text}");
    assert_eq!(scene.composed().await, "A long answer");
    // Given a member who only reads, then the page says what can have happened.
    scene.writes_as(OTHER_CUSTOMER, "Good morning").await;
    browser.goto(&scene.conversation_with(OTHER_CUSTOMER).await).await;
    scene.until_script_has_run().await;
    delete_elsewhere(&scene, OTHER_CUSTOMER).await;
    until("the page says what happened", async || {
        browser.text().await.contains("It was deleted, it is assigned to somebody else")
    })
    .await;
    assert!(!browser.text().await.contains("Good morning"));
}

on_every_browser! {
    a_contact_is_named_merged_exported_and_deleted,
    an_open_conversation_tells_that_it_was_deleted,
}
