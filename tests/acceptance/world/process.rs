//! The built binary, run as an operator runs it.

use std::net::TcpListener;
use std::process::Stdio;
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
        let bind = format!("127.0.0.1:{port}");
        let metrics = format!("127.0.0.1:{}", free_port());
        let mut command = switchboard(&["serve", "--bind", &bind, "--metrics-bind", &metrics]);
        command.args(["--database-url", database_url]).envs(variables.iter().copied());
        let child = command.kill_on_drop(true).spawn().unwrap();
        let process = Self { base: format!("http://{bind}"), metrics, child };
        let client = super::client();
        for _ in 0..400 {
            let ready = client.get(format!("{}/readyz", process.base)).send().await;
            if ready.is_ok_and(|answer| answer.status() == 200) {
                return process;
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("the server on {database_url} was not ready within ten seconds");
    }

    /// Ends it as a power cut would, as far as it can tell.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Waits for its end, and gives the exit code.
    pub async fn exit_code(mut self) -> Option<i32> {
        let within = tokio::time::timeout(Duration::from_secs(35), self.child.wait());
        within.await.expect("it ends within 35 seconds").unwrap().code()
    }
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
