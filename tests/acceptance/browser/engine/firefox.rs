//! Firefox, driven with Marionette. Debian has no geckodriver, which would only translate to the
//! same protocol.

use super::marionette::{Bridge, Marionette};
use super::{Outcome, Running, Setup, Started, Windows, display, timeouts};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};
use tokio::process::{Child, Command};

/// The installed Firefox.
const PROGRAM: &str = "/usr/bin/firefox-esr";
/// What a test copies into a new profile from one that was used: the compiled scripts of its own windows,
/// and the version that compiled them, without which Firefox discards them. Compiling takes more
/// than a second of processor time.
const COMPILED: [&str; 2] = ["startupCache", "compatibility.ini"];

pub(super) async fn start(setup: Setup) -> Outcome<Started> {
    let compiled = compiled_scripts().await?;
    let profile = tempfile::tempdir()?;
    copy_compiled(&compiled, profile.path())?;
    let mut children = Vec::new();
    let display = if setup.windows == Windows::Shown {
        let (server, name) = display::start().await?;
        children.push(server);
        Some(name)
    } else {
        None
    };
    let (browser, mut marionette) = launch(profile.path(), setup, display.as_deref()).await?;
    // The browser must be killed before its display.
    children.insert(0, browser);
    let wanted = json!({"pageLoadStrategy": "normal", "timeouts": timeouts()});
    let opened = marionette.command("WebDriver:NewSession", &wanted).await?;
    let opened = opened.map_err(|error| format!("no session: {error}"))?;
    let session = opened["sessionId"].as_str().ok_or("a session without an id")?.to_owned();
    let driver = Bridge::start(marionette).await?;
    let running = Running { process: None, _children: children, _folder: Some(profile) };
    Ok(Started { driver, session, running })
}

/// Starts Firefox with a profile, without a window if there is no display.
async fn launch(
    profile: &Path,
    setup: Setup,
    display: Option<&str>,
) -> Outcome<(Child, Marionette)> {
    std::fs::write(profile.join("user.js"), preferences(setup))?;
    let mut command = Command::new(PROGRAM);
    command
        .args(["--no-remote", "--new-instance", "--marionette", "--remote-allow-system-access"])
        .args(["--width", "1280", "--height", "900", "--profile"])
        .arg(profile)
        .env("HOME", profile)
        .env("MOZ_CRASHREPORTER_DISABLE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    match display {
        Some(name) => command.env("DISPLAY", name).env_remove("WAYLAND_DISPLAY"),
        None => command.arg("--headless"),
    };
    let mut browser = command.spawn().expect("`cargo xtask test` installs Firefox");
    let port = port(profile, &mut browser).await?;
    Ok((browser, Marionette::connect(port).await?))
}

/// Returns the directory with [`COMPILED`], which the first test makes for all test runs with this
/// version of Firefox.
async fn compiled_scripts() -> Outcome<PathBuf> {
    let changed = std::fs::metadata(PROGRAM)?.modified()?.duration_since(UNIX_EPOCH)?;
    let name = format!("firefox-{}", changed.as_secs());
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if made.exists() {
        return Ok(made);
    }
    // Each test is a process of its own. Unlocked when the file is closed.
    let lock = File::create(made.with_extension("lock"))?;
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock)).await??;
    if !made.exists() {
        let profile = tempfile::tempdir()?;
        let (mut browser, mut marionette) = launch(profile.path(), Setup::default(), None).await?;
        // Only a session can end Firefox.
        let opened = marionette.command("WebDriver:NewSession", &json!({})).await?;
        opened.map_err(|error| format!("no session: {error}"))?;
        let flags = json!({"flags": ["eAttemptQuit"]});
        // Firefox may end before it responds.
        drop(marionette.command("Marionette:Quit", &flags).await);
        browser.wait().await?;
        let unfinished = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        copy_compiled(profile.path(), unfinished.path())?;
        std::fs::rename(unfinished.keep(), &made)?;
    }
    drop(lock);
    Ok(made)
}

/// Copies [`COMPILED`] from one directory to another.
fn copy_compiled(from: &Path, to: &Path) -> Outcome<()> {
    for name in COMPILED {
        let (from, to) = (from.join(name), to.join(name));
        if from.is_dir() {
            std::fs::create_dir(&to)?;
            for file in std::fs::read_dir(from)? {
                let file = file?;
                std::fs::copy(file.path(), to.join(file.file_name()))?;
            }
        } else {
            std::fs::copy(from, to)?;
        }
    }
    Ok(())
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
    let all: [(&str, Value); 16] = [
        ("marionette.port", json!(0)),
        // By default Marionette permits all popups, unlike an ordinary browser.
        ("dom.disable_open_during_load", json!(true)),
        ("javascript.enabled", json!(setup.script)),
        ("media.navigator.streams.fake", json!(setup.microphone)),
        ("media.navigator.permission.disabled", json!(setup.microphone)),
        // The system prefers a light color scheme.
        ("layout.css.prefers-color-scheme.content-override", json!(1)),
        // Names under `.test` resolve to this machine, and no name server is asked.
        ("network.dns.native-is-localhost", json!(true)),
        // Otherwise Firefox starts processes for sites that nobody may ever open.
        ("dom.ipc.processPrelaunch.enabled", json!(false)),
        // Another process would prepare the page of a new tab.
        ("browser.newtabpage.enabled", json!(false)),
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
