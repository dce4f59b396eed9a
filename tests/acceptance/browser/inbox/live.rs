//! Open pages of the inbox while customers write: what is renewed at once, what waits, and which
//! tab makes the sound.

use super::OTHER_CUSTOMER;
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The script that asks for the tab with the stream, and returns whether one has answered.
const HAS_STREAM: &str = "\
    if (!window.asked) {\
      window.asked = new BroadcastChannel('inbox');\
      window.asked.onmessage = ({ data }) => { window.hasStream ||= data === 'streaming' };\
    }\
    window.asked.postMessage('ask');\
    return window.hasStream === true";
/// The script that counts the pages that this page loads from now on.
const COUNT_LOADS: &str = "\
    const load = window.fetch;\
    window.loads = 0;\
    window.fetch = (...request) => { window.loads += 1; return load(...request) }";
const LOADS: &str = "return window.loads";
/// The script that counts the sounds of all tabs.
const COUNT_SOUNDS: &str = "\
    window.AudioContext = class {\
      constructor() { localStorage.sounds = 1 + Number(localStorage.sounds ?? 0) }\
    }";
/// The time in which other customers write all the time.
const BUSY: Duration = Duration::from_secs(12);

impl BrowserWorld {
    async fn until_stream_is_open(&self) {
        until("the stream is open", async || self.browser.run(HAS_STREAM).await == true).await;
    }

    async fn loads(&self) -> u64 {
        self.browser.run(LOADS).await.as_u64().expect("the loads are counted")
    }
}

async fn an_open_conversation_is_current_while_others_change(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    scene.until_stream_is_open().await;
    scene.browser.run(COUNT_LOADS).await;
    let is_over = AtomicBool::new(false);
    // Given an open conversation, and another customer who writes all the time,
    let others = async {
        let mut number = 0;
        while !is_over.load(Ordering::Relaxed) {
            scene.writes_as(OTHER_CUSTOMER, &format!("Order {number}")).await;
            number += 1;
            tokio::time::sleep(Duration::from_millis(200)).await; // real time: customers write
        }
        number
    };
    let watched = async {
        let row = "return document.getElementById('conversations').textContent.includes('Order')";
        until("the list is renewed", async || scene.browser.run(row).await == true).await;
        // then the list is renewed every few seconds only,
        let before = scene.loads().await;
        tokio::time::sleep(BUSY).await; // real time: a browser works
        let loads = scene.loads().await - before;
        // and a message in the open conversation is shown at once, although the list was just
        // renewed.
        let before = scene.loads().await;
        until("the list is renewed again", async || scene.loads().await > before).await;
        let written_at = Instant::now();
        scene.customer_writes("Are you there?").await;
        let is_shown =
            "return document.getElementById('messages').textContent.includes('Are you there?')";
        until("the message is shown", async || scene.browser.run(is_shown).await == true).await;
        let took = written_at.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (loads, took)
    };
    let (written, (loads, took)) = tokio::join!(others, watched);
    assert!(written > 10, "{written} messages");
    assert!((1..=4).contains(&loads), "{loads} renewals in {BUSY:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
    // The list shows the last message of the other customer, too.
    let last = format!(
        "return document.getElementById('conversations').textContent.includes('Order {}')",
        written - 1
    );
    until("the list is current", async || scene.browser.run(&last).await == true).await;
}

async fn of_two_tabs_that_list_a_message_one_makes_a_sound(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    // Given two tabs, neither of which lists all conversations,
    browser.goto(&format!("{}/inbox?view=unassigned", scene.service)).await;
    scene.until_script_has_run().await;
    scene.until_stream_is_open().await;
    browser.run(COUNT_SOUNDS).await;
    // Browsers play nothing on a page that nobody has touched.
    browser.click("#list h2").await;
    let first = browser.window().await;
    let add_link = "const link = document.createElement('a');\
        Object.assign(link, { id: 'other-tab', href: location, target: '_blank' });\
        link.textContent = 'Open';\
        document.querySelector('#list header').prepend(link)";
    browser.run(add_link).await;
    browser.click("#other-tab").await;
    browser.popup(&first).await;
    scene.until_script_has_run().await;
    scene.until_stream_is_open().await;
    browser.run(COUNT_SOUNDS).await;
    browser.click("#list h2").await;
    // when a customer writes, then both tabs show the message,
    scene.writes_as(OTHER_CUSTOMER, "Good morning").await;
    let shows_unread = "return document.title.startsWith('(')";
    until("the second tab shows the message", async || browser.run(shows_unread).await == true)
        .await;
    browser.switch_to(&first).await;
    until("the first tab shows the message", async || browser.run(shows_unread).await == true)
        .await;
    // and one of them makes a sound.
    until("there is a sound", async || browser.run("return !!localStorage.sounds").await == true)
        .await;
    assert_eq!(browser.run("return localStorage.sounds").await, "1");
}

on_every_browser! {
    an_open_conversation_is_current_while_others_change,
    of_two_tabs_that_list_a_message_one_makes_a_sound,
}
