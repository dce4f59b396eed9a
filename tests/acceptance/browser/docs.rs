//! The reference in a browser: enough room for its words, a search that finds words, and no layout
//! shift.

use super::small::page_area;
use super::{Browser, BrowserWorld, Database, Engine, Setup, on_every_browser, until};
use serde_json::{Value, json};

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
    // Each opening takes seconds, so not each place is opened at each width.
    let opened = [(390, ""), (390, "#connect"), (1280, ""), (1280, "#send-a-message"), (1600, "")];
    for (width, hash) in opened {
        open(&scene, width, hash).await;
        let shift = layout_shift(&scene.browser).await;
        assert!(shift < 0.1, "{shift} at {width} px, {hash}");
    }
    // On a phone the table of contents is folded, so that the content is visible.
    open(&scene, 390, "").await;
    let top = scene.browser.run("return document.querySelector('h1').getBoundingClientRect().top");
    let top = top.await.as_f64().unwrap();
    assert!(top < 200.0, "the heading begins at {top} px");
    assert_eq!(scene.browser.complaints().await, Vec::<String>::new());
}

/// Returns the values of `content-visibility` that the long sections have.
async fn visibility_of_long_sections(browser: &Browser) -> Value {
    let script = "const all = [...document.querySelectorAll('main .tall')];\
        return [...new Set(all.map((it) => getComputedStyle(it).contentVisibility))]";
    browser.run(script).await
}

/// Returns the distance of an element from the top of the window, in pixels.
async fn top_of(browser: &Browser, id: &str) -> f64 {
    let script = "return document.getElementById(arguments[0]).getBoundingClientRect().top";
    let top = browser.client.execute(script, vec![Value::from(id)]).await.unwrap();
    top.as_f64().unwrap()
}

/// Asserts that an element stands at the top of the window, below the bar, and stays there. Returns
/// the cumulative layout shift since the page began to load.
async fn stays_at_the_top(browser: &Browser, id: &str) -> f64 {
    let before = top_of(browser, id).await;
    assert!((0.0..140.0).contains(&before), "#{id} is at {before} px");
    let shift = layout_shift(browser).await;
    let after = top_of(browser, id).await;
    assert!((after - before).abs() < 2.0, "#{id} moved from {before} to {after} px");
    shift
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_with_a_fragment_are_all_sections_laid_out_at_once() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let browser = &scene.browser;
    for width in [390, 1280] {
        // Given the reference without a fragment, then long sections are laid out when they come
        // near the window.
        open(&scene, width, "").await;
        assert_eq!(visibility_of_long_sections(browser).await, json!(["auto"]), "{width} px");
        // When the page is opened at a place deep in it, then all are laid out, the place is at the
        // top, and nothing moves. The id of an error is set by the script.
        let deep = "const all = [...document.querySelectorAll('main .part')];\
                    return all[Math.floor(all.length * 3 / 4)].id";
        let deep = browser.run(deep).await;
        let deep = deep.as_str().unwrap();
        for id in [deep, "error-rate_limited"] {
            open(&scene, width, &format!("#{id}")).await;
            let visibility = visibility_of_long_sections(browser).await;
            assert_eq!(visibility, json!(["visible"]), "#{id} at {width} px");
            let shift = stays_at_the_top(browser, id).await;
            assert!(shift < 0.1, "{shift} at #{id}, {width} px");
        }
        // When a link of the contents is followed, then all are laid out, too, and the place is at
        // the top.
        open(&scene, width, "").await;
        let follow = "document.querySelector(`#contents a[href='#${arguments[0]}']`).click()";
        browser.client.execute(follow, vec![Value::from(deep)]).await.unwrap();
        until("all sections are laid out", async || {
            visibility_of_long_sections(browser).await == json!(["visible"])
        })
        .await;
        let _: f64 = stays_at_the_top(browser, deep).await;
    }
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
async fn descriptions_of_fields_are_wide_enough() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    open(&scene, 1024, "").await;
    for width in [1024, 1280, 1440, 1920] {
        page_area(&scene.browser, (width, 900)).await;
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

async fn copy_buttons_work_over_plain_http_and_say_so(engine: Engine) {
    // Given the reference of a server that a browser reaches over plain HTTP under the name of
    // another machine,
    let (database, setup) = (Database::migrated_sqlite(), Setup::default());
    let scene = BrowserWorld::named(engine, "switchboard.test", database, setup).await;
    let browser = &scene.browser;
    browser.goto(&format!("{}/docs", scene.service)).await;
    browser.find(".code-group .copy").await;
    assert_eq!(browser.run("return [isSecureContext, 'clipboard' in navigator]").await[0], false);
    let sample =
        "return document.querySelector('.code-group figure:not([hidden]) code').textContent";
    let sample = without_white_space(&browser.run(sample).await);
    assert!(sample.contains("curl"), "{sample}");

    // when the copy button of a sample is clicked, then the sample is in the clipboard, and a
    // screen reader announces it;
    browser.click(".code-group .copy").await;
    until("it is said", async || {
        let said = browser.run("return document.querySelector('#copied').textContent").await;
        said == "Copied"
    })
    .await;
    let live = browser.run("return document.querySelector('#copied').getAttribute('role')").await;
    assert_eq!(live, "status");
    browser.fill("#find", "\u{e009}v\u{e000}").await; // Ctrl+V
    let pasted = browser.run("return document.getElementById('find').value").await;
    assert_eq!(without_white_space(&pasted), sample);

    // If copying fails, the sample is selected and the page explains how to continue.
    browser.run("document.execCommand = () => false").await;
    browser.click(".code-group .copy").await;
    let selected = browser.run("return String(getSelection())").await;
    assert_eq!(without_white_space(&selected), sample);
    until("it is said how to go on", async || {
        let said = browser.run("return document.querySelector('#copied').textContent").await;
        said.as_str().is_some_and(|said| said.contains("Ctrl+C"))
    })
    .await;
}

/// Returns a text without its white space, which fields and selections change.
fn without_white_space(text: &Value) -> String {
    text.as_str().unwrap().split_whitespace().collect()
}

on_every_browser! {
    copy_buttons_work_over_plain_http_and_say_so,
    the_icon_that_browsers_ask_for_is_there,
}
