//! The built `switchboard` binary in its own process.

use super::entropy;
use rustix::process::{Pid, Signal, kill_process};
use std::net::TcpListener;
use std::ops::Range;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};

/// Returns a command for the binary with these arguments and an empty environment.
pub fn switchboard(arguments: &[&str]) -> Command {
    let binary = std::env::var("SWITCHBOARD_TEST_BINARY");
    let binary = binary.expect("SWITCHBOARD_TEST_BINARY names the binary: run `cargo xtask test`");
    let mut command = Command::new(binary);
    // Files that the server keeps by default are created in its working directory.
    let folder = std::env::temp_dir().join("switchboard-stories");
    std::fs::create_dir_all(&folder).unwrap();
    command.args(arguments).env_clear().current_dir(folder).stdin(Stdio::null());
    command
}

/// Returns a command of `tools/bench` with these arguments and the same `switchboard` binary.
pub fn bench(arguments: &[&str]) -> Command {
    let file = |name| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test`"))
    };
    let mut command = Command::new(file("SWITCHBOARD_TEST_BENCH"));
    command
        .args(arguments)
        .args(["--binary", &file("SWITCHBOARD_TEST_BINARY")])
        .stdin(Stdio::null());
    command
}

/// Returns the command `switchboard serve` for a database and a port of the loopback address.
pub fn serving(database_url: &str, port: u16) -> Command {
    let bind = format!("127.0.0.1:{port}");
    let metrics = format!("127.0.0.1:{}", free_port());
    let mut command = switchboard(&["serve", "--bind", &bind, "--metrics-bind", &metrics]);
    command.args(["--database-url", database_url]);
    command
}

/// A server in its own process, which the test can signal and kill.
pub struct Process {
    pub base: String,
    /// The base URL of its metrics.
    pub metrics: String,
    child: Child,
}

impl Process {
    /// Starts a server on a database and waits until it is ready.
    pub async fn serve(database_url: &str, port: u16) -> Self {
        Self::serve_with(database_url, port, &[]).await
    }

    /// Starts a server with additional environment variables.
    pub async fn serve_with(database_url: &str, port: u16, variables: &[(&str, &str)]) -> Self {
        let mut command = serving(database_url, port);
        command.envs(variables.iter().copied());
        Self::ready(command, port).await
    }

    /// Starts a server under a resource limit, given as arguments of the shell's `ulimit`.
    pub async fn serve_limited(
        database_url: &str,
        limit: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let port = free_port();
        let server = serving(database_url, port);
        let server = server.as_std();
        let mut command = Command::new("/bin/sh");
        let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(server.get_program()).args(server.get_args());
        command.env_clear().envs(variables.iter().copied()).stdin(Stdio::null());
        command.current_dir(server.get_current_dir().expect("a folder"));
        Self::ready(command, port).await
    }

    /// Runs a command that starts a server on this port, and waits until the server is ready.
    pub async fn ready(command: Command, port: u16) -> Self {
        Self::ready_at(command, format!("http://127.0.0.1:{port}"), &super::client()).await
    }

    /// Runs a command that starts a server, and waits until `client` finds it ready at `base`.
    pub async fn ready_at(mut command: Command, base: String, client: &reqwest::Client) -> Self {
        let mut arguments = command.as_std().get_args().skip_while(|it| *it != "--metrics-bind");
        let metrics = arguments.nth(1).unwrap_or_default().to_string_lossy().into_owned();
        let child = command.kill_on_drop(true).spawn().unwrap();
        let process = Self { base, metrics, child };
        for _ in 0..400 {
            let ready = client.get(format!("{}/readyz", process.base)).send().await;
            if ready.is_ok_and(|answer| answer.status() == 200) {
                return process;
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("the server at {} was not ready within ten seconds", process.base);
    }

    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.id().cast_signed()).expect("it runs");
        kill_process(id, signal).unwrap();
    }

    /// Kills the process with SIGKILL, so that it cannot clean up.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Returns the resident memory in bytes.
    pub fn resident_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kibibytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
        kibibytes * 1024
    }

    /// Waits up to 35 seconds for the process to end, and returns its exit code.
    pub async fn exit_code(self) -> Option<i32> {
        self.ended().await.code()
    }

    /// Waits up to 35 seconds for the process to end, and returns its status.
    pub async fn ended(mut self) -> ExitStatus {
        let within = tokio::time::timeout(Duration::from_secs(35), self.child.wait());
        within.await.expect("it ends within 35 seconds").unwrap()
    }
}

/// The ports of [`free_port`]. Linux takes no port of this range for the client's side of a
/// connection, so other tests rarely take one between its choice and its use.
const PORTS: Range<u16> = 10_000..32_768;

/// Returns a port on which nothing listens.
pub fn free_port() -> u16 {
    loop {
        let port = PORTS.start + u16::from_be_bytes(entropy()) % (PORTS.end - PORTS.start);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
