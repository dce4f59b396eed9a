//! A member walks through the dashboard with the keyboard alone.

use super::{Browser, BrowserWorld, until};
use crate::browser::Engine;
use crate::connect::{EMAIL, PASSWORD};
use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use serde_json::Value;

pub(super) const TAB: char = '\u{e004}';
const SHIFT: char = '\u{e008}';
pub(super) const ENTER: char = '\u{e007}';
pub(super) const ESCAPE: char = '\u{e00c}';
/// More elements than a page of the dashboard has.
const MOST: usize = 120;

/// Presses a key in the element that has the focus.
pub(super) async fn press(browser: &Browser, key: char) {
    let press = KeyActions::new("keyboard".to_owned())
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key });
    // A page that is being left may not respond.
    if let Err(error) = browser.client.perform_actions(press).await {
        assert!(!error.to_string().contains("unknown command"), "{error}");
    }
}

pub(super) async fn type_text(browser: &Browser, text: &str) {
    for letter in text.chars() {
        press(browser, letter).await;
    }
}

/// Whether the element that has the focus matches a selector.
pub(super) async fn is_at(browser: &Browser, css: &str) -> bool {
    browser.run(&format!("return document.activeElement.matches({css:?})")).await == true
}

/// Opens a page. Firefox turns Enter into a click only in a window that has the focus.
pub(super) async fn open(browser: &Browser, address: &str) {
    browser.goto(address).await;
    if browser.engine == Engine::Firefox {
        until("the window has the focus", async || {
            browser.run("return document.hasFocus()").await == true
        })
        .await;
    }
}

/// Presses Tab until an element has the focus, and asserts that a person sees where the focus is.
/// Panics with the elements that had the focus if it does not come to this one.
pub(super) async fn tab_to(browser: &Browser, css: &str) {
    move_focus(browser, css, async || press(browser, TAB).await).await;
}

/// Presses Shift and Tab until an element has the focus, like [`tab_to`].
pub(super) async fn tab_back_to(browser: &Browser, css: &str) {
    let chord = async || {
        let chord = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: SHIFT })
            .then(KeyAction::Down { value: TAB })
            .then(KeyAction::Up { value: TAB })
            .then(KeyAction::Up { value: SHIFT });
        browser.client.perform_actions(chord).await.unwrap();
    };
    move_focus(browser, css, chord).await;
}

/// Moves the focus in steps until an element has it.
async fn move_focus(browser: &Browser, css: &str, step: impl AsyncFn()) {
    browser.find(css).await;
    let focused = format!(
        "const it = document.activeElement;\
         return [it.matches({css:?}), it.cloneNode().outerHTML.slice(0, 160)]"
    );
    let mut passed = Vec::new();
    for _ in 0..MOST {
        let focused = browser.run(&focused).await;
        if focused[0] == true {
            return assert_visible(browser, css).await;
        }
        passed.push(focused[1].as_str().unwrap_or_default().to_owned());
        step().await;
    }
    panic!("Tab does not reach {css} on {}, but {passed:#?}", browser.address().await);
}

/// Asserts that the element with the focus is in sight and has the ring of the focus.
async fn assert_visible(browser: &Browser, css: &str) {
    if !browser.engine.knows_focus() {
        return;
    }
    let script = "const it = document.activeElement;\
                  const place = (it.closest('label') ?? it).getBoundingClientRect();\
                  return it.matches(':focus-visible') && place.height > 0 && place.top < innerHeight\
                    && place.bottom > 0";
    assert_eq!(browser.run(script).await, true, "the focus on {css} cannot be seen");
}

/// Waits for the page at this path.
async fn arrives(browser: &Browser, path: &str) {
    until(&format!("the page {path} is open"), async || browser.address().await.ends_with(path))
        .await;
    browser.find("#content").await;
}

async fn the_dashboard_is_used_with_the_keyboard_alone(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, service) = (&scene.browser, &scene.service);
    // A member signs in.
    open(browser, &format!("{service}/login")).await;
    tab_to(browser, "input[name=email]").await;
    type_text(browser, EMAIL).await;
    tab_to(browser, "input[name=password]").await;
    type_text(browser, PASSWORD).await;
    press(browser, ENTER).await;
    browser.find(".side").await;

    // The first stop of a page is the link that skips the sidebar.
    open(browser, &format!("{service}/integrations/keys")).await;
    press(browser, TAB).await;
    assert!(is_at(browser, "a.skip").await, "the first stop is another element");
    assert_visible(browser, "a.skip").await;
    press(browser, ENTER).await;
    press(browser, TAB).await;
    assert!(is_at(browser, "#content *").await, "the link skips to another place");

    // The sidebar leads to another page, and a row to its object.
    open(browser, &format!("{service}/integrations/webhooks")).await;
    tab_to(browser, ".side a[href='/integrations/keys']").await;
    press(browser, ENTER).await;
    arrives(browser, "/integrations/keys").await;
    tab_to(browser, "tbody a.link").await;
    press(browser, ENTER).await;
    browser.find("#danger").await;

    // A dialog keeps the focus, closes with Escape, and gives the focus back.
    tab_to(browser, "a.danger[data-dialog]").await;
    press(browser, ENTER).await;
    browser.find("dialog[open] button").await;
    for _ in 0..6 {
        // The focus may also leave to the browser's own buttons.
        let is_inside = "return !!document.activeElement.closest('dialog') \
                         || document.activeElement === document.body";
        assert_eq!(browser.run(is_inside).await, true, "the focus is behind the dialog");
        press(browser, TAB).await;
    }
    press(browser, ESCAPE).await;
    until("the dialog is gone", async || {
        browser.run("return document.querySelector('dialog')").await == Value::Null
    })
    .await;
    assert!(is_at(browser, "a.danger[data-dialog]").await, "the focus is lost after the dialog");

    // A form is filled and submitted, and the focus is on the result.
    open(browser, &format!("{service}/integrations/keys/new")).await;
    tab_to(browser, "#name").await;
    type_text(browser, "Newsletter").await;
    tab_to(browser, "[name=scope]").await;
    press(browser, ' ').await;
    tab_to(browser, "main form button.primary").await;
    press(browser, ENTER).await;
    browser.find("#client-secret").await;
    assert!(is_at(browser, ".once").await, "the focus is not on the result");
}

super::on_every_browser! {
    the_dashboard_is_used_with_the_keyboard_alone,
}
