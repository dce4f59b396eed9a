//! The built `switchboard` binary on a terminal.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const LIMIT: Duration = Duration::from_secs(30);

/// A command on a terminal, which `script` of util-linux makes.
pub struct TerminalSession {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    shown: String,
}

impl TerminalSession {
    /// Starts the binary in a directory, with arguments as a shell reads them.
    pub fn start(folder: &Path, arguments: &str) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    /// Starts the binary with additional environment variables.
    pub fn start_with(folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> Self {
        let binary = std::env::var("SWITCHBOARD_TEST_BINARY").expect("run `cargo xtask test`");
        let line = format!("{binary} {arguments}");
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(folder);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output, shown: String::new() }
    }

    /// Waits until the terminal shows `question`, and types `answer` and Enter.
    pub async fn answer(&mut self, question: &str, answer: &str) {
        self.until(question).await;
        self.press(&format!("{answer}\n")).await;
    }

    /// Presses keys.
    pub async fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).await.unwrap();
    }

    /// Waits until the terminal has shown a text.
    pub async fn until(&mut self, text: &str) {
        while !self.shown.contains(text) {
            let mut part = [0; 1024];
            let read = tokio::time::timeout(LIMIT, self.output.read(&mut part)).await;
            let read = read.unwrap_or_else(|_| panic!("no {text:?} in {}", self.shown)).unwrap();
            assert!(read > 0, "no {text:?} in {}", self.shown);
            self.shown.push_str(&String::from_utf8_lossy(&part[..read]));
        }
    }

    /// Waits for the end of the command. Returns its exit code and what the terminal showed.
    pub async fn ended(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        let read = self.output.read_to_string(&mut rest);
        tokio::time::timeout(LIMIT, read).await.expect("it ends within 30 seconds").unwrap();
        let status = self.child.wait().await.unwrap();
        (status.code(), self.shown + &rest)
    }
}
