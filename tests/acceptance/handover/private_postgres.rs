//! A PostgreSQL server for one test, which the test can restart.

use crate::world::{free_port, ordinary_account};
use rustix::process::{Pid, Signal, kill_process};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// A running PostgreSQL server. Dropping it stops the server and deletes its data.
pub struct PrivatePostgres {
    files: TempDir,
    port: u16,
    settings: String,
}

impl PrivatePostgres {
    /// Creates a database cluster and starts a server on it.
    pub async fn start() -> Self {
        Self::start_with("").await
    }

    /// Creates a database cluster and starts a server with these command line options.
    pub async fn start_with(options: &'static str) -> Self {
        let start = move || {
            let files = folder();
            let initdb = ["--pgdata=data", "--username=postgres", "--auth=trust", "--no-sync"];
            run(
                "initdb",
                &[&initdb[..], &["--encoding=UTF8", "--locale=C"]].concat(),
                files.path(),
            );
            Self::serve(files, options)
        };
        spawn_blocking(start).await.unwrap()
    }

    fn serve(files: TempDir, options: &str) -> Self {
        let port = free_port();
        let settings = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} \
             -c timezone=UTC -c fsync=off {options}",
            files.path().display()
        );
        begin(files.path(), &settings);
        Self { files, port, settings }
    }

    /// Starts a streaming standby of this server, with these lines in its `postgresql.conf`.
    pub async fn standby(&self, settings: &'static str) -> Self {
        let primary = format!("--port={}", self.port);
        let start = move || {
            let files = folder();
            let copy = ["--host=127.0.0.1", &primary, "--username=postgres", "--pgdata=data"];
            let copy = [&copy[..], &["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]];
            run("pg_basebackup", &copy.concat(), files.path());
            let file = files.path().join("data/postgresql.conf");
            let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
            file.write_all(settings.as_bytes()).unwrap();
            Self::serve(files, "")
        };
        spawn_blocking(start).await.unwrap()
    }

    /// Returns the URL of the default database for a superuser without a password.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Returns the directory with the data and the log.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// Returns an SQL dump of the default database.
    pub async fn dump(&self) -> Vec<u8> {
        let (folder, port) = (self.files.path().to_owned(), self.port.to_string());
        let dump = move || {
            let server = ["--host=127.0.0.1", "--port", &port, "--username=postgres"];
            run("pg_dump", &[&server[..], &["--file=dump.sql", "postgres"]].concat(), &folder);
            std::fs::read(folder.join("dump.sql")).unwrap()
        };
        spawn_blocking(dump).await.unwrap()
    }

    /// Kills the server. [`Self::start_again`] starts it again.
    pub async fn kill(&self) {
        let folder = self.files.path().to_owned();
        let stop = move || run("pg_ctl", &["-D", "data", "-w", "-m", "immediate", "stop"], &folder);
        spawn_blocking(stop).await.unwrap();
    }

    /// Starts the server again on the same port, with the same data and options.
    pub async fn start_again(&self) {
        let (folder, settings) = (self.files.path().to_owned(), self.settings.clone());
        let start = move || begin(&folder, &settings);
        spawn_blocking(start).await.unwrap();
    }

    /// Sends a signal such as SIGSTOP or SIGCONT to all processes of the server.
    pub fn signal(&self, signal: Signal) {
        let lines = std::fs::read_to_string(self.files.path().join("data/postmaster.pid")).unwrap();
        let first = lines.lines().next().unwrap();
        let main = Pid::from_raw(first.parse().unwrap()).unwrap();
        kill_process(main, signal).unwrap();
        let children = format!("/proc/{first}/task/{first}/children");
        for child in std::fs::read_to_string(children).unwrap().split_whitespace() {
            // A child that has just ended is not an error.
            let _ = kill_process(Pid::from_raw(child.parse().unwrap()).unwrap(), signal);
        }
    }

    /// Closes all connections and restarts the server on the same port and data.
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
        // A killed server is not running.
        if !self.files.path().join("data/postmaster.pid").exists() {
            return;
        }
        run("pg_ctl", &["-D", "data", "-w", "-m", "immediate", "stop"], self.files.path());
    }
}

/// Starts a server on the cluster in this directory.
fn begin(folder: &Path, settings: &str) {
    run("pg_ctl", &["-D", "data", "-l", "log", "-w", "-o", settings, "start"], folder);
}

/// Creates a directory to which the account that PostgreSQL runs as may write.
fn folder() -> TempDir {
    let files = tempfile::tempdir().unwrap();
    if let Some((user, group)) = ordinary_account() {
        std::os::unix::fs::chown(files.path(), Some(user), Some(group)).unwrap();
    }
    files
}

/// Runs one of PostgreSQL's programs in this directory, as an account that it accepts.
fn run(program: &str, arguments: &[&str], folder: &Path) {
    let programs = std::env::var("SWITCHBOARD_TEST_POSTGRES_PROGRAMS");
    let programs =
        programs.expect("SWITCHBOARD_TEST_POSTGRES_PROGRAMS is a folder: run `cargo xtask test`");
    let mut command = Command::new(PathBuf::from(programs).join(program));
    command.args(arguments).current_dir(folder).env("LC_ALL", "C").env_remove("PGDATA");
    // A server that keeps running in the background would keep a pipe open.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    if let Some((user, group)) = ordinary_account() {
        use std::os::unix::process::CommandExt as _;
        command.uid(user).gid(group);
    }
    let status = command.status().expect("PostgreSQL's programs are there");
    assert!(status.success(), "{program} {arguments:?}: {status}");
}
