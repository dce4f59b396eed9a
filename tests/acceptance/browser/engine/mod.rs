//! Real browsers of three engines.

mod chromium;
mod display;
mod firefox;
mod marionette;
mod webkit;

use fantoccini::elements::Element;
use fantoccini::error::{CmdError, ErrorStatus};
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::Instant;

/// The longest time until something appears, on a machine that may be busy.
const WITHIN: Duration = Duration::from_mins(1);
/// The number of attempts to start a browser: a driver that crashes is not a fault of the pages.
const STARTS: usize = 3;

/// An error at the start of a browser.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Chromium,
    Firefox,
    WebKit,
}

impl Engine {
    /// Returns whether the driver reports console messages. WebKit keeps no log of an automated
    /// session, because that session is a private one.
    pub fn has_console(self) -> bool {
        self != Self::WebKit
    }

    /// Returns whether a window learns that it has the focus. GTK's windows do not on a display
    /// without a window manager, but WebKit accepts key presses anyway.
    pub fn knows_focus(self) -> bool {
        self != Self::WebKit
    }

    /// The name in a picture's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }
}

/// Runs each of the listed functions in each of the three engines.
macro_rules! on_every_browser {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use $crate::browser::Engine;
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn chromium() {
                super::$test(Engine::Chromium).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn firefox() {
                super::$test(Engine::Firefox).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn webkit() {
                super::$test(Engine::WebKit).await;
            }
        }
    )+};
}
pub(crate) use on_every_browser;

/// The windows of a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    /// Only pages, if the browser can do without windows of its own. Chromium can, and starts faster
    /// then, but it blocks no popups and does not keep a popup whose opener is busy.
    Minimal,
    /// All windows, on no display if the browser has a headless mode.
    Hidden,
    /// All windows, on a virtual display.
    Shown,
}

/// The options of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub script: bool,
    pub windows: Windows,
    /// Whether there is a microphone, which pages may use without a question. It hears beeps.
    pub microphone: bool,
    /// The port of the server to which names under `.test` lead.
    pub test_port: Option<u16>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { script: true, windows: Windows::Minimal, microphone: false, test_port: None }
    }
}

/// A session with a driver, and everything that stops with it.
struct Started {
    driver: String,
    session: String,
    running: Running,
}

/// Processes and files of a browser.
#[derive(Default)]
struct Running {
    /// The process of a browser that its driver would leave running.
    process: Option<Pid>,
    /// Killed when they are dropped.
    _children: Vec<Child>,
    _folder: Option<TempDir>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(process) = self.process {
            // The process may have ended already.
            _ = kill_process(process, Signal::KILL);
        }
    }
}

/// A browser with its own profile, which is killed when this value is dropped.
pub struct Browser {
    pub client: Client,
    pub engine: Engine,
    _running: Running,
}

impl Browser {
    pub async fn start(engine: Engine, setup: Setup) -> Self {
        let mut failures = Vec::new();
        for _ in 0..STARTS {
            match tokio::time::timeout(WITHIN, Self::try_start(engine, setup)).await {
                Ok(Ok(browser)) => return browser,
                Ok(Err(error)) => failures.push(error.to_string()),
                Err(_) => failures.push(format!("not within {WITHIN:?}")),
            }
        }
        panic!("{engine:?} does not start: {failures:#?}");
    }

    async fn try_start(engine: Engine, setup: Setup) -> Outcome<Self> {
        let started = match engine {
            Engine::Chromium => chromium::start(setup).await?,
            Engine::Firefox => firefox::start(setup).await?,
            Engine::WebKit => webkit::start(setup).await?,
        };
        let Started { driver, session, running } = started;
        let connector = HttpConnector::new();
        let client = Client::with_existing_session(&driver, &session, connector).await?;
        Ok(Self { client, engine, _running: running })
    }

    /// Repeats a command while it fails because the page or the window is changing.
    async fn settled<T>(&self, mut command: impl AsyncFnMut() -> Result<T, CmdError>) -> T {
        let begun = Instant::now();
        loop {
            match command().await {
                Ok(value) => return value,
                Err(error) if begun.elapsed() > WITHIN || is_lasting(&error) => panic!("{error:?}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await, // real time: a browser works
            }
        }
    }

    pub async fn goto(&self, address: &str) {
        self.settled(async || self.client.goto(address).await).await;
    }

    pub async fn reload(&self) {
        self.settled(async || self.client.refresh().await).await;
    }

    pub async fn back(&self) {
        self.settled(async || self.client.back().await).await;
    }

    /// Waits for an element and for the end of the page's loading: until the styles are loaded,
    /// elements move and a click may miss.
    pub async fn find(&self, css: &str) -> Element {
        let begun = Instant::now();
        loop {
            let loaded = self.client.execute("return document.readyState", Vec::new()).await;
            if loaded.is_ok_and(|state| state != "complete") && begun.elapsed() < WITHIN {
                tokio::time::sleep(Duration::from_millis(50)).await; // real time: a browser works
                continue;
            }
            match self.client.find(Locator::Css(css)).await {
                Ok(found) => return found,
                Err(error) if begun.elapsed() > WITHIN => {
                    panic!("{css}: {error}; {}", self.text().await)
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await, // real time: a browser works
            }
        }
    }

    /// Clicks an element, as soon as it can be clicked.
    pub async fn click(&self, css: &str) {
        self.settled(async || self.find(css).await.click().await).await;
    }

    pub async fn fill(&self, css: &str, text: &str) {
        self.find(css).await.send_keys(text).await.unwrap();
    }

    /// Presses Enter on an element that has the focus, in a window that has the focus.
    pub async fn enter(&self, css: &str) {
        self.find(css).await;
        self.run(&format!("document.querySelector({css:?}).focus()")).await;
        if self.engine.knows_focus() {
            // Drivers also send key presses to a window without the focus, which a keyboard cannot
            // do. Firefox then does not turn them into a click.
            until("the window has the focus", async || {
                self.run("return document.hasFocus()").await == true
            })
            .await;
        }
        // The window may close before the driver responds.
        drop(self.find(css).await.send_keys("\u{e007}").await);
    }

    /// Returns the visible text of the page.
    pub async fn text(&self) -> String {
        let text = self.run("return document.body ? document.body.innerText : ''").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    pub async fn run(&self, script: &str) -> Value {
        self.settled(async || self.client.execute(script, Vec::new()).await).await
    }

    pub async fn address(&self) -> String {
        self.settled(async || self.client.current_url().await).await.to_string()
    }

    pub async fn window(&self) -> WindowHandle {
        self.client.window().await.unwrap()
    }

    pub async fn windows(&self) -> usize {
        self.client.windows().await.unwrap().len()
    }

    pub async fn switch_to(&self, window: &WindowHandle) {
        self.client.switch_to_window(window.clone()).await.unwrap();
    }

    /// Switches to the window that was opened from this one.
    pub async fn popup(&self, opener: &WindowHandle) -> WindowHandle {
        let mut found = None;
        until("a popup opens", async || {
            let windows = self.client.windows().await.unwrap();
            found = windows.into_iter().find(|window| window != opener);
            found.is_some()
        })
        .await;
        let popup = found.unwrap();
        self.switch_to(&popup).await;
        popup
    }

    /// Sets the color scheme that the system prefers, `light` or `dark`. Transitions to its colors
    /// end at once.
    pub async fn prefer_color_scheme(&self, scheme: &'static str) {
        assert_eq!(self.engine, Engine::Chromium);
        self.client.issue_cmd(ColorScheme(scheme)).await.unwrap();
        let script = format!(
            "for (const it of document.getAnimations()) if (it instanceof CSSTransition) it.finish();\
             return matchMedia('(prefers-color-scheme: {scheme})').matches"
        );
        assert_eq!(self.run(&script).await, true, "the page learns of {scheme}");
    }

    /// Returns the new console messages since the last call.
    pub async fn complaints(&self) -> Vec<String> {
        assert!(self.engine.has_console());
        let connect_events = self.client.issue_cmd(ConsoleLog).await.unwrap();
        let entries = connect_events.as_array().cloned().unwrap_or_default();
        entries.iter().filter_map(|it| it["message"].as_str().map(str::to_owned)).collect()
    }
}

/// Returns whether an error is in the test's own script, so that a repetition would not help.
fn is_lasting(error: &CmdError) -> bool {
    matches!(error, CmdError::Standard(it) if it.error == ErrorStatus::JavascriptError
        || it.error == ErrorStatus::InvalidArgument || it.error == ErrorStatus::InvalidSelector)
}

/// Waits for something that another process does, in real time.
pub async fn until(what: &str, holds: impl AsyncFnMut() -> bool) {
    assert!(comes_true(holds).await, "{what} within {WITHIN:?}");
}

/// Waits for something that another process does, and returns whether it happened in time.
pub async fn comes_true(mut holds: impl AsyncFnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < WITHIN {
        if holds().await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: a browser works
    }
    false
}

/// Opens a session with a driver. Returns its id and the browser's capabilities.
async fn open_session(driver: &str, capabilities: &Value) -> Outcome<(String, Value)> {
    // This test may be the first that needs cryptography.
    platform::outbound::provide_cryptography();
    let client = reqwest::Client::builder().no_proxy().build()?;
    let body = json!({"capabilities": {"alwaysMatch": capabilities}});
    let answer = client.post(format!("{driver}/session")).json(&body).send().await?;
    let answer: Value = answer.json().await?;
    let opened = &answer["value"];
    match opened["sessionId"].as_str() {
        Some(session) => Ok((session.to_owned(), opened["capabilities"].clone())),
        None => Err(format!("the driver opens no session: {answer}").into()),
    }
}

/// Returns the timeouts for scripts and pages. They are long, because axe-core examines the whole
/// reference on a machine that may be busy.
fn timeouts() -> Value {
    json!({"script": 120_000, "pageLoad": 120_000, "implicit": 0})
}

/// chromedriver's own command for the new console messages.
#[derive(Debug)]
struct ConsoleLog;

impl fantoccini::wd::WebDriverCompatibleCommand for ConsoleLog {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({"type": "browser"}).to_string()))
    }
}

/// The command of Chromium's `DevTools` protocol that sets the preferred color scheme.
#[derive(Debug)]
struct ColorScheme(&'static str);

impl fantoccini::wd::WebDriverCompatibleCommand for ColorScheme {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let feature = json!({"name": "prefers-color-scheme", "value": self.0});
        let emulate =
            json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": [feature]}});
        (http::Method::POST, Some(emulate.to_string()))
    }
}
