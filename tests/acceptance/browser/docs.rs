//! The reference in a browser: enough room for its words, a search that finds words, and no layout
//! shift.

use super::{Browser, BrowserWorld, Engine, on_every_browser};
use serde_json::Value;

/// Returns the cumulative layout shift since the page began to load. Google calls more than 0.1
/// bad.
async fn layout_shift(browser: &Browser) -> f64 {
    let script = "\
        const done = arguments[arguments.length - 1];\
        let sum = 0;\
        new PerformanceObserver((list) => { for (const it of list.getEntries()) sum += it.value; })\
          .observe({ type: 'layout-shift', buffered: true });\
        const frames = (left) => left ? requestAnimationFrame(() => frames(left - 1)) : done(sum);\
        frames(10);";
    let sum = browser.client.execute_async(script, Vec::new()).await.unwrap();
    sum.as_f64().unwrap()
}

async fn open(scene: &BrowserWorld, width: u32, hash: &str) {
    scene.browser.client.set_window_size(width, 900).await.unwrap();
    scene.browser.goto("about:blank").await;
    scene.browser.goto(&format!("{}/docs{hash}", scene.service)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_in_the_reference_moves_by_itself() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    for width in [390, 1280, 1600] {
        for hash in ["", "#send-a-message", "#connect"] {
            open(&scene, width, hash).await;
            let shift = layout_shift(&scene.browser).await;
            assert!(shift < 0.1, "{shift} at {width} px, {hash}");
        }
    }
    // On a phone the table of contents is folded, so that the content is visible.
    open(&scene, 390, "").await;
    let top = scene.browser.run("return document.querySelector('h1').getBoundingClientRect().top");
    let top = top.await.as_f64().unwrap();
    assert!(top < 200.0, "the heading begins at {top} px");
    assert_eq!(scene.browser.complaints().await, Vec::<String>::new());
}

async fn pages_write_nothing_to_the_console(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    for path in ["/docs", "/docs#connect", "/login"] {
        scene.browser.goto("about:blank").await;
        scene.browser.goto(&format!("{}{path}", scene.service)).await;
        assert_eq!(scene.browser.complaints().await, Vec::<String>::new(), "{path}");
    }
    scene.sign_in().await;
    for path in ["keys", "connected", "apps", "applications", "webhooks"] {
        scene.browser.goto(&format!("{}/integrations/{path}", scene.service)).await;
        assert_eq!(scene.browser.complaints().await, Vec::<String>::new(), "{path}");
    }
}

/// Only with engines whose driver reports the console: `Engine::has_console`.
mod the_console_hears_nothing {
    use super::{Engine, pages_write_nothing_to_the_console};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn chromium() {
        pages_write_nothing_to_the_console(Engine::Chromium).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn firefox() {
        pages_write_nothing_to_the_console(Engine::Firefox).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_explains_a_field_has_room() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    for width in [1024, 1280, 1440, 1920] {
        open(&scene, width, "").await;
        let narrowest = "return [...document.querySelectorAll('.words table')]\
            .filter((it) => it.rows[0].cells[2]?.textContent === 'What it is')\
            .map((it) => [it.rows[0].cells[2].offsetWidth, it.closest('section').id])\
            .sort((one, other) => one[0] - other[0])[0]";
        let narrowest = scene.browser.run(narrowest).await;
        assert!(narrowest[0].as_f64().unwrap() >= 220.0, "{narrowest} at {width} px");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_search_finds_words_and_not_code() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let browser = &scene.browser;
    open(&scene, 1280, "").await;
    for words in ["error", "signature", "client", "code"] {
        let search = "const find = document.getElementById('find'); find.value = arguments[0];\
                      find.dispatchEvent(new Event('input')); return document.getElementById('found').innerText";
        let found = browser.client.execute(search, vec![Value::from(words)]).await.unwrap();
        let found = found.as_str().unwrap();
        assert!(!found.is_empty(), "{words}");
        for code in ["Copy", "{ \"", "{\"", "JSON{", "curl '"] {
            assert!(!found.contains(code), "{words} finds code: {found}");
        }
    }
    // The arrow keys move through the results.
    browser.find("#find").await.send_keys("\u{e015}").await.unwrap();
    let place = "return [...document.querySelectorAll('#found a')].indexOf(document.activeElement)";
    assert_eq!(browser.run(place).await, 0);
    let first = browser.client.active_element().await.unwrap();
    first.send_keys("\u{e015}").await.unwrap();
    assert_eq!(browser.run(place).await, 1);
}

/// A search for a call, an error or an event finds it first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_search_finds_calls_and_codes_first() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let browser = &scene.browser;
    open(&scene, 1280, "").await;
    let first = async |words: &str| {
        let search = "const find = document.getElementById('find'); find.value = arguments[0];\
                      find.dispatchEvent(new Event('input')); return document.querySelector('#found a')?.innerText.split('\\n')[0] ?? document.getElementById('found').innerText";
        let found = browser.client.execute(search, vec![Value::from(words)]).await.unwrap();
        found.as_str().unwrap().to_owned()
    };
    for it in api::registry().specifications() {
        let title = it.summary.trim_end_matches('.');
        let short = it.path.strip_prefix("/api/v1").unwrap();
        for words in [
            format!("{} {}", it.method, it.path),
            format!("{} {short}", it.method.as_str().to_lowercase()),
            format!("{} {}{}", it.method, scene.service, it.path),
            title.to_owned(),
        ] {
            assert_eq!(first(&words).await, title, "{words}");
        }
    }
    for code in http_layer::problem::Code::ALL {
        assert_eq!(first(code.as_str()).await, code.as_str());
    }
    for (words, found) in [
        ("send", "Send a message"),
        ("template", "Send a template"),
        ("upload", "Upload a file"),
        ("message.received", "message.received"),
        ("invalid_grant", "invalid_grant"),
        ("req_", "No results for “req_”."),
    ] {
        let said = first(words).await;
        assert!(said.starts_with(found), "{words}: {said}");
    }
    // An error code leads to the row that explains it.
    first("rate_limited").await;
    browser.run("document.querySelector('#found a').click()").await;
    assert_eq!(browser.run("return location.hash").await, "#error-rate_limited");
    let row = browser
        .run("return document.getElementById('error-rate_limited').closest('section').id")
        .await;
    assert_eq!(row, "errors");
}

async fn the_icon_that_browsers_ask_for_is_there(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.browser.goto(&format!("{}/docs", scene.service)).await;
    let script = "const done = arguments[arguments.length - 1];\
        const icon = new Image();\
        icon.onload = () => done(icon.naturalWidth);\
        icon.onerror = () => done(0);\
        icon.src = '/favicon.ico';";
    let width = scene.browser.client.execute_async(script, Vec::new()).await.unwrap();
    assert!(width.as_u64().unwrap() >= 16, "{width}");
}

on_every_browser! {
    the_icon_that_browsers_ask_for_is_there,
}
