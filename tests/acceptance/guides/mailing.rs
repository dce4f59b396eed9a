//! Sending to 10,000 people.

use super::{program, without_first_answer};
use crate::world::{Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

const TEMPLATES: &str = "/api/v1/templates";

/// The program that sends to many, while it runs.
struct Mailing {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Mailing {
    async fn start(base: &str, key: &Pair, journal: &Path, people: &str) -> Self {
        let mut child = Command::new("python3")
            .arg(program("send_to_many.py"))
            .args(["--template", "ready", "--language", "en", "--journal"])
            .arg(journal)
            .env("SWITCHBOARD", base)
            .env("SWITCHBOARD_CLIENT_ID", &key.client_id)
            .env("SWITCHBOARD_CLIENT_SECRET", &key.client_secret)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(people.as_bytes()).await.unwrap();
        drop(stdin);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        self.lines.next_line().await.unwrap().expect("a line")
    }

    /// Returns the last line, which has the numbers of results.
    async fn counts(mut self) -> Value {
        let mut last = String::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            last = line;
        }
        assert!(self.child.wait().await.unwrap().success());
        serde_json::from_str(&last).unwrap()
    }
}

/// Returns the references of all messages.
async fn references(world: &World) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/v1/messages?direction=outbound&limit=100{after}");
        let listed = world.get(&path, &world.key).await;
        assert_eq!(listed.status, 200, "{}", listed.text);
        let data = listed.body["data"].as_array().unwrap();
        found.extend(data.iter().map(|it| it["client_ref"].as_str().unwrap().to_owned()));
        if listed.body["has_more"] == false {
            break;
        }
        after = format!("&after={}", listed.body["next_after"].as_str().unwrap());
    }
    found
}

/// Creates the template of the mailing, and waits for its approval.
async fn approve_template(world: &World) {
    let body = json!({
        "name": "ready", "language": "en", "category": "utility",
        "components": [{"type": "BODY", "text": "Your order is ready."}],
    });
    let made = world.post(TEMPLATES, &world.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world.live_through(Duration::from_secs(2)).await;
}

async fn many_people_get_it_once_whatever_interrupts(world: World) {
    // Given a template, a list with a wrong number and one twice, and a key with a rate limit,
    approve_template(&world).await;
    let key = world.key_with(world.organization, Scope::ALL, None, 120).await;
    let numbers = (0..150).map(|it| format!("+1202555{it:04}\n"));
    let people = numbers.collect::<String>() + "nobody\n\n+12025550007\n";
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("july.jsonl");

    // when the first request gets no answer,
    let base = without_first_answer(&world.base).await;
    // the program is killed while it waits for the rate limit, and started again later,
    let mut mailing = Mailing::start(&base, &key, &journal, &people).await;
    assert_eq!(mailing.line().await, "100 of 100 accepted");
    assert_eq!(mailing.line().await, "20 of 51 accepted");
    assert!(mailing.line().await.starts_with("the rate limit is reached"));
    mailing.child.kill().await.unwrap();
    // and the results of the first batch were lost,
    let text = std::fs::read_to_string(&journal).unwrap();
    let mut entries: Vec<&str> = text.lines().collect();
    assert_eq!(entries.len(), 4);
    entries.remove(1);
    std::fs::write(&journal, entries.join("\n") + "\n").unwrap();
    world.advance(Duration::from_mins(2));
    let mailing = Mailing::start(&world.base, &key, &journal, &people).await;

    // then each person got it once, and the wrong number is known.
    assert_eq!(mailing.counts().await, json!({"accepted": 150, "validation_failed": 1}));
    let sent = references(&world).await;
    assert_eq!(sent.len(), 150);
    assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), 150);
    // A third run has nothing to do.
    let mailing = Mailing::start(&world.base, &key, &journal, &people).await;
    mailing.counts().await;
    assert_eq!(references(&world).await.len(), 150);
}

async fn a_torn_journal_is_repaired_and_nobody_gets_it_twice(world: World) {
    // Given the journal of a mailing in two batches, with a line for each request and each answer,
    approve_template(&world).await;
    let people: Vec<String> = (0..101).map(|it| format!("+1202555{it:04}\n")).collect();
    let people = people.concat();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("july.jsonl");
    let mailing = Mailing::start(&world.base, &world.key, &journal, &people).await;
    assert_eq!(mailing.counts().await, json!({"accepted": 101}));
    let whole = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(whole.lines().count(), 4, "{whole}");

    // when it ends in the middle of a line, or only the end of that line is missing,
    let mut begin = 0;
    for line in whole.split_inclusive('\n') {
        for kept in [begin + line.len() / 2, begin + line.len() - 1] {
            std::fs::write(&journal, &whole[..kept]).unwrap();
            let mailing = Mailing::start(&world.base, &world.key, &journal, &people).await;
            assert_eq!(mailing.counts().await, json!({"accepted": 101}), "{kept} bytes kept");

            // then the next run repairs it, repeats what is missing with the same keys,
            assert_eq!(std::fs::read_to_string(&journal).unwrap(), whole, "{kept} bytes kept");
        }
        begin += line.len();
    }
    // and each person got it once.
    let sent = references(&world).await;
    assert_eq!(sent.len(), 101);
    assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), 101);
}

on_both_databases! {
    many_people_get_it_once_whatever_interrupts,
    a_torn_journal_is_repaired_and_nobody_gets_it_twice,
}
