//! The cost of an unauthenticated request: at most one millisecond of processor time, at most one
//! write, and no row.

use super::{
    Browser, EMAIL, PASSWORD, Partner, REDIRECT, create_member, exchange_code, obtain_code,
    query_parameter,
};
use crate::operators::{admin, prepare};
use crate::world::rows::{Rows, rows};
use crate::world::{Process, World, free_port, on_both_databases};
use serde_json::json;
use service::applications::CreatedApplication;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Registers an application with the command line.
async fn register_application(database_url: &str) -> Partner {
    let create = ["application", "create", "--organization", "Bakery", "--name", "CRM"];
    let terms = ["--redirect-uri", REDIRECT, "--scopes", "messages.send,conversations.read"];
    let made = admin(database_url, &[&create[..], &terms[..]].concat()).await;
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    let application = CreatedApplication {
        id: text("id"),
        name: text("name"),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        redirect_uris: Vec::new(),
        scopes: Vec::new(),
        published: false,
    };
    Partner { application }
}

/// Returns the tables that have more rows than before.
fn grown_tables(before: &Rows, after: &Rows) -> Vec<(String, i64)> {
    let more = after.iter().map(|(table, count)| (table.clone(), count - before[table]));
    more.filter(|(_, more)| *more != 0).collect()
}

async fn visitors_who_are_not_signed_in_create_no_rows(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let before = rows(&world).await;
    let long = "x".repeat(10_000);
    for asks in [
        partner.asks(&[]),
        partner.asks(&[("display", Some("popup"))]),
        partner.asks(&[("state", Some(&long))]),
        partner.asks(&[("scope", None)]),
    ] {
        for _ in 0..5 {
            // Given a browser without a session that opens each public page
            let mut browser = Browser::new(&world);
            let to = browser.get(&asks).await.location().to_owned();
            assert!(to.starts_with("/login?consent="), "{to}");
            let page = browser.get(&to).await;
            assert_eq!(page.status, 200);
            browser.get("/").await;
            browser.get("/integrations/keys").await;
            browser.get("/connect/consent/cns_01m7zs9ngmesw9fk71t8jmhfep").await;

            // and tries a wrong password,
            let (token, consent) = (page.field("token"), page.field("consent"));
            let fields = [
                ("token", token.as_str()),
                ("consent", &consent),
                ("email", EMAIL),
                ("password", "wrong"),
            ];
            browser.post("/login", &fields).await;
        }
    }
    exchange_code(&world, &json!({"code": "x"})).await;

    // then no table has more rows.
    assert_eq!(grown_tables(&before, &rows(&world).await), []);
}

async fn a_sealed_request_works_once_and_only_in_its_browser(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let to = browser.get(&partner.asks(&[])).await.location().to_owned();
    let page = browser.get(&to).await;
    let (token, consent) = (page.field("token"), page.field("consent"));
    let fields = [
        ("token", token.as_str()),
        ("consent", &consent),
        ("email", EMAIL),
        ("password", PASSWORD),
    ];

    // Another browser that opens the same URL and signs in does not get the consent,
    let mut other = Browser::new(&world);
    other.get(&to).await;
    assert_eq!(other.sign_in(&to).await.location(), "/");

    // nor does one with a changed parameter.
    let mut changed = browser.clone();
    let end = if consent.ends_with('A') { "B" } else { "A" };
    let wrong = format!("{}{end}", &consent[..consent.len() - 1]);
    let page = changed.get(&format!("/login?consent={wrong}")).await;
    assert!(!page.text.contains("name=\"consent\""), "{}", page.text);

    // A form that is sent twice leads to one consent.
    let mut twin = browser.clone();
    let first = browser.post("/login", &fields).await.location().to_owned();
    let second = twin.post("/login", &fields).await.location().to_owned();
    assert!(first.starts_with("/connect/consent/cns_"), "{first}");
    assert_eq!(browser.get(&first).await.status, 200);
    assert_eq!(twin.get(&second).await.status, 410, "{second}");
    let page = browser.get(&first).await;
    let sent = browser.allow(&first, &page).await;
    assert!(query_parameter(sent.location(), "code").is_some(), "{}", sent.location());
}

async fn a_sealed_request_expires_after_ten_minutes(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let to = browser.get(&partner.asks(&[])).await.location().to_owned();
    world.advance(Duration::from_secs(10 * 60 - 1));
    assert!(browser.get(&to).await.text.contains("Partner CRM"));
    world.advance(Duration::from_secs(2));
    assert!(!browser.get(&to).await.text.contains("Partner CRM"));
}

async fn an_authorize_request_continues_after_sign_in_in_another_tab(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    // Given an authorize request that waits in one tab while the member signs in in another
    // tab,
    let to = browser.get(&partner.asks(&[])).await.location().to_owned();
    assert_eq!(browser.sign_in("/login").await.location(), "/");

    // when the first tab is reloaded, then the member sees the consent.
    let on = browser.get(&to).await.location().to_owned();
    assert!(browser.get(&on).await.text.contains("Connect Partner CRM"), "{on}");
}

async fn an_exchange_with_many_codes_consumes_them_in_one_write(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (one, other) =
        (obtain_code(&mut browser, &partner).await, obtain_code(&mut browser, &partner).await);
    let form = |body: String| {
        let request = world.http.post(format!("{}/connect/token", world.base)).body(body);
        request.header("content-type", "application/x-www-form-urlencoded")
    };
    let answer = crate::world::Answer::of(form(format!("code={one}&code={other}"))).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.text_of("error"), "invalid_request".to_owned());
    for code in [one, other] {
        let answer = exchange_code(&world, &partner.exchange(&code)).await;
        assert_eq!(answer.text_of("error"), "invalid_grant", "it is burnt");
    }
}

/// A server whose processor time is measured while unauthenticated clients send requests.
struct Target {
    process: Process,
    address: String,
}

impl Target {
    /// Returns the processor time of the process so far.
    fn used(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let ticks = fields.split_whitespace().skip(11).take(2).map(|it| it.parse::<u64>().unwrap());
        Duration::from_millis(ticks.sum::<u64>() * 10)
    }

    /// Sends a request. Returns the number of bytes of the answer.
    async fn send(&self, request: &str) -> usize {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&answer));
        answer.len()
    }

    /// Returns the average cost of `requests` requests.
    async fn costs(&self, request: &str, requests: u32) -> Duration {
        self.send(request).await;
        let before = self.used();
        for _ in 0..requests {
            self.send(request).await;
        }
        self.used().checked_sub(before).unwrap() / requests
    }
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n")
}

fn post(path: &str, content_type: &str, body: &str, headers: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Joins `count` results of `make` with `joint`.
fn join_many(count: usize, joint: &str, make: impl Fn(usize) -> String) -> String {
    let mut all = String::new();
    for number in 0..count {
        let _ = write!(all, "{}{}", if number == 0 { "" } else { joint }, make(number));
    }
    all
}

const FORM: &str = "application/x-www-form-urlencoded";

fn requests(client_id: &str) -> Vec<(&'static str, String)> {
    let names = join_many(12_000, "&", |number| number.to_string());
    let redirect = super::percent_encode(REDIRECT);
    let known = format!("client_id={client_id}&redirect_uri={redirect}");
    let json_names = format!("{{{}}}", join_many(5_000, ",", |number| format!("\"{number}\":1")));
    let codes = join_many(9_000, "&", |number| format!("code={}", number % 10));
    let nested = format!("{{\"code\":[{}]}}", join_many(30_000, ",", |_| "0".to_owned()));
    let fields = join_many(12_000, "&", |number| format!("f{}=1", number % 10));
    let cookies = join_many(12_000, "; ", |number| format!("c{number}=1"));
    let kinds = join_many(20_000, ",", |_| "a/b".to_owned());
    let tags = join_many(15_000, ",", |_| "\"a\"".to_owned());
    let hops = join_many(8_000, ",", |_| "127.0.0.1".to_owned());
    let accept = format!("Accept: {kinds}\r\n");
    let (form, json) = (FORM, "application/json");
    vec![
        ("authorize, names", get(&format!("/connect/authorize?{names}"), "")),
        ("authorize, known, names", get(&format!("/connect/authorize?{known}&{names}"), "")),
        (
            "authorize, state",
            get(&format!("/connect/authorize?{known}&state={}", "x".repeat(60_000)), ""),
        ),
        ("token, names", post("/connect/token", form, &names, "")),
        ("token, codes", post("/connect/token", form, &codes, "")),
        ("token, JSON names", post("/connect/token", json, &json_names, "")),
        ("token, JSON list", post("/connect/token", json, &nested, "")),
        ("sign-in form", post("/login", form, &fields, "")),
        ("consent form", post("/connect/consent/x", form, &fields, "")),
        ("sign-in page, query", get(&format!("/login?{names}"), "")),
        ("sign-in page, sealed", get(&format!("/login?consent={}", "A".repeat(60_000)), "")),
        ("cookies", get("/login", &format!("Cookie: {cookies}\r\n"))),
        ("accept", get("/docs", &accept)),
        (
            "docs, query",
            get(&format!("/docs?{names}"), "Accept: text/markdown\r\nIf-None-Match: *\r\n"),
        ),
        ("if-none-match", get("/docs", &format!("If-None-Match: {tags}\r\n"))),
        (
            "range",
            get(
                "/media/med_01h2xcejqtf2nbrexx3vqjhp41/a",
                &format!("Range: bytes={}\r\n", join_many(8_000, ",", |_| "0-1".to_owned())),
            ),
        ),
        ("forwarded", post("/login", form, "email=a", &format!("X-Forwarded-For: {hops}\r\n"))),
        ("webhook check", get(&format!("/channel/cloud/webhook?{names}"), "")),
        (
            "webhook",
            post("/channel/cloud/webhook", json, &json_names, "X-Hub-Signature-256: sha256=00\r\n"),
        ),
        ("no such path", get(&format!("/{}", "a/".repeat(25_000)), "")),
        ("no such path, accept", get("/nowhere", &accept)),
        ("api", get(&format!("/api/v1/messages/{}?{names}", "a".repeat(40_000)), "")),
        ("button", get(&format!("/connect/button.js?{names}"), "")),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unauthenticated_request_costs_little() {
    // The program of the tests is not optimized, and machines differ.
    const MOST: Duration = Duration::from_micros(1500);
    // What it takes to copy an answer to the socket, for the reference, which has more than a megabyte.
    const MOST_PER_MEGABYTE: Duration = Duration::from_micros(500);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    prepare(&url).await;
    let partner = register_application(&url).await;
    let variables = [
        ("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("SWITCHBOARD_GRAPH_APP_SECRET", "secret"),
        ("SWITCHBOARD_GRAPH_VERIFY_TOKEN", "token"),
    ];
    let process = Process::serve_with(&url, free_port(), &variables).await;
    let address = process.base.strip_prefix("http://").unwrap().to_owned();
    let target = Target { process, address };
    let mut dear = Vec::new();
    let requests = requests(&partner.application.client_id);
    // Values that are created once and kept are created now.
    target.send(&get("/docs", "")).await;
    target.send(&get("/docs.md", "")).await;
    for (name, request) in requests {
        // An expensive request needs few repetitions and a cheap one many, because the system
        // counts in hundredths of a second.
        let few = target.costs(&request, 5).await;
        let cost = if few > MOST * 20 { few } else { target.costs(&request, 200).await };
        println!("{name}: {cost:?}");
        let bytes = u32::try_from(target.send(&request).await).unwrap();
        if cost > MOST + MOST_PER_MEGABYTE * bytes / 1_000_000 {
            dear.push((name, cost));
        }
    }
    assert!(dear.is_empty(), "{dear:?}");
}

on_both_databases! {
    visitors_who_are_not_signed_in_create_no_rows,
    a_sealed_request_works_once_and_only_in_its_browser,
    a_sealed_request_expires_after_ten_minutes,
    an_authorize_request_continues_after_sign_in_in_another_tab,
    an_exchange_with_many_codes_consumes_them_in_one_write,
}
