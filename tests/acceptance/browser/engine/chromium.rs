//! Chromium, driven by chromedriver.

use super::{Outcome, Running, Setup, Started, Windows, open_session, timeouts};
use rustix::process::Pid;
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// Chromium without windows of its own. It runs pages with the same engine, and starts in a fifth of
/// the processor time. The command in `/usr/bin` is a script, and only its own process would be killed.
const WITHOUT_WINDOWS: &str = "/usr/lib/chromium/chromium-headless-shell";

pub(super) async fn start(setup: Setup) -> Outcome<Started> {
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
        let line = lines.next_line().await?.ok_or("chromedriver ended without a port")?;
        if let Some((_, rest)) = line.split_once("successfully on port ") {
            break rest.trim_end_matches('.').to_owned();
        }
    };
    // The driver would stop if nobody read its output.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let driver_address = format!("http://127.0.0.1:{port}");
    let (session, connect_events) = open_session(&driver_address, &capabilities(setup)).await?;
    let process = connect_events["goog:processID"].as_i64().ok_or("the driver tells no process")?;
    let running = Running {
        process: Pid::from_raw(i32::try_from(process)?),
        _children: vec![driver],
        _folder: None,
    };
    Ok(Started { driver: driver_address, session, running })
}

fn capabilities(setup: Setup) -> Value {
    // The system prefers a light color scheme.
    let mut settings = "--blink-settings=preferredColorScheme=1".to_owned();
    if !setup.script {
        settings.push_str(",scriptEnabled=false");
    }
    let mut arguments = vec![
        if setup.windows == Windows::Minimal { "--headless" } else { "--headless=new" },
        "--hide-scrollbars",
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
    if setup.microphone {
        arguments.extend(["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]);
    }
    // By default the driver permits all popups, unlike an ordinary browser.
    let mut options = json!({"args": arguments, "excludeSwitches": ["disable-popup-blocking"]});
    if setup.windows == Windows::Minimal {
        options["binary"] = json!(WITHOUT_WINDOWS);
    }
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
        "pageLoadStrategy": "normal",
        "timeouts": timeouts(),
    })
}
