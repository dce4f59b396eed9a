//! Giving contacts the names in a CSV file.

use super::{program, without_first_answer};
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The file of a spreadsheet program: with a byte order mark, semicolons and quotes.
const PEOPLE: &str = "\u{feff}phone_number;name;opted_out\r\n\
    +1 202-555-0171;Ada Lovelace;\r\n\
    +12025550172;\"Hopper; Grace\";x\r\n\
    +12025550173;Barbara Liskov;yes\r\n\
    +12025550174;;no\r\n\
    +12025550175;Nobody Yet;\r\n\
    nobody;Nobody;\r\n\
    12025550171;Another Ada;\r\n";

fn start(base: &str, key: &Pair, people: &Path, report: &Path) -> Child {
    let mut command = Command::new("python3");
    command.arg(program("import_contacts.py")).arg(people).arg("--report").arg(report);
    command
        .env("SWITCHBOARD", base)
        .env("SWITCHBOARD_CLIENT_ID", &key.client_id)
        .env("SWITCHBOARD_CLIENT_SECRET", &key.client_secret)
        .env_remove("http_proxy");
    command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
}

/// Runs the program to its end. Returns the numbers of results, and the report without its heads.
async fn import(world: &World, people: &Path, report: &Path) -> (Value, Vec<String>) {
    let output = start(&world.base, &world.key, people, report).wait_with_output().await.unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let report = std::fs::read_to_string(report).unwrap();
    let lines = report.strip_prefix("line,phone_number,name,opted_out,result,opt_out,detail\r\n");
    let lines = lines.expect("heads").lines().map(str::to_owned).collect();
    (serde_json::from_str(printed.lines().last().unwrap()).unwrap(), lines)
}

async fn send_to(world: &World, phone_number: &str) -> String {
    let body = json!({"type": "text", "phone_number": phone_number, "text": "Hello"});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    sent.text_of("contact_id")
}

async fn name_of(world: &World, contact: &str) -> Value {
    let answer = world.get(&format!("/api/v1/contacts/{contact}"), &world.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["name"].clone()
}

async fn each_line_has_its_result_whatever_interrupts(world: World) {
    // Given people who were written to, of whom one has opted out,
    let mut contacts = Vec::new();
    for last in 1..=4 {
        contacts.push(send_to(&world, &format!("+1202555017{last}")).await);
    }
    let stop = json!({"phone_number": "+12025550172", "text": "STOP"});
    let stopped = world.post("/api/v1/sandbox/inbound", &world.key, &stop).await;
    assert_eq!(stopped.status, 201, "{}", stopped.text);
    world.live_through(Duration::from_secs(1)).await;
    // and a key with five requests a minute,
    let scopes = [Scope::ConversationsRead, Scope::ConversationsWrite];
    let key = world.key_with(world.organization, &scopes, None, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let (people, report) = (folder.path().join("people.csv"), folder.path().join("report.csv"));
    std::fs::write(&people, PEOPLE).unwrap();

    // when the first request gets no answer,
    let base = without_first_answer(&world.base).await;
    // the program is killed while it waits for the rate limit,
    let mut interrupted = start(&base, &key, &people, &report);
    let mut printed = BufReader::new(interrupted.stdout.take().unwrap()).lines();
    let line = printed.next_line().await.unwrap().expect("a line");
    assert!(line.starts_with("429, waiting for ") && line.ends_with(" s"), "{line}");
    interrupted.kill().await.unwrap();
    assert_eq!(std::fs::read_to_string(&report).unwrap().lines().count(), 3);
    // and what it had named gets another name before it is started again,
    let path = format!("/api/v1/contacts/{}", contacts[0]);
    let request =
        world.request(Method::PATCH, &path, &world.key).json(&json!({"name": "Countess"}));
    assert_eq!(Answer::of(request).await.body["name"], "Countess");
    let (counts, lines) = import(&world, &people, &report).await;

    // then each line has its result,
    let expected = json!({"duplicate": 1, "found": 1, "invalid": 1, "named": 3, "unknown": 1});
    assert_eq!(counts, expected);
    let page = format!("{}/contacts/{}", world.base, contacts[2]);
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], "2,+1 202-555-0171,Ada Lovelace,,named,,");
    assert_eq!(lines[1], "3,+12025550172,Hopper; Grace,x,named,recorded,");
    assert_eq!(lines[2], format!("4,+12025550173,Barbara Liskov,yes,named,not recorded,{page}"));
    assert_eq!(lines[3], "5,+12025550174,,no,found,,");
    assert_eq!(lines[4], "6,+12025550175,Nobody Yet,,unknown,,");
    let detail = lines[5].strip_prefix("7,nobody,Nobody,,invalid,,").expect(&lines[5]);
    assert!(detail.len() > 10, "{detail}");
    assert_eq!(lines[6], "8,12025550171,Another Ada,,duplicate,,");
    // and nothing was done twice.
    assert_eq!(name_of(&world, &contacts[0]).await, "Countess");
    assert_eq!(name_of(&world, &contacts[1]).await, "Hopper; Grace");
    assert_eq!(name_of(&world, &contacts[2]).await, "Barbara Liskov");
    assert_eq!(name_of(&world, &contacts[3]).await, Value::Null);

    // When the unknown person is written to, then the next run names them, and no other line changes.
    let contact = send_to(&world, "+12025550175").await;
    let (_, again) = import(&world, &people, &report).await;
    assert_eq!(name_of(&world, &contact).await, "Nobody Yet");
    assert_eq!(again[4], "6,+12025550175,Nobody Yet,,named,,");
    let others = |lines: &[String]| [&lines[..4], &lines[5..]].concat();
    assert_eq!(others(&again), others(&lines));
    assert_eq!(name_of(&world, &contacts[0]).await, "Countess");
}

async fn a_torn_report_is_repaired(world: World) {
    // Given the report of an import, in which a name that is refused has a line break,
    let mut contacts = Vec::new();
    for last in 1..=2 {
        contacts.push(send_to(&world, &format!("+1202555018{last}")).await);
    }
    let folder = tempfile::tempdir().unwrap();
    let (people, report) = (folder.path().join("people.csv"), folder.path().join("report.csv"));
    let lines = "+12025550181,Ada Lovelace,\n+12025550182,\"Grace\nHopper\",\n";
    std::fs::write(&people, format!("phone_number,name,opted_out\n{lines}")).unwrap();
    let (counts, _) = import(&world, &people, &report).await;
    assert_eq!(counts, json!({"named": 1, "invalid": 1}));
    let whole = std::fs::read_to_string(&report).unwrap();
    let second = whole.find("4,+12025550182").expect(&whole);

    // when it ends within its last line, at the line break of the name, within the end of the line,
    // or within the heads, and the contact of the first line has another name by now,
    let path = format!("/api/v1/contacts/{}", contacts[0]);
    let request =
        world.request(Method::PATCH, &path, &world.key).json(&json!({"name": "Countess"}));
    assert_eq!(Answer::of(request).await.status, 200);
    let line_break = second + whole[second..].find("Grace\n").unwrap() + "Grace\n".len();
    for kept in [whole.len() - 1, whole.len() - 2, line_break, second + 4] {
        std::fs::write(&report, &whole[..kept]).unwrap();
        let (counts, _) = import(&world, &people, &report).await;

        // then the next run does that line again, and no other.
        assert_eq!(counts, json!({"named": 1, "invalid": 1}), "{kept} bytes kept");
        assert_eq!(std::fs::read_to_string(&report).unwrap(), whole, "{kept} bytes kept");
        assert_eq!(name_of(&world, &contacts[0]).await, "Countess", "{kept} bytes kept");
    }
    std::fs::write(&report, &whole[..10]).unwrap();
    let (counts, _) = import(&world, &people, &report).await;
    assert_eq!(counts, json!({"named": 1, "invalid": 1}));
    assert_eq!(std::fs::read_to_string(&report).unwrap(), whole);
    assert_eq!(name_of(&world, &contacts[0]).await, "Ada Lovelace");
}

on_both_databases! {
    each_line_has_its_result_whatever_interrupts,
    a_torn_report_is_repaired,
}
