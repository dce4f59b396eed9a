//! The command line and the configuration (`docs/contract.md#operation`).

mod base_url;
mod conventions;
mod demo;
mod disconnections;
pub mod doctor;
mod files;
mod listing;
mod load;
mod log;
mod manual;
mod migrations;
mod plans;
mod prompts;
mod ready;
mod resets;
mod results;
mod undo;

use crate::world::{Answer, Pair, Process, World, free_port, switchboard};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

const SEND: &str = "/api/v1/messages";
const ME: &str = "/api/v1/me";
const ALL_SCOPES: &str =
    "messages.send,templates.read,templates.write,conversations.read,media.write";

/// The exit code and the output of a command that has ended.
pub struct Output {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Output {
    pub async fn of(command: &mut Command) -> Self {
        let ended = tokio::time::timeout(Duration::from_secs(30), command.output());
        let ended = ended.await.expect("it ends within 30 seconds").unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: ended.status.code(), out: text(&ended.stdout), err: text(&ended.stderr) }
    }

    /// Asserts that the command failed and that its output contains each of these words.
    #[track_caller]
    pub fn failed_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} in {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }

    #[track_caller]
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }
}

/// Runs the binary in a directory, with these environment variables.
pub async fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = switchboard(arguments);
    Output::of(command.current_dir(folder).envs(variables.iter().copied())).await
}

/// Runs a shell command as another command printed it, with our binary and PostgreSQL's programs in
/// the `PATH`.
pub async fn run_line(line: &str, variables: &[(&str, &str)]) -> Output {
    let variable = |name: &str| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name}: run `cargo xtask test`"))
    };
    let binary = PathBuf::from(variable("SWITCHBOARD_TEST_BINARY"));
    let programs = variable("SWITCHBOARD_TEST_POSTGRES_PROGRAMS");
    let path = format!("{programs}:{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).env_clear().envs(variables.iter().copied()).env("PATH", path);
    Output::of(command.stdin(Stdio::null())).await
}

/// Runs an `admin` command on a database with `--json`, and returns its output.
pub async fn admin(database_url: &str, arguments: &[&str]) -> Value {
    let place = ["--database-url", database_url];
    let arguments = [&["admin"], arguments, &["--json"], &place[..]].concat();
    let out = Output::of(&mut switchboard(&arguments)).await.succeeded();
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("JSON and nothing else: {out}"))
}

/// Creates an organization with an account and a key without a rate limit, with the command line.
pub async fn prepare(database_url: &str) -> Pair {
    let plan = ["plan", "set", "--name", "Pro", "--api-access", "true"];
    let ceilings = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
    admin(database_url, &[&plan[..], &ceilings].concat()).await;
    let organization = ["organization", "create", "--name", "Bakery", "--plan", "Pro"];
    admin(database_url, &organization).await;
    let number = ["--phone-number", "+12025550191", "--display-name", "Bakery"];
    let account = ["account", "connect", "--organization", "Bakery", "--channel", "sandbox"];
    admin(database_url, &[&account[..], &number].concat()).await;
    let key = ["key", "create", "--organization", "Bakery", "--name", "Till", "--rate-limit", "0"];
    let made = admin(database_url, &[&key[..], &["--scopes", ALL_SCOPES]].concat()).await;
    pair(&made)
}

fn pair(made: &Value) -> Pair {
    let text = |field: &str| made[field].as_str().expect("a text").to_owned();
    Pair { client_id: text("client_id"), client_secret: text("client_secret") }
}

fn folder() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    (folder, url)
}

async fn call(method: Method, base: &str, path: &str, key: &Pair, body: Option<&Value>) -> Answer {
    let request = crate::world::client().request(method, format!("{base}{path}"));
    let request = crate::credentials::with_credentials(request, key);
    Answer::of(body.into_iter().fold(request, reqwest::RequestBuilder::json)).await
}

async fn get(url: &str) -> Answer {
    Answer::of(crate::world::client().get(url)).await
}

/// Calls until the status is `status`, for one second at most. A server must notice a change within
/// that time.
async fn within_a_second(base: &str, key: &Pair, status: u16) {
    let mut answer = call(Method::GET, base, ME, key, None).await;
    for _ in 0..20 {
        if answer.status == status {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process serves
        answer = call(Method::GET, base, ME, key, None).await;
    }
    panic!("{status} within a second, not {}", answer.text);
}

#[tokio::test]
async fn the_effective_configuration_is_shown_without_secrets() {
    // Given a settings file, the environment and a flag, which set different values,
    let (folder, _) = folder();
    let file = "bind = \"127.0.0.1:1111\"\nlog = \"warn\"\nworkers = 3\n";
    std::fs::write(folder.path().join("switchboard.toml"), file).unwrap();
    let variables = [
        ("SWITCHBOARD_BIND", "127.0.0.1:2222"),
        ("SWITCHBOARD_LOG_FORMAT", "json"),
        ("SWITCHBOARD_DATABASE_URL", "postgres://switch:hunter2@db.example/messages"),
        ("SWITCHBOARD_REDIS_URL", "redis://:hunter2@cache.example/0"),
    ];

    // when the configuration is shown, then it contains the values of highest priority with their
    // origin,
    let arguments = ["config", "--json", "--bind", "127.0.0.1:3333"];
    let out = run(folder.path(), &arguments, &variables).await.succeeded();
    let shown: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(shown["bind"], json!({"value": "127.0.0.1:3333", "from": "flag"}));
    assert_eq!(shown["log"], json!({"value": "warn", "from": "file"}));
    assert_eq!(shown["workers"], json!({"value": "3", "from": "file"}));
    assert_eq!(shown["log_format"], json!({"value": "json", "from": "environment"}));
    assert_eq!(shown["base_url"], json!({"value": "http://localhost:8080", "from": "default"}));

    // and no password is shown, in either output format.
    let plain = run(folder.path(), &["config"], &variables).await.succeeded();
    assert!(plain.contains("127.0.0.1:2222"), "{plain}");
    for out in [out, plain] {
        assert!(!out.contains("hunter2"), "{out}");
        assert!(out.contains("db.example/messages"), "{out}");
    }
}

#[tokio::test]
async fn a_wrong_or_unknown_setting_is_an_error_that_names_it() {
    let (folder, _) = folder();
    let fails = async |command: &str, name: &str, value: &str, words: &[&str]| {
        run(folder.path(), &[command], &[(name, value)]).await.failed_with(words);
    };
    for command in ["config", "serve"] {
        fails(
            command,
            "SWITCHBOARD_BINDD",
            "127.0.0.1:1",
            &["SWITCHBOARD_BINDD", "SWITCHBOARD_BIND"],
        )
        .await;
        fails(command, "SWITCHBOARD_BIND", "here", &["bind", "here", "environment"]).await;
        fails(command, "SWITCHBOARD_BASE_URL", "ftp://x", &["base_url", "ftp://x"]).await;
        fails(command, "SWITCHBOARD_WORKERS", "0", &["workers", "1 to 256"]).await;
        fails(command, "SWITCHBOARD_LOG_FORMAT", "xml", &["log_format", "text or json"]).await;
        fails(command, "SWITCHBOARD_METRICS_BIND", "9464", &["metrics_bind"]).await;
        fails(command, "SWITCHBOARD_DATABASE_CONNECTIONS", "1", &["database_connections"]).await;
        fails(command, "SWITCHBOARD_DATABASE_URL", "mysql://root:hunter2@h/d", &["database_url"])
            .await;
    }
    let said = run(
        folder.path(),
        &["config"],
        &[("SWITCHBOARD_DATABASE_URL", "mysql://root:hunter2@h/d")],
    )
    .await;
    assert!(!said.err.contains("hunter2"), "{}", said.err);

    // Several errors are reported at once, also those in the settings file.
    std::fs::write(folder.path().join("switchboard.toml"), "bnid = \"127.0.0.1:1\"\n").unwrap();
    fails("config", "SWITCHBOARD_LOGG", "x", &["bnid", "switchboard.toml", "SWITCHBOARD_LOGG"])
        .await;
    std::fs::write(folder.path().join("switchboard.toml"), "bind = \n").unwrap();
    run(folder.path(), &["config"], &[]).await.failed_with(&["switchboard.toml"]);
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_named_with_the_reason() {
    let (folder, _) = folder();
    // The path requires a directory where a file exists. Not even root can create one there.
    std::fs::write(folder.path().join("file"), "").unwrap();
    let nowhere = format!("sqlite:{}/file/switchboard.db", folder.path().display());
    let wrong = format!("postgres://someone:hunter2@127.0.0.1:{}/messages", free_port());
    let bind = format!("127.0.0.1:{}", free_port());
    for command in [&["serve", "--bind", &bind][..], &["migrate", "run"], &["migrate", "status"]] {
        let arguments = [command, &["--database-url", &nowhere]].concat();
        run(folder.path(), &arguments, &[])
            .await
            .failed_with(&["file/switchboard.db", "is a file, not a folder"]);
        let arguments = [command, &["--database-url", &wrong]].concat();
        let said = run(folder.path(), &arguments, &[]).await;
        said.failed_with(&["postgres://someone:", "@127.0.0.1:", "/messages", "refused"]);
        assert!(!said.err.contains("hunter2"), "{}", said.err);
    }
}

#[tokio::test]
async fn a_second_server_on_the_same_file_is_refused() {
    let (folder, url) = folder();
    let first = Process::serve(&url, free_port()).await;
    let bind = format!("127.0.0.1:{}", free_port());
    let arguments = ["serve", "--bind", &bind, "--database-url", &url];
    let said = run(folder.path(), &arguments, &[]).await;
    said.failed_with(&["another Switchboard server", "switchboard.db", "SWITCHBOARD_DATABASE_URL"]);
    assert_eq!(get(&format!("{}/readyz", first.base)).await.status, 200, "the first goes on");

    // However the first server ended, the next one can start.
    first.kill().await;
    let next = Process::serve(&url, free_port()).await;
    assert_eq!(get(&format!("{}/readyz", next.base)).await.status, 200);
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let (folder, url) = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = taken.local_addr().unwrap().to_string();
    let arguments = ["serve", "--bind", &bind, "--database-url", &url];
    run(folder.path(), &arguments, &[]).await.failed_with(&[&bind, "SWITCHBOARD_BIND"]);
}

/// Asserts that commands that an operator runs next to a running server take effect within a
/// second.
async fn commands_beside_a_running_server(url: &str) {
    let server = Process::serve(url, free_port()).await;
    let base = server.base.as_str();
    let key = prepare(url).await;
    let client_id = key.client_id.as_str();
    within_a_second(base, &key, 200).await;
    let me = call(Method::GET, base, ME, &key, None).await;
    assert_eq!(me.body["organization"]["name"], "Bakery");
    assert_eq!(me.body["account"]["phone_number"], "+12025550191");
    assert_eq!(me.body["plan"]["name"], "Pro");
    assert_eq!(me.body["key"]["rate_limit"], 0);

    let done = admin(url, &["key", "disable", client_id]).await;
    assert_eq!(done, json!({"client_id": client_id, "state": "inactive"}));
    within_a_second(base, &key, 401).await;
    admin(url, &["key", "enable", client_id]).await;
    within_a_second(base, &key, 200).await;

    let subscription = ["subscription", "set", "--organization", "Bakery", "--status"];
    for status in ["past_due", "canceled", "none"] {
        admin(url, &[&subscription[..], &[status]].concat()).await;
        within_a_second(base, &key, 403).await;
    }
    let active = [&subscription[..], &["active", "--plan", "Pro"]].concat();
    admin(url, &active).await;
    within_a_second(base, &key, 200).await;
    let plan = ["plan", "set", "--name", "Pro", "--api-access", "false"];
    let ceilings = ["--api-calls-per-day", "7", "--messages-per-month", "none"];
    let set = admin(url, &[&plan[..], &ceilings].concat()).await;
    assert_eq!(set["api_access"], json!(false));
    assert_eq!(set["api_calls_per_day"], 7);
    within_a_second(base, &key, 403).await;
    let plan = ["plan", "set", "--name", "Pro", "--api-access", "true"];
    admin(
        url,
        &[&plan[..], &["--api-calls-per-day", "none", "--messages-per-month", "none"]].concat(),
    )
    .await;
    within_a_second(base, &key, 200).await;

    admin(url, &["key", "delete", client_id, "--yes"]).await;
    within_a_second(base, &key, 401).await;
    let gone = ["admin", "key", "enable", client_id, "--database-url", url];
    Output::of(&mut switchboard(&gone)).await.failed_with(&["no key", client_id]);
}

#[tokio::test]
async fn a_running_server_on_sqlite_heeds_commands() {
    let (_folder, url) = folder();
    commands_beside_a_running_server(&url).await;
}

#[tokio::test]
async fn a_running_server_on_postgres_heeds_commands() {
    let world = World::on_postgres().await;
    commands_beside_a_running_server(world.database_url()).await;
}

#[tokio::test]
async fn a_member_is_made_with_a_password_from_standard_input() {
    let (_folder, url) = folder();
    prepare(&url).await;
    let member = async |email: &str| {
        let who = ["--organization", "Bakery", "--email", email, "--name", "Ada Baker"];
        let arguments = [
            &["admin", "member", "create"],
            &who[..],
            &["--password-stdin", "--json"],
            &["--database-url", &url],
        ]
        .concat();
        let mut command = switchboard(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"correct horse battery staple\n").await.unwrap();
        drop(input);
        let ended = child.wait_with_output().await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output { code: ended.status.code(), out: text(ended.stdout), err: text(ended.stderr) }
    };
    let out = member("ada@bakery.example").await.succeeded();
    let made: Value = serde_json::from_str(&out).unwrap();
    assert!(made["id"].as_str().is_some_and(|id| id.starts_with("mem_")), "{out}");
    assert_eq!(made["email"], "ada@bakery.example");
    assert_eq!(made["name"], "Ada Baker");
    assert!(!out.contains("horse"), "{out}");
    member("Ada@Bakery.example").await.failed_with(&["ada@bakery.example already"]);
    member("nobody").await.failed_with(&["nobody", "email"]);
}

#[tokio::test]
async fn a_command_that_cannot_be_done_says_why() {
    let (folder, url) = folder();
    prepare(&url).await;
    let fails = async |arguments: &[&str], words: &[&str]| {
        let arguments = [&["admin"], arguments, &["--database-url", &url]].concat();
        run(folder.path(), &arguments, &[]).await.failed_with(words);
    };
    fails(&["organization", "create", "--name", "New", "--plan", "Gold"], &["no plan", "Gold"])
        .await;
    fails(&["subscription", "set", "--organization", "Nobody", "--status", "none"], &["Nobody"])
        .await;
    let key = ["key", "create", "--organization", "Bakery", "--name", "Till", "--scopes"];
    fails(&[&key[..], &["messages.sent"]].concat(), &["messages.sent", "messages.send"]).await;
    for none in ["", ",", " , "] {
        fails(&[&key[..], &[none]].concat(), &["scope", "messages.send"]).await;
    }
    fails(&[&key[..], &["messages.send", "--rate-limit=-1"]].concat(), &["rate"]).await;
    let number = [
        "account",
        "connect",
        "--organization",
        "Bakery",
        "--display-name",
        "B",
        "--channel",
        "sandbox",
        "--phone-number",
    ];
    fails(&[&number[..], &["+12025550191"]].concat(), &["+12025550191", "already"]).await;
    fails(&[&number[..], &["12"]].concat(), &["number"]).await;
}
