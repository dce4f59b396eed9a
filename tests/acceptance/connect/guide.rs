//! The code of the guide in four languages, run exactly as it stands there.

use super::{Browser, Partner, REDIRECT, create_member};
use crate::world::{World, on_both_databases};
use serde_json::Value;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

/// Returns the command that runs the guide's program in this language.
fn guide_command(language: &str) -> Command {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/handshake");
    let (interpreter, file) = match language {
        "curl" => ("sh", format!("{folder}/handshake.sh")),
        "Node" => ("node", format!("{folder}/handshake.mjs")),
        "Python" => ("python3", format!("{folder}/handshake.py")),
        _ => {
            return Command::new(
                std::env::var("SWITCHBOARD_TEST_HANDSHAKE").expect("set by `cargo xtask test`"),
            );
        }
    };
    let mut command = Command::new(interpreter);
    command.arg(file);
    command
}

/// Runs a program that prints the authorize URL, reads the callback URL, and prints the connected
/// organization. Returns its output and whether it succeeded.
pub async fn handshake(
    world: &World,
    partner: &Partner,
    mut command: Command,
    answer: impl AsyncFnOnce(String) -> String,
) -> (String, bool) {
    command
        .env("SWITCHBOARD", &world.base)
        .env("APP_CLIENT_ID", &partner.application.client_id)
        .env("APP_CLIENT_SECRET", &partner.application.client_secret)
        .env("REDIRECT_URI", &partner.application.redirect_uris[0]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().expect("it prints an address");
    let path = url.strip_prefix(&world.base).expect("it is the service's").to_owned();
    let came_back = answer(path).await;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{came_back}\n").as_bytes()).await.unwrap();
    let said = lines.next_line().await.unwrap().unwrap_or_default();
    (said, child.wait().await.unwrap().success())
}

async fn runs(world: &World, language: &str) {
    create_member(world).await;
    let partner = Partner::of(world).await;
    let mut browser = Browser::new(world);
    let allow = async |path: String| {
        let (consent, page) = browser.until_consent(&path).await;
        browser.allow(&consent, &page).await.location().to_owned()
    };
    let (said, content) = handshake(world, &partner, guide_command(language), allow).await;
    assert!(content, "{language}: {said}");
    let me: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(me["organization"]["name"], "Acme", "{language}: {said}");
    assert_eq!(me["application"]["client_id"], partner.application.client_id.as_str());
    assert_eq!(me["key"]["scopes"], serde_json::json!(["messages.send", "conversations.read"]));

    // A callback with a wrong state is rejected.
    let forge = async |_| format!("{REDIRECT}&code=forged&state=another");
    let (_, content) = handshake(world, &partner, guide_command(language), forge).await;
    assert!(!content, "{language} believed a state that is not its own");
}

async fn the_guides_curl_runs(world: World) {
    runs(&world, "curl").await;
}

async fn the_guides_node_runs(world: World) {
    runs(&world, "Node").await;
}

async fn the_guides_python_runs(world: World) {
    runs(&world, "Python").await;
}

async fn the_guides_rust_runs(world: World) {
    runs(&world, "Rust").await;
}

on_both_databases! {
    the_guides_curl_runs,
    the_guides_node_runs,
    the_guides_python_runs,
    the_guides_rust_runs,
}
