//! The commands that call a running server: `listen`, `send`, `trigger`.

pub mod listening;
mod sending;
mod triggering;

use crate::world::{Answer, Pair, Process, client, switchboard};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// A number that reads each message and answers it.
const ECHOES: &str = "+12025550100";

/// A command that runs until the test stops it.
pub struct RunningCommand {
    child: Child,
    printed: UnboundedReceiver<String>,
    notes: UnboundedReceiver<String>,
}

impl RunningCommand {
    /// Starts a command with the server's URL and the key in the environment.
    pub fn start(server: &str, key: &Pair, arguments: &[&str]) -> Self {
        let mut command = command(server, key, arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let printed = lines(child.stdout.take().unwrap());
        let notes = lines(child.stderr.take().unwrap());
        Self { child, printed, notes }
    }

    /// Waits for the next line on standard output.
    pub async fn next_line(&mut self) -> String {
        let line = timeout(Duration::from_secs(30), self.printed.recv()).await;
        line.expect("a line within 30 seconds").expect("the command runs")
    }

    /// Waits for a line on standard error that contains `text`.
    async fn next_note(&mut self, text: &str) -> String {
        loop {
            let line = timeout(Duration::from_secs(30), self.notes.recv()).await;
            let line = line.unwrap_or_else(|_| panic!("no note with {text:?} within 30 seconds"));
            let line = line.expect("the command runs");
            if line.contains(text) {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.child.id().expect("it runs").cast_signed()).unwrap();
        kill_process(id, signal).unwrap();
    }

    /// Sends Ctrl-C, and returns the exit code.
    pub async fn interrupted(mut self) -> Option<i32> {
        self.signal(Signal::INT);
        let ended = timeout(Duration::from_secs(10), self.child.wait()).await;
        ended.expect("it ends within ten seconds").unwrap().code()
    }
}

fn lines(output: impl AsyncRead + Unpin + Send + 'static) -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        let mut lines = BufReader::new(output).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn command(server: &str, key: &Pair, arguments: &[&str]) -> Command {
    let mut command = switchboard(arguments);
    command.args(["--url", server]);
    command.env("SWITCHBOARD_CLIENT_ID", &key.client_id);
    command.env("SWITCHBOARD_CLIENT_SECRET", &key.client_secret);
    command
}

/// Runs a command to its end. Returns its exit code, its output and its notes.
async fn run(server: &str, key: &Pair, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(server, key, arguments).output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

async fn get(server: &Process, key: &Pair, path: &str) -> Value {
    let request = client().get(format!("{}{path}", server.base));
    let answer = Answer::of(crate::credentials::with_credentials(request, key)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Sends a text to a number that answers, and waits until everything about it has happened.
pub async fn converse(server: &Process, key: &Pair, text: &str) {
    let request = client().post(format!("{}/api/v1/messages", server.base));
    let body = json!({"type": "text", "phone_number": ECHOES, "text": text});
    let request = crate::credentials::with_credentials(request, key).json(&body);
    let answer = Answer::of(request).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let after = answer.text_of("id");
    let (mut last, mut quiet) = (0, 0);
    for _ in 0..400 {
        let events = events_after(server, key, 0).await;
        let of_message = |kind: &str| {
            events.iter().any(|it| it["type"] == kind && it["data"]["id"] == after.as_str())
        };
        let newest = events.last().map_or(0, |it| it["sequence"].as_i64().unwrap());
        let is_quiet = of_message("message.read") && newest == last;
        quiet = if is_quiet { quiet + 1 } else { 0 };
        // The answer follows within half a second, and the inbox follows within another second.
        if quiet == 50 {
            return;
        }
        last = newest;
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: the sandbox of another process answers
    }
    panic!("{text:?} was not answered within 20 seconds");
}

/// Returns all events after a sequence.
pub async fn events_after(server: &Process, key: &Pair, after: i64) -> Vec<Value> {
    let page = get(server, key, &format!("/api/v1/events?after={after}&limit=100")).await;
    assert_eq!(page["pagination"]["has_more"], false, "a short list");
    page["data"].as_array().unwrap().clone()
}
