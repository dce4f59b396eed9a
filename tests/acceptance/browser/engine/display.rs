//! A virtual display, for browsers that need one.

use super::Outcome;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Starts a display. Returns its process, which stops it when dropped, and its name.
pub(super) async fn start() -> Outcome<(Child, String)> {
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1400x2400x24", "-nolisten", "tcp"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("`cargo xtask test` installs Xvfb");
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let number = lines.next_line().await?.ok_or("Xvfb ended without a display")?;
    Ok((server, format!(":{}", number.trim())))
}
