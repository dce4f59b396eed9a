//! Firefox, driven with Marionette. Debian has no geckodriver, which would only translate to the
//! same protocol.

use super::marionette::{Bridge, Marionette};
use super::{Outcome, Running, Setup, Started, display, timeouts};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

pub(super) async fn start(setup: Setup) -> Outcome<Started> {
    let profile = tempfile::tempdir()?;
    std::fs::write(profile.path().join("user.js"), preferences(setup))?;
    let mut command = Command::new("firefox-esr");
    command
        .args(["--no-remote", "--new-instance", "--marionette", "--remote-allow-system-access"])
        .args(["--width", "1280", "--height", "900", "--profile"])
        .arg(profile.path())
        .env("HOME", profile.path())
        .env("MOZ_CRASHREPORTER_DISABLE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut children = Vec::new();
    if setup.headed {
        let (server, name) = display::start().await?;
        children.push(server);
        command.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY");
    } else {
        command.arg("--headless");
    }
    let mut browser = command.spawn().expect("`cargo xtask test` installs Firefox");
    let port = port(profile.path(), &mut browser).await?;
    // The browser must be killed before its display.
    children.insert(0, browser);
    let mut marionette = Marionette::connect(port).await?;
    let wanted = json!({"pageLoadStrategy": "normal", "timeouts": timeouts()});
    let opened = marionette.command("WebDriver:NewSession", &wanted).await?;
    let opened = opened.map_err(|error| format!("no session: {error}"))?;
    let session = opened["sessionId"].as_str().ok_or("a session without an id")?.to_owned();
    let driver = Bridge::start(marionette).await?;
    let running = Running { process: None, _children: children, _folder: Some(profile) };
    Ok(Started { driver, session, running })
}

/// Reads the port that Firefox chose and wrote into its profile.
async fn port(profile: &Path, browser: &mut Child) -> Outcome<u16> {
    loop {
        let written = std::fs::read_to_string(profile.join("MarionetteActivePort"));
        if let Some(port) = written.ok().and_then(|text| text.trim().parse().ok()) {
            return Ok(port);
        }
        if let Some(status) = browser.try_wait()? {
            return Err(format!("Firefox ended: {status}").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // real time: a browser starts
    }
}

/// Returns the profile's preferences, in addition to those that Marionette sets for tests.
fn preferences(setup: Setup) -> String {
    let all: [(&str, Value); 13] = [
        ("marionette.port", json!(0)),
        // By default Marionette permits all popups, unlike an ordinary browser.
        ("dom.disable_open_during_load", json!(true)),
        ("javascript.enabled", json!(setup.script)),
        // The system prefers a light color scheme.
        ("layout.css.prefers-color-scheme.content-override", json!(1)),
        // Names under `.test` resolve to this machine, and no name server is asked.
        ("network.dns.native-is-localhost", json!(true)),
        // Otherwise Firefox starts processes for sites that nobody may ever open.
        ("dom.ipc.processPrelaunch.enabled", json!(false)),
        ("browser.shell.checkDefaultBrowser", json!(false)),
        ("browser.preonboarding.enabled", json!(false)),
        ("datareporting.policy.dataSubmissionEnabled", json!(false)),
        ("app.normandy.enabled", json!(false)),
        ("app.update.disabledForTesting", json!(true)),
        ("browser.startup.homepage", json!("about:blank")),
        ("browser.startup.page", json!(0)),
    ];
    all.iter().fold(String::new(), |mut text, (name, value)| {
        writeln!(text, "user_pref({name:?}, {value});").unwrap();
        text
    })
}
