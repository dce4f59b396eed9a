//! A member works through a conversation with the keyboard alone. What they type into the text is
//! no key of the inbox.

use super::{CUSTOMER, MARK, TEXT_OF_NEXT};
use crate::browser::keyboard::{ENTER, ESCAPE, is_at, open, press, tab_to, type_text};
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use crate::template_creation::{create_template, template_with};
use serde_json::json;
use std::time::Duration;

/// Ctrl and Enter, which submit the composer.
const SUBMIT: &str = "\u{e009}\u{e007}\u{e000}";
const BACKSPACE: &str = "\u{e003}";

impl BrowserWorld {
    /// Marks the page, so that [`Self::until_next_page`] knows it from the next one.
    async fn mark_page(&self) {
        self.browser.run(MARK).await;
    }

    /// Waits until the script of the page after the marked one has run.
    async fn until_next_page(&self) {
        let has_run = "return !window.isOld \
            && document.querySelector('[data-live-state]')?.hidden === false";
        until("the next page is shown", async || self.browser.run(has_run).await == true).await;
    }

    /// Presses a key that opens another page.
    async fn press_to_next_page(&self, key: char) {
        self.mark_page().await;
        press(&self.browser, key).await;
        self.until_next_page().await;
    }

    /// Types a text into the composer, and submits it.
    async fn type_and_submit(&self, text: &str) {
        type_text(&self.browser, text).await;
        self.until_composer_has(text).await;
        self.mark_page().await;
        self.browser.fill("#text", SUBMIT).await;
        self.until_next_page().await;
    }
}

async fn a_conversation_is_worked_through_with_the_keyboard_alone(engine: Engine) {
    // Given a template, and a conversation in which the agent may answer,
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let body = json!([{
        "type": "BODY",
        "text": "Hello {{1}}, your order is on its way.",
        "example": {"body_text": [["Ada"]]},
    }]);
    create_template(world, &template_with("order_sent", &body)).await;
    world.live_through(Duration::from_secs(2)).await;
    let path = scene.open_conversation().await;
    open(browser, &path).await;
    scene.until_script_has_run().await;
    assert_eq!(scene.agent_state().await, "running");

    // when a member presses m, then they have taken over.
    scene.press_to_next_page('m').await;
    assert_eq!(scene.agent_state().await, "paused");

    // The key r leads to the text, Escape out of it, and Ctrl and Enter send it.
    press(browser, 'r').await;
    assert!(is_at(browser, "#text").await, "r does not lead to the text");
    press(browser, ESCAPE).await;
    assert!(is_at(browser, "[data-log]").await, "Escape does not leave the text");
    press(browser, 'r').await;
    scene.type_and_submit("Yes").await;
    assert_eq!(scene.newest().await["text"], "Yes");

    // The key t opens the templates, once Escape has left the text: one is picked, filled in and
    // sent.
    press(browser, ESCAPE).await;
    scene.press_to_next_page('t').await;
    tab_to(browser, ".composer a.pick").await;
    scene.press_to_next_page(ENTER).await;
    tab_to(browser, "[name='parameter.body.1']").await;
    type_text(browser, "Ada").await;
    tab_to(browser, ".composer button[value=template]").await;
    scene.press_to_next_page(ENTER).await;
    assert_eq!(scene.newest().await["type"], "template");

    // The key n leads to a note, which is not sent.
    press(browser, ESCAPE).await;
    scene.press_to_next_page('n').await;
    tab_to(browser, "[data-kind=note] #text").await;
    scene.type_and_submit("Call").await;
    assert!(browser.text().await.contains("only your team sees this"));
    assert_eq!(world.history(CUSTOMER).await.len(), 3);

    // The key e closes the conversation.
    press(browser, ESCAPE).await;
    scene.press_to_next_page('e').await;
    let status = world.get("/api/v1/conversations?status=closed", &world.key).await;
    assert_eq!(status.body["data"].as_array().unwrap().len(), 1, "{}", status.text);
}

async fn what_is_typed_after_a_reply_or_a_note_is_text(engine: Engine) {
    // Letters of which most are keys of the inbox.
    let more = "are you there";
    // Given an open conversation,
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    let path = scene.open_conversation().await;
    for (address, field) in
        [(path.clone(), "#text"), (format!("{path}?compose=note"), "[data-kind=note] #text")]
    {
        open(browser, &address).await;
        scene.until_script_has_run().await;
        // when a member sends a reply or adds a note and goes on typing,
        browser.run(&format!("document.querySelector({field:?}).focus()")).await;
        scene.type_and_submit("Yes").await;
        type_text(browser, more).await;
        // then it is the text of the same kind of field.
        scene.until_composer_has(more).await;
        assert!(is_at(browser, field).await, "{field} has not the focus");
        browser.fill(field, &BACKSPACE.repeat(more.len())).await;
        scene.until_composer_has("").await;
    }
    // Nothing else has happened in the conversation.
    let world = &scene.world;
    let conversation = world.get("/api/v1/conversations", &world.key).await.body["data"][0].clone();
    assert_eq!(conversation["status"], "open", "{conversation}");
    assert!(conversation["assignee_id"].is_null(), "{conversation}");
    assert_eq!(scene.newest().await["text"], "Yes");
    assert_eq!(world.history(CUSTOMER).await.len(), 2);
}

async fn what_is_typed_before_the_next_page_is_shown_is_kept(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a member who goes on typing in the instant in which a reply is sent,
    let send = format!(
        "{MARK} const it = document.getElementById('text'); \
         it.value = 'Yes'; \
         it.form.requestSubmit(it.form.querySelector('button[value=send]')); \
         it.value += ' and no'; \
         it.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    );
    browser.run(&send).await;
    // then the next page has it in the field, and the reply has not.
    scene.until_it_is(TEXT_OF_NEXT, " and no").await;
    assert!(is_at(browser, "#text").await, "the field has not the focus");
    assert_eq!(scene.newest().await["text"], "Yes");
}

on_every_browser! {
    a_conversation_is_worked_through_with_the_keyboard_alone,
    what_is_typed_after_a_reply_or_a_note_is_text,
    what_is_typed_before_the_next_page_is_shown_is_kept,
}
