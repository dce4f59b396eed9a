//! A PostgreSQL server of a test's own, which it may restart.

use crate::world::free_port;
use rustix::process::geteuid;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// Accounts without privileges: PostgreSQL refuses to run as root.
const ORDINARY: [&str; 2] = ["postgres", "nobody"];

/// A running server; dropping it stops it and removes its data.
pub struct PrivatePostgres {
    files: TempDir,
    port: u16,
}

impl PrivatePostgres {
    /// Makes a cluster and starts a server on it.
    pub async fn start() -> Self {
        Self::start_with("").await
    }

    /// The same with options of the server's.
    pub async fn start_with(options: &'static str) -> Self {
        let start = move || {
            let files = tempfile::tempdir().unwrap();
            if let Some((user, group)) = ordinary_account() {
                std::os::unix::fs::chown(files.path(), Some(user), Some(group)).unwrap();
            }
            let initdb = ["--pgdata=data", "--username=postgres", "--auth=trust", "--no-sync"];
            run(
                "initdb",
                &[&initdb[..], &["--encoding=UTF8", "--locale=C"]].concat(),
                files.path(),
            );
            let port = free_port();
            let settings = format!(
                "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} \
                 -c timezone=UTC -c fsync=off {options}",
                files.path().display()
            );
            let place = ["-D", "data", "-l", "log", "-w", "-o", settings.as_str(), "start"];
            run("pg_ctl", &place, files.path());
            Self { files, port }
        };
        spawn_blocking(start).await.unwrap()
    }

    /// Its first database, for a superuser without a password.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Where its data and its log are.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// All that is in its first database, as SQL.
    pub async fn dump(&self) -> Vec<u8> {
        let (folder, port) = (self.files.path().to_owned(), self.port.to_string());
        let dump = move || {
            let server = ["--host=127.0.0.1", "--port", &port, "--username=postgres"];
            run("pg_dump", &[&server[..], &["--file=dump.sql", "postgres"]].concat(), &folder);
            std::fs::read(folder.join("dump.sql")).unwrap()
        };
        spawn_blocking(dump).await.unwrap()
    }

    /// Cuts all connections off, stops it, and starts it again on the same port and data.
    pub async fn restart(&self) {
        let folder = self.files.path().to_owned();
        let restart = move || {
            run("pg_ctl", &["-D", "data", "-l", "log", "-w", "-m", "fast", "restart"], &folder);
        };
        spawn_blocking(restart).await.unwrap();
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        run("pg_ctl", &["-D", "data", "-w", "-m", "immediate", "stop"], self.files.path());
    }
}

/// Runs one of PostgreSQL's programs in this folder, as an account that it accepts.
fn run(program: &str, arguments: &[&str], folder: &Path) {
    let programs = std::env::var("SWITCHBOARD_TEST_POSTGRES_PROGRAMS");
    let programs =
        programs.expect("SWITCHBOARD_TEST_POSTGRES_PROGRAMS is a folder: run `cargo xtask test`");
    let mut command = Command::new(PathBuf::from(programs).join(program));
    command.args(arguments).current_dir(folder).env("LC_ALL", "C").env_remove("PGDATA");
    // A server that goes on in the background would keep a pipe open.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    if let Some((user, group)) = ordinary_account() {
        use std::os::unix::process::CommandExt as _;
        command.uid(user).gid(group);
    }
    let status = command.status().expect("PostgreSQL's programs are there");
    assert!(status.success(), "{program} {arguments:?}: {status}");
}

/// The number of an account without privileges and that of its group, where we are root.
fn ordinary_account() -> Option<(u32, u32)> {
    if !geteuid().is_root() {
        return None;
    }
    let number = |which: &str, name: &str| -> Option<u32> {
        let asked = Command::new("id").args([which, name]).stderr(Stdio::null()).output().ok()?;
        String::from_utf8(asked.stdout).ok()?.trim().parse().ok()
    };
    ORDINARY.iter().find_map(|name| Some((number("-u", name)?, number("-g", name)?)))
}
