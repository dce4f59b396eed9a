//! A real Chromium, driven as a person drives it.

use fantoccini::elements::Element;
use fantoccini::wd::{Capabilities, WindowHandle};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How long something may take to appear.
const WITHIN: Duration = Duration::from_secs(20);

/// How the browser is set up.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub dark: bool,
    pub script: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { dark: false, script: true }
    }
}

/// A browser with a profile of its own; it ends with this value.
pub struct Chromium {
    pub client: Client,
    process: Option<Pid>,
    _driver: Child,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The driver is killed, and would leave the browser behind.
        if let Some(process) = self.process {
            // One that is gone already is as good as killed.
            _ = kill_process(process, Signal::KILL);
        }
    }
}

impl Chromium {
    pub async fn start(setup: Setup) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("`cargo xtask test` installs chromedriver");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next_line().await.unwrap().expect("chromedriver says its port");
            if let Some((_, rest)) = line.split_once("successfully on port ") {
                break rest.trim_end_matches('.').to_owned();
            }
        };
        // Whoever no longer reads would stop it.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(setup))
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("Chromium starts");
        let process = client.capabilities().and_then(|all| all.get("goog:processID")?.as_i64());
        let process = process.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        assert!(process.is_some(), "the driver tells the browser's process");
        Self { client, process, _driver: driver }
    }

    pub async fn goto(&self, address: &str) {
        self.client.goto(address).await.unwrap();
    }

    /// The element, as soon as it is there.
    pub async fn find(&self, css: &str) -> Element {
        let wait = self.client.wait().at_most(WITHIN);
        match wait.for_element(Locator::Css(css)).await {
            Ok(found) => found,
            Err(error) => panic!("{css}: {error}; {}", self.text().await),
        }
    }

    pub async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap();
    }

    pub async fn fill(&self, css: &str, text: &str) {
        self.find(css).await.send_keys(text).await.unwrap();
    }

    /// What a person reads on the page.
    pub async fn text(&self) -> String {
        let text = self.run("return document.body ? document.body.innerText : ''").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    pub async fn run(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    pub async fn address(&self) -> String {
        self.client.current_url().await.unwrap().to_string()
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

    /// Turns to the window that was opened from this one.
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

    /// What the console has been told of this severity.
    pub async fn complaints(&self) -> Vec<String> {
        let told = self.client.issue_cmd(ConsoleLog).await.unwrap();
        let entries = told.as_array().cloned().unwrap_or_default();
        entries.iter().filter_map(|it| it["message"].as_str().map(str::to_owned)).collect()
    }
}

/// Waits for something that another process does: there is no clock of ours in it.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..(WITHIN.as_millis() / 50) {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: a browser works
    }
    panic!("{what} within {WITHIN:?}");
}

fn capabilities(setup: Setup) -> Capabilities {
    let scheme = if setup.dark { "preferredColorScheme=0" } else { "preferredColorScheme=1" };
    let mut settings = format!("--blink-settings={scheme}");
    if !setup.script {
        settings.push_str(",scriptEnabled=false");
    }
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP *.test 127.0.0.1",
        "--window-size=1280,900",
        settings.as_str(),
    ];
    // The driver lets every popup open; a person's browser does not.
    let options = json!({"args": arguments, "excludeSwitches": ["disable-popup-blocking"]});
    let all = json!({
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
        "pageLoadStrategy": "normal",
        // axe-core looks at the whole reference, on a machine that may be busy.
        "timeouts": {"script": 120_000},
    });
    all.as_object().unwrap().clone()
}

/// The console's entries since the last look, by the driver's own command.
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
