//! The conventions of Unix programs for closed pipes and signals.

use super::{Output, folder, get, prepare};
use crate::world::{Process, free_port, serving, switchboard};
use rustix::process::Signal;
use std::process::Stdio;
use std::time::Duration;

/// Returns the writing end of a pipe whose reader is closed.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Stdio::from(writer)
}

/// Runs a command with this standard output. Returns its exit code and its standard error.
async fn with_output(out: Stdio, arguments: &[&str]) -> Output {
    let mut command = switchboard(arguments);
    let child = command.stdout(out).stderr(Stdio::piped()).kill_on_drop(true).spawn();
    let ended = tokio::time::timeout(Duration::from_secs(30), child.unwrap().wait_with_output());
    let ended = ended.await.expect("it ends within 30 seconds").unwrap();
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    Output { code: ended.status.code(), out: String::new(), err }
}

#[tokio::test]
async fn a_command_whose_output_nobody_reads_ends_quietly() {
    let (_folder, url) = folder();
    prepare(&url).await;
    let place = ["--database-url", &url];
    for command in [
        &["config"][..],
        &["config", "--json"],
        &["migrate", "run"],
        &["migrate", "status"],
        &["migrate", "status", "--json"],
        &["reference"],
        &["admin", "organization", "create", "--name", "Unread"],
        &["admin", "organization", "create", "--name", "Unread", "--json"],
        &["admin", "organization", "list"],
        &["admin", "plan", "show", "Pro"],
        &["--help"],
        &["admin", "key", "--help"],
    ] {
        let said = with_output(closed_pipe(), &[command, &place].concat()).await;
        assert_eq!(said.code, Some(0), "{command:?}");
        assert_eq!(said.err.as_str(), "", "{command:?}");
    }
}

#[tokio::test]
async fn an_error_that_nobody_reads_is_an_error_still() {
    let (_folder, url) = folder();
    let mut command = switchboard(&["admin", "key", "disable", "swk_none", "--database-url", &url]);
    let status = command.stdout(closed_pipe()).stderr(closed_pipe()).status().await.unwrap();
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn an_output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let said = with_output(Stdio::from(full), &["config"]).await;
    said.failed_with(&["standard output", "No space left"]);
}

/// The situation of `serve --demo | head -1` after `head` has ended.
#[tokio::test]
async fn a_demo_whose_text_nobody_reads_ends_quietly() {
    let (_folder, url) = folder();
    let arguments = ["serve", "--demo", "--bind", "127.0.0.1:0", "--metrics-bind", "127.0.0.1:0"];
    let said =
        with_output(closed_pipe(), &[&arguments[..], &["--database-url", &url]].concat()).await;
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.err.contains("panicked") && !said.err.contains("rror"), "{}", said.err);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_log_nobody_reads_any_more_answers_and_stops_as_ever() {
    let (_folder, url) = folder();
    let port = free_port();
    let mut command = serving(&url, port);
    command.env("SWITCHBOARD_LOG", "debug").stderr(closed_pipe()).stdout(closed_pipe());
    let server = Process::ready(command, port).await;
    for path in ["/healthz", "/readyz", "/nowhere", "/docs.md"] {
        for _ in 0..5 {
            let answer = get(&format!("{}{path}", server.base)).await;
            assert!(answer.status == 200 || answer.status == 404, "{path}: {}", answer.text);
        }
    }
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_that_ask_for_nothing_change_nothing() {
    let (_folder, url) = folder();
    let server = Process::serve(&url, free_port()).await;
    for signal in [Signal::HUP, Signal::USR1, Signal::USR2, Signal::PIPE] {
        server.signal(signal);
        tokio::time::sleep(Duration::from_millis(100)).await; // real time: another process gets the signal
        assert_eq!(get(&format!("{}/readyz", server.base)).await.status, 200, "{signal:?}");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_stops_gracefully_on_sigquit() {
    for signal in [Signal::QUIT, Signal::INT, Signal::TERM] {
        let (_folder, url) = folder();
        let server = Process::serve(&url, free_port()).await;
        server.signal(signal);
        assert_eq!(server.exit_code().await, Some(0), "{signal:?}");
    }
}
