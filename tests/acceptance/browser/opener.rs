//! Openers that are isolated, closed, frozen or hostile: there is still exactly one callback, and
//! other pages learn nothing (`docs/security.md`, the popup).

use super::{BrowserWorld, Page, STATE, on_every_browser, until};
use crate::browser::{Engine, Setup, Windows};
use std::time::Duration;

/// A page that tries to get as much as it can, and records every message that it receives.
const HOSTILE: &str = "<!doctype html><title>Hostile</title><script>
    sessionStorage.setItem('heard', '[]');
    addEventListener('message', (event) => {
      const heard = JSON.parse(sessionStorage.getItem('heard'));
      heard.push(event.data);
      sessionStorage.setItem('heard', JSON.stringify(heard));
      for (const port of event.ports) { port.onmessage = (it) => heard.push(it.data); port.postMessage('ack'); }
      if (event.source) event.source.postMessage('ack', '*');
    });
    setInterval(() => { if (window.popup) window.popup.postMessage('ack', '*'); }, 100);
  </script><button id=connect onclick=\"window.popup = window.open(document.title, '_blank', 'popup')\">Win</button>";

async fn received(scene: &BrowserWorld) -> String {
    let received = scene.browser.run("return sessionStorage.getItem('heard')").await;
    received.as_str().unwrap_or_default().to_owned()
}

async fn an_opener_that_isolates_itself_is_cut_off_and_the_popup_goes_there_itself(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let mut page = scene.partner_page("");
    page.headers.push(("cross-origin-opener-policy", "same-origin".to_owned()));
    let opener = scene.open(page).await;
    scene.click_connect(&opener).await;
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
    // A window that is not visible does not count as closed.
    scene.browser.switch_to(&opener).await;
    assert_eq!(scene.connect_events().await.len(), 0);
}

async fn an_opener_that_is_gone_is_not_waited_for(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("")).await;
    let popup = scene.click_connect(&opener).await;
    scene.browser.find("button[value=allow]").await;
    scene.browser.switch_to(&opener).await;
    scene.browser.client.close_window().await.unwrap();
    scene.browser.switch_to(&popup).await;
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
}

async fn an_opener_that_turned_hostile_receives_nothing(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("")).await;
    let popup = scene.click_connect(&opener).await;
    scene.browser.find("button[value=allow]").await;
    // In the meantime the opener's page navigates elsewhere, even to our own host on another
    // port.
    scene.browser.switch_to(&opener).await;
    scene.site.put("/hostile", Page { headers: Vec::new(), html: HOSTILE.to_owned() });
    let hostile = scene.site.address("localhost", "/hostile");
    scene.browser.run(&format!("location.assign('{hostile}')")).await;
    until("it is there", async || scene.browser.address().await == hostile).await;
    scene.browser.switch_to(&popup).await;
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
    scene.browser.switch_to(&opener).await;
    assert_eq!(received(&scene).await, "[]");
}

async fn a_hostile_opener_receives_nothing(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let address = format!("{}&display=popup", scene.authorize_url());
    let html = HOSTILE.replace("document.title", &format!("'{address}'"));
    let opener = scene.open(Page { headers: Vec::new(), html: html.clone() }).await;
    // The page is on the partner's machine, but under another host name.
    scene.browser.goto(&scene.site.address("localhost", "/")).await;
    scene.click_connect(&opener).await;
    scene.decide("allow").await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
    scene.browser.switch_to(&opener).await;
    assert_eq!(received(&scene).await, "[]");
}

async fn an_opener_that_sleeps_is_not_waited_for_and_nothing_comes_twice(engine: Engine) {
    let setup = Setup { windows: Windows::Hidden, ..Setup::default() };
    let scene = BrowserWorld::with(engine, setup).await;
    scene.sign_in().await;
    let opener = scene.open(scene.partner_page("")).await;
    let popup = scene.click_connect(&opener).await;
    scene.browser.find("button[value=allow]").await;
    scene.browser.switch_to(&opener).await;
    let freeze = "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); \
                 sessionStorage.setItem('awake', 'yes'); }, 300)";
    scene.browser.run(freeze).await;
    scene.browser.switch_to(&popup).await;
    tokio::time::sleep(Duration::from_millis(500)).await; // real time: the opener freezes
    scene.decide("allow").await;
    if engine == Engine::WebKit {
        // Both windows are in one process, so the popup freezes too, and the opener responds in
        // time.
        scene.browser.switch_to(&opener).await;
        scene.wait_for_callback().await;
        return scene.one_callback_with_a_code().await;
    }
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;

    // When the opener wakes up, the popup's request was already answered. Closing the popup now
    // does not count as a refusal.
    scene.browser.client.close_window().await.unwrap();
    scene.browser.switch_to(&opener).await;
    until("it wakes up", async || {
        scene.browser.run("return sessionStorage.getItem('awake')").await == "yes"
    })
    .await;
    assert_eq!(scene.callbacks().await.len(), 1);
    assert_eq!(scene.connect_events().await.len(), 0);
    assert!(scene.browser.address().await.ends_with('/'));
}

async fn forged_messages_are_not_believed(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    // A frame of another origin and the page itself send the popup's message, even with the
    // right state.
    let state = STATE;
    let forge = format!(
        "const say = (to) => {{ const {{ port1, port2 }} = new MessageChannel();\
           port1.onmessage = () => port1.postMessage({{ type: 'result', code: 'forged', state: '{state}', error: null, query: 'code=forged' }});\
           to.postMessage({{ type: 'opened' }}, '*'); to.postMessage({{ type: 'hello' }}, '*', [port2]);\
           to.postMessage({{ type: 'result', code: 'forged', state: '{state}' }}, '*'); }};"
    );
    let frame =
        format!("<!doctype html><script>{forge} setInterval(() => say(parent), 50);</script>");
    scene.site.put("/frame", Page { headers: Vec::new(), html: frame });
    let head = format!(
        "<script>{forge} setInterval(() => say(window), 50);</script><iframe src=\"{}\"></iframe>",
        scene.site.address("localhost", "/frame")
    );
    let opener = scene.open(scene.partner_page(&head)).await;
    let popup = scene.click_connect(&opener).await;
    scene.browser.find("button[value=allow]").await;
    scene.browser.switch_to(&opener).await;
    assert!(scene.callbacks().await.is_empty());
    assert_eq!(scene.connect_events().await.len(), 0);
    scene.browser.switch_to(&popup).await;
    scene.decide("allow").await;
    scene.browser.switch_to(&opener).await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
}

on_every_browser! {
    an_opener_that_isolates_itself_is_cut_off_and_the_popup_goes_there_itself,
    an_opener_that_is_gone_is_not_waited_for,
    an_opener_that_turned_hostile_receives_nothing,
    a_hostile_opener_receives_nothing,
    an_opener_that_sleeps_is_not_waited_for_and_nothing_comes_twice,
    forged_messages_are_not_believed,
}
