//! The programs of the READMEs.

use super::{InstalledClient, Language, succeeded};
use crate::connect::guide::handshake;
use crate::connect::{Browser, Partner, create_member};
use crate::world::{Database, World, free_port};
use auth::webhook::{WebhookSecret, sign};
use domain::time::Timestamp;
use platform::clock::Clock;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// Starts a server whose base URL is its real address.
async fn world_at_its_address() -> World {
    let address = format!("127.0.0.1:{}", free_port());
    let base_url = format!("http://{address}");
    let settings = [("bind", address.as_str()), ("base_url", base_url.as_str())];
    World::on(Database::migrated_sqlite(), &settings).await
}

fn with_key<'a>(command: &'a mut Command, world: &World) -> &'a mut Command {
    command
        .env("SWITCHBOARD", &world.base)
        .env("SWITCHBOARD_CLIENT_ID", &world.key.client_id)
        .env("SWITCHBOARD_CLIENT_SECRET", &world.key.client_secret)
        .env_remove("http_proxy")
}

async fn the_programs_run(language: Language) {
    let client = InstalledClient::of(language).await;
    let world = world_at_its_address().await;

    // Sending prints the id of a message that the server has, and the faults of a wrong one.
    let programs = [
        ("send", "Send a message"),
        ("list", "Read a list"),
        ("receive", "Receive webhooks"),
        ("connect", "Connect a business"),
    ];
    let programs = programs.map(|(name, heading)| (name, language.readme_program(heading)));
    let [mut send, mut list, receive, connect] = client.programs(programs).await;
    let printed = succeeded(&with_key(&mut send, &world).output().await.unwrap());
    let lines: Vec<&str> = printed.lines().collect();
    let (id, status) = lines[0].split_once(' ').unwrap();
    assert_eq!(status, "queued", "{printed}");
    let message = world.get(&format!("/api/v1/messages/{id}"), &world.key).await;
    assert_eq!(message.body["text"], "Your order is on its way");
    assert!(lines[1].contains("422 validation_failed"), "{printed}");
    assert!(lines[1].contains("phone_number") && lines[1].contains("text"), "{printed}");

    // Iterators go through all pages.
    for _ in 0..4 {
        succeeded(&with_key(&mut send, &world).output().await.unwrap());
    }
    world.live_through(Duration::from_secs(3)).await;
    let printed = succeeded(&with_key(&mut list, &world).output().await.unwrap());
    assert_eq!(printed.lines().filter(|line| line.starts_with("msg_")).count(), 5, "{printed}");
    let events = world.get("/api/v1/events?limit=100", &world.key).await;
    let events = events.body["data"].as_array().unwrap().clone();
    let listed: Vec<&str> = printed.lines().filter(|line| !line.starts_with("msg_")).collect();
    let expected = events.iter().map(|it| format!("{} {}", it["sequence"], text(&it["type"])));
    assert_eq!(listed, expected.collect::<Vec<_>>());

    receives_what_is_signed(receive, &events[0]).await;
    connects(&world, connect).await;
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn receives_what_is_signed(mut receive: Command, event: &Value) {
    let (secret, other) = (WebhookSecret::new([7; 32]), WebhookSecret::new([8; 32]));
    let port = free_port();
    receive.env("WEBHOOK_SECRET", secret.reveal()).env("PORT", port.to_string());
    receive.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = receive.spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let (id, body) = (text(&event["id"]), event.to_string());
    let now = Clock::system().wall();
    let deliver = async |signed: &[&WebhookSecret], at: Timestamp, body: &str| {
        let proof = sign(signed.iter().copied(), id, at, event.to_string().as_bytes());
        for _ in 0..400 {
            let request = crate::world::client().post(format!("http://127.0.0.1:{port}/"));
            let request = request.header("webhook-id", id);
            let request = request.header("webhook-timestamp", &proof.timestamp);
            let request = request.header("webhook-signature", &proof.signature);
            if let Ok(answer) = request.body(body.to_owned()).send().await {
                return answer.status().as_u16();
            }
            tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
        }
        panic!("the receiver did not start within ten seconds");
    };
    // After a rotation the second signature is the right one.
    assert_eq!(deliver(&[&other, &secret], now, &body).await, 204);
    let expected = format!("{} {}", text(&event["type"]), event["sequence"]);
    assert_eq!(printed.next_line().await.unwrap(), Some(expected));
    // Another secret, a changed body and an old request are refused.
    assert_eq!(deliver(&[&other], now, &body).await, 400);
    assert_eq!(deliver(&[&secret], now, &format!("{body} ")).await, 400);
    assert_eq!(deliver(&[&secret], now.minus(Duration::from_mins(6)), &body).await, 400);
}

async fn connects(world: &World, command: Command) {
    create_member(world).await;
    let partner = Partner::of(world).await;
    let mut browser = Browser::new(world);
    let again = clone(&command);
    let forged = clone(&command);
    let allow = async |path: String| {
        let (consent, page) = browser.until_consent(&path).await;
        browser.allow(&consent, &page).await.location().to_owned()
    };
    let (printed, succeeded) = handshake(world, &partner, command, allow).await;
    assert_eq!(printed, "Acme");
    assert!(succeeded);

    let cancel = async |path: String| {
        let (consent, page) = browser.until_consent(&path).await;
        let token = page.field("token");
        let fields = [("token", token.as_str()), ("decision", "cancel")];
        browser.post(&consent, &fields).await.location().to_owned()
    };
    let (_, succeeded) = handshake(world, &partner, again, cancel).await;
    assert!(!succeeded, "the member refused");

    let forge = async |path: String| {
        let (consent, page) = browser.until_consent(&path).await;
        browser.allow(&consent, &page).await.location().replace("&state=", "&state=x")
    };
    let (_, succeeded) = handshake(world, &partner, forged, forge).await;
    assert!(!succeeded, "another state");
}

/// Returns the same command once more.
fn clone(command: &Command) -> Command {
    let command = command.as_std();
    let mut clone = Command::new(command.get_program());
    clone.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            clone.env(name, value);
        }
    }
    clone
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_programs_of_the_python_client_run() {
    the_programs_run(Language::Python).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_programs_of_the_typescript_client_run() {
    the_programs_run(Language::TypeScript).await;
}
