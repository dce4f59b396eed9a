//! A server that is killed while it sends messages to Twilio (`docs/security.md`, What is
//! promised), and the doctor's findings on the Twilio account.

use crate::credentials::with_credentials;
use crate::operators::doctor::examine;
use crate::operators::{admin, prepare};
use crate::world::twilio::{ACCOUNT, Accepted, TOKEN, Twilio};
use crate::world::{Answer, Database, Pair, Process, World, client, free_port};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const PEOPLE: usize = 20;
const EACH: usize = 10;

/// Returns the server's settings for Twilio as environment variables.
fn variables(url: &str) -> [(&'static str, String); 6] {
    [
        ("SWITCHBOARD_TWILIO_URL", url.to_owned()),
        ("SWITCHBOARD_TWILIO_CONTENT_URL", url.to_owned()),
        ("SWITCHBOARD_TWILIO_ACCOUNT_SID", ACCOUNT.to_owned()),
        ("SWITCHBOARD_TWILIO_AUTH_TOKEN", TOKEN.to_owned()),
        ("SWITCHBOARD_BASE_URL", "https://api.example.com".to_owned()),
        ("SWITCHBOARD_ENCRYPTION_KEY", "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE=".to_owned()),
    ]
}

/// Connects an account at Twilio as its organization's default, like an operator does.
async fn connect(url: &str) -> Pair {
    let key = prepare(url).await;
    let number = ["account", "connect", "--organization", "Bakery", "--channel", "twilio"];
    let more = ["--phone-number", "+12025550180", "--display-name", "Bakery", "--default"];
    let made = admin(url, &[&number[..], &more].concat()).await;
    assert_eq!(made["channel"], "twilio");
    key
}

async fn send(process: &Process, key: &Pair, of: usize, round: usize) -> String {
    let to = format!("+1202556{of:04}");
    let body = json!({"type": "text", "phone_number": to, "text": round.to_string()});
    let request = client().post(format!("{}/api/v1/messages", process.base)).json(&body);
    let answer = Answer::of(with_credentials(request, key)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.text_of("id")
}

/// Waits for messages that another process sends.
async fn until(twilio: &Twilio, ready: impl Fn(&BTreeSet<String>) -> bool) {
    for _ in 0..2_400 {
        let arrived = twilio.accepted().iter().map(Accepted::message_id).collect();
        if ready(&arrived) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process works
    }
    panic!("{} arrived within two minutes", twilio.accepted().len());
}

async fn killed_while_it_hands_over(url: &str) {
    let twilio = Twilio::start().await;
    let key = connect(url).await;
    let variables = variables(&twilio.url());
    let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    // Given a server that is killed several times while it sends,
    let mut sent = vec![Vec::new(); PEOPLE];
    for round in 0..EACH {
        let process = Process::serve_with(url, free_port(), &variables).await;
        for (of, ids) in sent.iter_mut().enumerate() {
            ids.push(send(&process, &key, of, round).await);
        }
        if round % 3 == 0 {
            until(&twilio, |arrived| arrived.len() > round * PEOPLE / 2).await;
        }
        process.kill().await;
    }
    // when it is started once more, then every accepted message arrives,
    let process = Process::serve_with(url, free_port(), &variables).await;
    until(&twilio, |arrived| arrived.len() == PEOPLE * EACH).await;
    // in order within each conversation.
    let (mut arrived, mut seen) = (BTreeMap::<String, Vec<String>>::new(), BTreeSet::new());
    for accepted in twilio.accepted() {
        if seen.insert(accepted.message_id()) {
            let to = accepted.field("To").to_owned();
            arrived.entry(to).or_default().push(accepted.message_id());
        }
    }
    for (of, ids) in sent.into_iter().enumerate() {
        assert_eq!(arrived[&format!("whatsapp:+1202556{of:04}")], ids);
    }
    assert_eq!(twilio.violations(), Vec::<String>::new());
    process.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_message_is_lost_when_a_server_on_sqlite_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    killed_while_it_hands_over(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_message_is_lost_when_a_server_on_postgres_is_killed() {
    let world = World::on_postgres().await;
    killed_while_it_hands_over(world.database_url()).await;
}

async fn each_fault_of_the_account_is_found(database: Database) {
    let twilio = Twilio::start().await;
    connect(&database.url).await;
    let mut usual = variables(&twilio.url()).to_vec();
    usual.push(("SWITCHBOARD_DATABASE_URL", database.url.clone()));
    let look = async |other: &[(&str, &str)]| {
        let usual = usual.iter().map(|(name, value)| (*name, value.as_str()));
        let kept = usual.filter(|(name, _)| other.iter().all(|(it, _)| it != name));
        let all: Vec<_> = kept.chain(other.iter().copied()).collect();
        examine(database.folder.path(), &all).await
    };
    let found = look(&[]).await;
    found.says("ok", &["SWITCHBOARD_TWILIO_ACCOUNT_SID", "works"]);
    found
        .says("ok", &["numbers", "+12025550180", "https://api.example.com/channel/twilio/webhook"]);
    let found = look(&[("SWITCHBOARD_TWILIO_AUTH_TOKEN", "hunter2")]).await;
    found.says("failed", &["SWITCHBOARD_TWILIO_AUTH_TOKEN", "Authenticate", "console"]);
    let found = look(&[("SWITCHBOARD_TWILIO_AUTH_TOKEN", "")]).await;
    found.says("failed", &["SWITCHBOARD_TWILIO_AUTH_TOKEN", "not set"]);
    let found = look(&[("SWITCHBOARD_TWILIO_ACCOUNT_SID", "AC1")]).await;
    found.says("failed", &["twilio_account_sid", "32 hexadecimal digits"]);
    twilio.set_status("suspended");
    look(&[]).await.says("failed", &["SWITCHBOARD_TWILIO_ACCOUNT_SID", "suspended"]);
    assert_eq!(twilio.violations(), Vec::<String>::new());
    assert_eq!(twilio.accepted(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_asks_about_the_account_on_sqlite() {
    each_fault_of_the_account_is_found(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_asks_about_the_account_on_postgres() {
    each_fault_of_the_account_is_found(Database::postgres().await).await;
}
