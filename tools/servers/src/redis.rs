//! A private Redis or Valkey server, which stores nothing on disk.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::account::Account;
use crate::{Running, on_a_free_port, programs};

const START: Duration = Duration::from_secs(30);
const START_TIMEOUT: Duration = Duration::from_secs(2);

/// A running server; dropping it stops it.
pub struct Redis {
    // Fields are dropped in this order, so the server stops before its files are removed.
    server: Running,
    files: TempDir,
    port: u16,
    account: Account,
}

impl Redis {
    /// Starts a server with its log in a new directory under `base`.
    pub fn start(base: &Path) -> Result<Self> {
        let account = Account::ordinary()?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-redis-")
            .tempdir_in(base)
            .with_context(|| format!("cannot make a directory in {}", base.display()))?;
        account.own(files.path())?;
        let (server, port) =
            on_a_free_port(|port| Ok((serve(account, files.path(), port)?, port)))?;
        Ok(Self { server, files, port, account })
    }

    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Starts the server again on the same port.
    pub fn start_again(&mut self) -> Result<()> {
        self.server = serve(self.account, self.files.path(), self.port)?;
        Ok(())
    }

    /// Sends a signal to the server, for example to pause or continue it.
    pub fn signal(&self, signal: Signal) {
        self.server.signal(signal);
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn serve(account: Account, files: &Path, port: u16) -> Result<Running> {
    let mut command = Command::new(programs::require(&["valkey-server", "redis-server"])?);
    account.apply(&mut command).current_dir(files);
    command.args([
        "--port",
        &port.to_string(),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
    ]);
    let mut server = Running::spawn("Redis", &mut command, files.join("log"), Signal::TERM)?;
    server.until_ready(START, || answers(port))?;
    Ok(server)
}

fn answers(port: u16) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(START_TIMEOUT))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 7];
        stream.read_exact(&mut answer)?;
        Ok::<_, std::io::Error>(answer == *b"+PONG\r\n")
    };
    ask().is_ok_and(|answered| answered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_starts_answers_and_leaves_nothing() {
        let base = tempfile::tempdir_in("/tmp").unwrap();
        std::fs::set_permissions(base.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        let redis = Redis::start(base.path()).unwrap();
        let port = redis.port;
        assert!(answers(port));
        drop(redis);
        assert!(!answers(port), "Redis still listens");
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0, "files are left");
    }
}
