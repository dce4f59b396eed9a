//! Databases that earlier versions wrote (`tests/kept_databases`). This version opens and migrates
//! them, and everything in them works.

mod from_backup;
mod network;
mod role_settings;
mod told;
mod under_load;

use crate::connect::Browser;
use crate::events::events;
use crate::webhooks::receiver::{Answers, Received, Receiver};
use crate::world::graph::Graph;
use crate::world::{Answer, Database, Pair, World};
use auth::webhook::WebhookSecret;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";

/// A database as an earlier version wrote it, and the facts that were recorded with it.
struct KeptDatabase {
    world: World,
    graph: Graph,
    known: Value,
}

/// Restores the database in this folder. Returns it before any server opens it, and its recorded
/// facts.
async fn restore(folder: &Path, kind: &str) -> (Database, Value) {
    let read =
        |ending: &str| std::fs::read_to_string(folder.join(format!("{kind}.{ending}"))).unwrap();
    let known: Value = serde_json::from_str(&read("json")).unwrap();
    let database = match kind {
        "sqlite" => Database::sqlite(),
        _ => Database::plain_postgres().await,
    };
    if kind == "sqlite" {
        // The dump has the tables in the order of their names.
        let sql = format!("PRAGMA foreign_keys = OFF;\n{}", read("sql"));
        database.beside().await.execute(&sql).await;
    } else {
        database.beside().await.execute(&read("sql")).await;
    }
    (database, known)
}

/// Returns the time at which the database was dumped.
fn kept_at(known: &Value) -> Timestamp {
    Timestamp::from_seconds(known["kept_at"].as_i64().unwrap())
}

/// Returns the settings of a server on this database.
fn settings_of<'a>(known: &'a Value, graph_url: &'a str) -> [(&'static str, &'a str); 4] {
    [
        ("base_url", known["base"].as_str().unwrap()),
        ("encryption_key", known["encryption_key"].as_str().unwrap()),
        ("graph_url", graph_url),
        ("webhook_allow", "127.0.0.0/8"),
    ]
}

impl KeptDatabase {
    /// Restores and opens the database in this folder.
    async fn open(folder: &Path, kind: &str) -> Self {
        let (database, known) = restore(folder, kind).await;
        Self::on(database, known).await
    }

    /// Opens a database with these recorded facts.
    async fn on(database: Database, known: Value) -> Self {
        let graph = Graph::start().await;
        let key = pair(&known["key"]);
        let settings = settings_of(&known, &graph.url()).map(|(name, it)| (name, it.to_owned()));
        let settings = settings.each_ref().map(|(name, it)| (*name, it.as_str()));
        let world = World::reopened(database, kept_at(&known), &settings, key).await;
        Self { world, graph, known }
    }

    fn text(&self, path: &str) -> &str {
        self.known.pointer(path).and_then(Value::as_str).expect("a text")
    }

    /// Returns the number of messages that the plan has counted.
    fn used(&self) -> usize {
        let many = |field: &str| self.known[field].as_array().map_or(0, Vec::len);
        let lists = ["sent", "waiting", "network_sent"].into_iter().map(many);
        lists.sum::<usize>() + network::held(&self.known).values().map(Vec::len).sum::<usize>()
    }
}

fn pair(known: &Value) -> Pair {
    let text = |field: &str| known[field].as_str().expect("a text").to_owned();
    Pair { client_id: text("client_id"), client_secret: text("client_secret") }
}

/// Whether `now` contains everything that the earlier version answered. Objects may have more
/// fields.
fn still_says(now: &Value, before: &Value) -> bool {
    match (now, before) {
        (Value::Object(now), Value::Object(before)) => before
            .iter()
            .all(|(name, before)| now.get(name).is_some_and(|now| still_says(now, before))),
        (Value::Array(now), Value::Array(before)) => {
            now.len() == before.len()
                && now.iter().zip(before).all(|(now, before)| still_says(now, before))
        }
        _ => now == before,
    }
}

/// The API gives the answers of the earlier version to the same keys.
async fn the_answers_are_the_same(kept: &KeptDatabase) {
    let first = json!({"key": kept.known["key"], "answers": kept.known["answers"]});
    for reading in
        std::iter::once(&first).chain(kept.known["readings"].as_array().into_iter().flatten())
    {
        let key = pair(&reading["key"]);
        for (path, before) in reading["answers"].as_object().unwrap() {
            the_answer_is_the_same(&kept.world, &key, path, before.clone()).await;
        }
    }
    let me = kept.world.get("/api/v1/me", &kept.world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], kept.used());
}

async fn the_answer_is_the_same(world: &World, key: &Pair, path: &str, mut before: Value) {
    let mut now = world.get(path, key).await;
    assert_eq!(now.status, 200, "{path}: {}", now.text);
    match path.split('?').next().unwrap() {
        "/api/v1/me" => {
            // The request itself counts as a call and sets `last_used_at`. Waiting messages were
            // accepted after the answer was recorded.
            before["plan"] = json!({});
            before["key"]["last_used_at"] = now.body["key"]["last_used_at"].clone();
        }
        "/api/v1/events" => {
            let many = before["data"].as_array().unwrap().len();
            now.body["data"].as_array_mut().unwrap().truncate(many);
            before["pagination"] = json!({});
        }
        _ => {}
    }
    assert!(still_says(&now.body, &before), "{path}: {before:#} became {:#}", now.body);
}

/// Keys work as before, and a repeated idempotent request gets its stored answer.
async fn the_keys_work(kept: &KeptDatabase) {
    let KeptDatabase { world, known, .. } = kept;
    world
        .get("/api/v1/me", &pair(&known["disabled_key"]))
        .await
        .is_problem(401, "invalid_credentials");
    let connected = world.get("/api/v1/me", &pair(&known["connection"])).await;
    assert_eq!(connected.body["connection"]["id"], known["connection"]["connection_id"]);
    let request = world.request(reqwest::Method::POST, SEND, &world.key);
    let request = request
        .header("idempotency-key", kept.text("/idempotent/key"))
        .header("content-type", "application/json")
        .body(kept.text("/idempotent/body").to_owned());
    let again = Answer::of(request).await;
    assert_eq!(again.body, known["idempotent"]["answer"]);
    assert_eq!(again.header("idempotent-replayed"), "true");
    let media = kept.text("/media/url").rsplit_once("/media/").unwrap().1;
    let bytes = BASE64_STANDARD.decode(kept.text("/media/bytes")).unwrap();
    let (id, _) = media.split_once('/').unwrap();
    std::fs::write(world.folder().join("media").join(id), &bytes).unwrap();
    let served = world.http.get(format!("{}/media/{media}", world.base)).send().await.unwrap();
    assert_eq!(served.status().as_u16(), 200);
    assert_eq!(served.bytes().await.unwrap(), bytes);
}

/// Waiting messages are submitted in order, and pending events are delivered with valid signatures.
async fn what_waited_goes_out(kept: &KeptDatabase) {
    let KeptDatabase { world, graph, known } = kept;
    let url = kept.text("/webhook/url");
    let address = url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let receiver = Receiver::at(address.parse().unwrap(), Answers::With(200)).await;
    // The earlier version may have tried and postponed some of them.
    for _ in 0..12 {
        world.advance(Duration::from_mins(10));
        world.settle().await;
    }
    let handed_over: Vec<Value> =
        graph.accepted().into_iter().map(|it| json!(it.ours.expect("our id"))).collect();
    assert_eq!(json!(handed_over), known["waiting"]);
    let secret = WebhookSecret::parse(kept.text("/webhook/secret")).unwrap();
    let deliveries = receiver.received();
    assert!(deliveries.iter().all(|it| it.is_signed_by(&secret)));
    let mut sequences: Vec<i64> = deliveries.iter().map(Received::sequence).collect();
    sequences.sort_unstable();
    sequences.dedup();
    let all = events(world, &world.key).await;
    let all: Vec<i64> = all.iter().map(|it| it["sequence"].as_i64().unwrap()).collect();
    assert_eq!(sequences, all, "each event once at least");
    assert_eq!(all, (1..=i64::try_from(all.len()).unwrap()).collect::<Vec<_>>());
}

/// Members sign in with their passwords.
async fn the_member_signs_in(kept: &KeptDatabase) {
    let mut browser = Browser::new(&kept.world);
    let page = browser.get("/login").await;
    let token = page.field("token");
    let (email, password) = (kept.text("/member/email"), kept.text("/member/password"));
    let fields = [("token", token.as_str()), ("email", email), ("password", password)];
    assert_eq!(browser.post("/login", &fields).await.status, 303);
    let keys = browser.get("/integrations/keys").await;
    assert_eq!(keys.status, 200);
    for name in ["Shop", "Partner CRM"] {
        assert!(keys.text.contains(name), "{name} in {}", keys.text);
    }
}

/// A contact that was known by its number is found by every id.
async fn people_are_known(kept: &KeptDatabase) {
    let KeptDatabase { world, known, .. } = kept;
    let history = "/api/v1/conversations/history";
    let answers = known["answers"].as_object().unwrap();
    let (path, before) = answers.iter().find(|(path, _)| path.starts_with(history)).unwrap();
    let now = world.get(path, &world.key).await;
    let contact = &now.body["conversation"]["contact"];
    assert!(contact["phone_number"].is_string() && contact["channel_user_id"].is_null());
    for (name, id) in [
        ("contact_id", &before["data"][0]["contact_id"]),
        ("conversation_id", &before["data"][0]["conversation_id"]),
    ] {
        let named = world.post(history, &world.key, &json!({(name): id, "limit": 100})).await;
        assert_eq!(named.body["pagination"]["total"], now.body["pagination"]["total"], "{name}");
    }
}

async fn everything_works(folder: &Path, kind: &str) {
    all_of_it_works(&KeptDatabase::open(folder, kind).await).await;
}

async fn all_of_it_works(kept: &KeptDatabase) {
    the_answers_are_the_same(kept).await;
    people_are_known(kept).await;
    network::reports_are_known(kept).await;
    the_keys_work(kept).await;
    what_waited_goes_out(kept).await;
    network::what_was_held_goes_out(kept).await;
    the_member_signs_in(kept).await;
}

/// Returns the folders of all kept versions, oldest first.
fn versions() -> Vec<PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept_databases");
    let entries = std::fs::read_dir(folders).unwrap().map(Result::unwrap);
    // Each folder is named after its day.
    let is_version = |it: &DirEntry| it.file_name().to_string_lossy().starts_with("20");
    let mut folders: Vec<PathBuf> = entries.filter(is_version).map(|it| it.path()).collect();
    folders.sort();
    assert!(folders.len() >= 2, "{folders:?}");
    folders
}

/// The versions run one after another, because the pending events of all go to the same address.
async fn every_version_works(kind: &str) {
    for folder in versions() {
        println!("{}", folder.display());
        everything_works(&folder, kind).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kept_database_works_on_sqlite() {
    every_version_works("sqlite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kept_database_works_on_postgres() {
    every_version_works("postgres").await;
}
