//! A voice message, recorded in the composer. Chromium and Safari since version 18.4 record Opus in
//! WebM, which the server turns into Ogg. Firefox records Ogg itself. WebKitGTK and earlier versions of
//! Safari record AAC in MP4. That cannot be a voice message of WhatsApp, so it is sent as an audio
//! file.

use crate::browser::{BrowserWorld, Engine, Setup, on_every_browser, until};
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
    let is_opus = engine != Engine::WebKit;
    // When it is sent, then it is a voice message if it is Opus,
    browser.click(".composer button[value=send]").await;
    until("the recording is sent", async || scene.newest().await["type"] == "media").await;
    let message = scene.newest().await;
    assert_eq!(message["media"]["media_type"], "audio", "{message}");
    assert_eq!(message["media"]["voice"] == true, is_opus, "{message}");
    // and its file is Opus in Ogg, or what was recorded.
    let url = message["media"]["url"].as_str().unwrap();
    let path = url.strip_prefix(&scene.service).expect("a file of the server");
    let stored = scene.world.http.get(format!("{}{path}", scene.world.base)).send().await.unwrap();
    let content_type = if is_opus { "audio/ogg" } else { "audio/mp4" };
    assert_eq!(stored.headers()["content-type"], content_type);
    let stored = stored.bytes().await.unwrap();
    if !is_opus {
        assert_eq!(stored.get(4..8), Some(&b"ftyp"[..]));
        return;
    }
    assert!(stored.starts_with(b"OggS"), "{} bytes", stored.len());
    assert!(stored.windows(8).any(|part| part == b"OpusHead"), "{} bytes", stored.len());
}

on_every_browser! { a_recording_is_sent_as_a_voice_message }
