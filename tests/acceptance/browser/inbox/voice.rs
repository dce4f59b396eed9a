//! A voice message, recorded in the composer. Chromium records Opus in WebM, which the server turns
//! into Ogg; Firefox records Ogg itself. WebKit's driver offers no microphone.

use crate::browser::{BrowserWorld, Engine, Setup, until};
use std::time::Duration;

async fn a_recording_is_sent_as_a_voice_message(engine: Engine) {
    let setup = Setup { microphone: true, ..Setup::default() };
    let scene = BrowserWorld::with(engine, setup).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // Given a member who records for a second, then the recording can be heard before it is sent.
    browser.click("[data-record]").await;
    browser.find("[data-record][aria-pressed=true]").await;
    tokio::time::sleep(Duration::from_secs(1)).await; // real time: the microphone hears beeps
    browser.click("[data-record]").await;
    let attached = "return document.querySelector('[data-attached] b')?.textContent";
    scene.until_it_is(attached, "Voice message").await;
    let hidden = "return document.querySelector('[data-attached] audio').hidden";
    assert_eq!(browser.run(hidden).await, false);
    // When it is sent, then it is a voice message,
    browser.click(".composer button[value=send]").await;
    until("the recording is sent", async || scene.newest().await["type"] == "media").await;
    let message = scene.newest().await;
    assert_eq!(message["media"]["media_type"], "audio", "{message}");
    assert_eq!(message["media"]["voice"], true, "{message}");
    // and its file is Opus in Ogg.
    let url = message["media"]["url"].as_str().unwrap();
    let path = url.strip_prefix(&scene.service).expect("a file of the server");
    let stored = scene.world.http.get(format!("{}{path}", scene.world.base)).send().await.unwrap();
    assert_eq!(stored.headers()["content-type"], "audio/ogg");
    let stored = stored.bytes().await.unwrap();
    assert!(stored.starts_with(b"OggS"), "{} bytes", stored.len());
    assert!(stored.windows(8).any(|part| part == b"OpusHead"), "{} bytes", stored.len());
}

/// Only with engines that have a microphone.
mod a_recording {
    use super::{Engine, a_recording_is_sent_as_a_voice_message};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn chromium() {
        a_recording_is_sent_as_a_voice_message(Engine::Chromium).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn firefox() {
        a_recording_is_sent_as_a_voice_message(Engine::Firefox).await;
    }
}
