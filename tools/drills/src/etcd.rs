//! A private etcd with one member, in which Patroni stores the leader.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use bench::client::answers;
use servers::{Account, Running, free_port, on_a_free_port, programs};

const START: Duration = Duration::from_secs(30);

/// A running etcd; dropping it stops it.
pub struct Etcd {
    _server: Running,
    /// The port for clients.
    pub port: u16,
}

impl Etcd {
    /// Starts an etcd with its data in `files`, which belong to `account`.
    pub fn start(account: Account, files: &Path) -> Result<Self> {
        let (server, port) = on_a_free_port(|port| Ok((serve(account, files, port)?, port)))?;
        Ok(Self { _server: server, port })
    }
}

fn serve(account: Account, files: &Path, port: u16) -> Result<Running> {
    let mut command = Command::new(programs::require(&["etcd"])?);
    account.apply(&mut command).current_dir(files);
    let (clients, peers) =
        (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()?));
    // docs/deploy/failover.md explains these options.
    command.args(["--name", "one", "--data-dir", "etcd", "--enable-v2=true"]);
    command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
    command.args(["--listen-peer-urls", &peers, "--initial-advertise-peer-urls", &peers]);
    command.args(["--initial-cluster", &format!("one={peers}")]);
    let log = files.join("etcd.log");
    let mut server = Running::spawn("etcd", &mut command, log, Signal::TERM)?;
    server.until_ready(START, || answers(port, "/health", &[], 200))?;
    Ok(server)
}
