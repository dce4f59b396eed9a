//! WebKit, driven by WebKitGTK's driver, with its `MiniBrowser` on a virtual display.

use super::{Outcome, Running, Setup, Started, display, open_session, timeouts};
use crate::world::free_port;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::process::Command;

/// A style that shrinks the toolbar, which would keep the window wider than a phone.
const SMALL_TOOLBAR: &str = "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; \
    font-size: 1px; -gtk-icon-transform: scale(0.1); }";

pub(super) async fn start(setup: Setup) -> Outcome<Started> {
    let folder = tempfile::tempdir()?;
    let style = folder.path().join("gtk-3.0");
    std::fs::create_dir(&style)?;
    std::fs::write(style.join("gtk.css"), SMALL_TOOLBAR)?;
    // When its display stops, the browser stops too. The driver would leave it running.
    let (server, screen) = display::start().await?;
    let port = free_port();
    let mut driver = Command::new("WebKitWebDriver");
    driver
        .arg(format!("--port={port}"))
        .env("DISPLAY", screen)
        .env("GDK_BACKEND", "x11")
        .env("HOME", folder.path())
        .envs(
            ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"]
                .map(|name| (name, folder.path())),
        )
        // No desktop session is needed.
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .env("GSETTINGS_BACKEND", "memory")
        .env("NO_AT_BRIDGE", "1")
        // Render without a graphics card, because test machines have none.
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut driver = driver.spawn().expect("`cargo xtask test` installs WebKit's driver");
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        if let Some(status) = driver.try_wait()? {
            return Err(format!("WebKitWebDriver ended: {status}").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // real time: a driver starts
    }
    let address = format!("http://127.0.0.1:{port}");
    let browser = browser().ok_or("no MiniBrowser beside WebKit's library")?;
    let (session, _) = open_session(&address, &capabilities(&browser, setup)).await?;
    let running = Running { process: None, _children: vec![driver, server], _folder: Some(folder) };
    Ok(Started { driver: address, session, running })
}

/// The small browser that comes with the library: `/usr/lib/<architecture>/webkit2gtk-<version>/MiniBrowser`.
fn browser() -> Option<PathBuf> {
    let folders = |of: &Path| std::fs::read_dir(of).into_iter().flatten().flatten();
    let versions = folders(Path::new("/usr/lib"))
        .flat_map(|it| std::fs::read_dir(it.path()).into_iter().flatten().flatten());
    versions
        .map(|it| it.path().join("MiniBrowser"))
        .find(|it| it.is_file() && it.to_string_lossy().contains("/webkit2gtk-4."))
}

/// A microphone that needs no device.
const MICROPHONE: [&str; 2] = ["--enable-media-stream=true", "--enable-mock-capture-devices=true"];

fn capabilities(browser: &Path, setup: Setup) -> Value {
    let mut arguments = vec!["--automation".to_owned()];
    if !setup.script {
        // This disables scripts of the page only; the driver's scripts run.
        arguments.push("--enable-javascript-markup=false".to_owned());
    }
    if setup.microphone {
        arguments.extend(MICROPHONE.map(str::to_owned));
    }
    if let Some(port) = setup.test_port {
        // WebKit resolves this name with the system's resolver, which does not know it, so the
        // server acts as its own proxy.
        arguments.push(format!("--proxy=http://127.0.0.1:{port}"));
        arguments.extend(["localhost", "127.0.0.1"].map(|it| format!("--ignore-host={it}")));
    }
    json!({
        "webkitgtk:browserOptions": {"binary": browser, "args": arguments},
        "pageLoadStrategy": "normal",
        "timeouts": timeouts(),
    })
}
