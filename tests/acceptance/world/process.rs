//! The built binary, run as an operator runs it.

use rustix::process::{Pid, Signal, kill_process};
use std::net::TcpListener;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};

/// The binary with these arguments and an environment that says nothing else.
pub fn switchboard(arguments: &[&str]) -> Command {
    let binary = std::env::var("SWITCHBOARD_TEST_BINARY");
    let binary = binary.expect("SWITCHBOARD_TEST_BINARY names the binary: run `cargo xtask test`");
    let mut command = Command::new(binary);
    // What it keeps by default lies in its working directory.
    let folder = std::env::temp_dir().join("switchboard-stories");
    std::fs::create_dir_all(&folder).unwrap();
    command.args(arguments).env_clear().current_dir(folder).stdin(Stdio::null());
    command
}

/// The workspace's own program with these arguments, on the server that the tests drive.
pub fn xtask(arguments: &[&str]) -> Command {
    let file = |name| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test`"))
    };
    let mut command = Command::new(file("SWITCHBOARD_TEST_XTASK"));
    command
        .args(arguments)
        .args(["--binary", &file("SWITCHBOARD_TEST_BINARY")])
        .stdin(Stdio::null());
    command
}

/// The command that serves a database on a port of the loopback address.
pub fn serving(database_url: &str, port: u16) -> Command {
    let bind = format!("127.0.0.1:{port}");
    let metrics = format!("127.0.0.1:{}", free_port());
    let mut command = switchboard(&["serve", "--bind", &bind, "--metrics-bind", &metrics]);
    command.args(["--database-url", database_url]);
    command
}

/// A server in a process of its own, which can be killed.
pub struct Process {
    pub base: String,
    /// Where its metrics are.
    pub metrics: String,
    child: Child,
}

impl Process {
    /// Starts a server on this database and waits until it is ready.
    pub async fn serve(database_url: &str, port: u16) -> Self {
        Self::serve_with(database_url, port, &[]).await
    }

    /// The same with these variables in its environment.
    pub async fn serve_with(database_url: &str, port: u16, variables: &[(&str, &str)]) -> Self {
        let mut command = serving(database_url, port);
        command.envs(variables.iter().copied());
        Self::ready(command, port).await
    }

    /// The same with its limits set as the shell's `ulimit` takes them.
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

    /// Starts a server with a command of its own that listens on this port, and waits until it is ready.
    pub async fn ready(command: Command, port: u16) -> Self {
        Self::ready_at(command, format!("http://127.0.0.1:{port}"), &super::client()).await
    }

    /// The same at an address that this client can reach.
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

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.id().cast_signed()).expect("it runs");
        kill_process(id, signal).unwrap();
    }

    /// Ends it as a power cut would, as far as it can tell.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Its resident memory, in bytes.
    pub fn resident(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kibibytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
        kibibytes * 1024
    }

    /// Waits for its end, and gives the exit code.
    pub async fn exit_code(self) -> Option<i32> {
        self.ended().await.code()
    }

    /// Waits for its end, however it comes.
    pub async fn ended(mut self) -> ExitStatus {
        let within = tokio::time::timeout(Duration::from_secs(35), self.child.wait());
        within.await.expect("it ends within 35 seconds").unwrap()
    }
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
