//! The demo, and the health and metrics of a server.

use super::{ME, Output, SEND, call, folder, get, prepare};
use crate::browser::{Browser, Engine, Setup, Shade, look_in, until};
use crate::webhooks::endpoint_owner;
use crate::webhooks::receiver::Receiver;
use crate::world::{Database, DirectConnection, Pair, World, client, free_port, switchboard};
use domain::webhook::Selection;
use reqwest::Method;
use serde_json::{Value, json};
use service::endpoints::{self, EndpointInput};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

/// A running `serve --demo`, with everything that it printed before it waited for calls.
struct Demo {
    printed: Vec<String>,
    child: Child,
}

impl Demo {
    async fn start(url: &str) -> Self {
        let bind = format!("127.0.0.1:{}", free_port());
        let metrics = format!("127.0.0.1:{}", free_port());
        let arguments =
            ["serve", "--demo", "--bind", &bind, "--metrics-bind", &metrics, "--database-url", url];
        let mut child =
            switchboard(&arguments).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut printed = Vec::new();
        let until_the_last = async {
            while let Ok(Some(line)) = lines.next_line().await {
                let last = line.contains("Open http");
                printed.push(line);
                if last {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), until_the_last).await.expect("it prints");
        Self { printed, child }
    }

    /// Kills the demo, and waits until it has released its database.
    async fn end(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Returns the printed line that contains this text.
    fn line(&self, holding: &str) -> String {
        let found = self.printed.iter().map(|line| line.trim());
        let mut found = found.filter(|line| line.starts_with("curl ") && line.contains(holding));
        found.next().unwrap_or_else(|| panic!("{holding} in {:?}", self.printed)).to_owned()
    }

    fn after(&self, name: &str, label: &str) -> String {
        let rest = self.printed.iter().skip_while(|line| !line.contains(name));
        let mut found = rest.filter_map(|line| line.trim().strip_prefix(label));
        found.next().unwrap_or_else(|| panic!("{label} of {name}")).trim().to_owned()
    }

    fn pair(&self, name: &str) -> Pair {
        let (id, secret) = (self.after(name, "client_id"), self.after(name, "client_secret"));
        Pair { client_id: id, client_secret: secret }
    }

    /// Returns a browser in which the member of the first organization is signed in.
    async fn sign_in(&self) -> crate::connect::Browser {
        platform::outbound::provide_cryptography();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let mut browser = crate::connect::Browser::with(http.build().unwrap(), &self.base());
        let token = browser.get("/login").await.field("token");
        let email = self.after("Demo Bakery", "member");
        let form =
            [("token", token.as_str()), ("email", email.as_str()), ("password", "demo-password")];
        assert_eq!(browser.post("/login", &form).await.status, 303);
        browser
    }

    /// Returns the items of a list of the first organization.
    async fn list(&self, path: &str) -> Vec<Value> {
        let answer = call(Method::GET, &self.base(), path, &self.pair("Demo Bakery"), None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["data"].as_array().unwrap().clone()
    }

    fn base(&self) -> String {
        let line = self.line("/api/v1/messages ");
        let url = line.split(' ').find(|word| word.starts_with("http")).expect("an address");
        url.trim_end_matches("/api/v1/messages").to_owned()
    }
}

/// The demo prints the dashboard's address, and its application does not belong to the organization
/// that connects it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_prints_where_the_dashboard_is() {
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    let line = demo.printed.iter().find_map(|line| line.trim().strip_prefix("Go to ")).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let (dashboard, email, password) = (words[0], words[5], words[7]);
    assert_eq!(dashboard, demo.base(), "the browser and the lines to paste have one address");
    assert!(dashboard.starts_with("http://localhost:"), "{dashboard}");
    platform::outbound::provide_cryptography();
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let mut browser = crate::connect::Browser::with(http.build().unwrap(), dashboard);
    let login = browser.get("/login").await.field("token");
    let form = [("token", login.as_str()), ("email", email), ("password", password)];
    assert_eq!(browser.post("/login", &form).await.location(), "/");
    let apps = browser.get("/integrations/apps").await;
    assert!(apps.text.contains("Published by Demo Software"), "{}", apps.text);
    assert!(browser.get("/integrations/applications").await.text.contains("No apps yet"));
}

/// `serve` prints the address that a browser opens: a setup link while no member exists.
#[tokio::test]
async fn a_server_prints_the_address_to_open() {
    let (_folder, url) = folder();
    let mut printed = std::collections::BTreeSet::new();
    for members in [false, true] {
        if members {
            prepare(&url).await;
            let create = [
                "admin",
                "member",
                "create",
                "--organization",
                "Bakery",
                "--email",
                "ada@bakery.example",
            ];
            let more = ["--name", "Ada", "--password-stdin", "--database-url", &url];
            let mut command = switchboard(&[&create[..], &more].concat());
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(b"correct horse battery").await.unwrap();
            assert!(child.wait().await.unwrap().success());
        }
        for (base_url, shown) in [("", None), ("https://sb.example", Some("https://sb.example"))] {
            let port = free_port();
            let bind = format!("127.0.0.1:{port}");
            let metrics = format!("127.0.0.1:{}", free_port());
            let mut arguments =
                vec!["serve", "--bind", &bind, "--metrics-bind", &metrics, "--database-url", &url];
            if !base_url.is_empty() {
                arguments.extend(["--base-url", base_url]);
            }
            let mut child =
                switchboard(&arguments).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
            let line = tokio::time::timeout(Duration::from_secs(20), output.next_line()).await;
            let line = line.expect("it prints").unwrap().unwrap();
            let shown = shown.map_or_else(|| format!("http://localhost:{port}"), str::to_owned);
            if members {
                assert_eq!(line, format!("Open {shown} in a browser."));
            } else {
                let address = line.strip_prefix("Open ").unwrap();
                assert!(address.starts_with(&format!("{shown}/setup/")), "{line}");
                assert!(printed.insert(address.to_owned()), "each start prints a new address");
                let to = address.replacen(&shown, &format!("http://127.0.0.1:{port}"), 1);
                let page = client().get(to).send().await.unwrap();
                assert_eq!(page.status(), 200);
            }
            child.kill().await.unwrap();
        }
    }
}

/// A newcomer opens the demo's partner application and goes through the whole handshake in a
/// browser.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newcomer_clicks_through_connect_with_the_demos_partner() {
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    let line = demo.printed.iter().find_map(|line| line.trim().strip_prefix("Open ")).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let (partner, email, password) = (words[0], words[5], words[7]);
    let browser = Browser::start(Engine::Chromium, Setup::default()).await;
    browser.goto(partner).await;
    look_in(&browser, "partner", &[Shade::Light]).await;
    let page = browser.window().await;
    browser.click("[data-service-connect]").await;
    browser.popup(&page).await;
    browser.fill("input[name=email]", email).await;
    browser.fill("input[name=password]", password).await;
    browser.click("form button.primary").await;
    let allow = browser.find("button[value=allow]").await;
    assert!(browser.text().await.contains("Connect Pocket CRM"));
    drop(allow.click().await);
    browser.switch_to(&page).await;
    browser.find("#connected").await;
    assert!(browser.text().await.contains("Connected to Demo Bakery."), "{}", browser.text().await);
    look_in(&browser, "partner-connected", &[Shade::Light]).await;

    // The partner can send for the organization, and can hand the connection back.
    browser.click("form[action='/send'] button").await;
    until("it sends", async || browser.text().await.contains("Sent msg_")).await;
    browser.click("form[action='/disconnect'] button").await;
    until("it disconnects", async || browser.text().await.contains("the key was handed back"))
        .await;
    browser.find("[data-service-connect]").await;

    // A second start finds the registered application.
    drop(browser);
    demo.end().await;
    let again = Demo::start(&url).await;
    assert!(again.printed.iter().any(|line| line.contains("Open http")));
}

/// Runs a printed line in a shell. Returns the status and the body of the response.
async fn run_in_shell(line: &str) -> (u16, Value) {
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{line} -w '\\n%{{http_code}}'"));
    let out = Output::of(&mut shell).await.succeeded();
    let (body, status) = out.rsplit_once('\n').expect("a status");
    (status.parse().unwrap(), serde_json::from_str(body).unwrap())
}

/// Asserts that the printed lines work: the message is accepted, read and answered.
async fn the_printed_lines_work(demo: &Demo) {
    let (status, sent) = run_in_shell(&demo.line("/api/v1/messages ")).await;
    assert_eq!(status, 201, "{sent}");
    assert_eq!(sent["warnings"], json!([]), "{sent}");
    let mut seen = Value::Null;
    for _ in 0..50 {
        let (status, history) = run_in_shell(&demo.line("conversations/history")).await;
        assert_eq!(status, 200, "{history}");
        let messages = history["data"].as_array().unwrap().clone();
        let read = messages.iter().any(|it| it["id"] == sent["id"] && it["status"] == "read");
        let echo =
            messages.iter().any(|it| it["direction"] == "inbound" && it["reply_to"] == sent["id"]);
        if read && echo {
            return;
        }
        seen = history;
        tokio::time::sleep(Duration::from_millis(100)).await; // real time: another process sends
    }
    panic!("read and answered within five seconds, not {seen}");
}

#[tokio::test]
async fn the_demo_prints_lines_that_work_on_each_start() {
    let (_folder, url) = folder();
    let first = Demo::start(&url).await;
    the_printed_lines_work(&first).await;
    let (line, key) = (first.line("/api/v1/messages "), first.pair("Demo Bakery"));
    first.end().await;
    let again = Demo::start(&url).await;
    assert_ne!(again.line("/api/v1/messages "), line, "the old secret cannot be shown again");
    the_printed_lines_work(&again).await;
    assert_eq!(
        call(Method::GET, &again.base(), ME, &key, None).await.status,
        200,
        "it still works"
    );
}

/// The customer service window of the number in the printed line is open after each start, also of
/// a database that was kept for days.
#[tokio::test]
async fn the_demos_test_customer_writes_again_after_a_day() {
    // Given a demo whose test customer wrote two days ago,
    let (_folder, url) = folder();
    let first = Demo::start(&url).await;
    first.end().await;
    let mut beside = DirectConnection::connect(&url).await;
    let inbound = "SELECT COUNT(*) AS number FROM messages JOIN contacts \
                   ON contacts.id = messages.contact_id \
                   WHERE messages.direction = 'inbound' AND contacts.name = 'Test customer'";
    let before = beside.number(inbound).await;
    let two_days = 2 * 24 * 60 * 60 * 1_000_000_i64;
    let past = format!("UPDATE conversations SET last_inbound_at = last_inbound_at - {two_days}");
    beside.execute(&past).await;
    // when it starts again, then the customer has written once more, and the line has no warning.
    let again = Demo::start(&url).await;
    assert_eq!(beside.number(inbound).await, before + 1);
    the_printed_lines_work(&again).await;
    again.end().await;
    // While the window is open, a start adds no message of that customer.
    let later = beside.number(inbound).await;
    let third = Demo::start(&url).await;
    assert_eq!(beside.number(inbound).await, later);
    third.end().await;
}

/// Webhooks do not reach private addresses such as those of this machine. The demo prints the
/// setting that permits it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_says_how_webhooks_reach_this_machine() {
    // Given the setting as the demo prints it,
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    let mut printed = demo.printed.iter().filter_map(|it| it.split_once("--webhook-allow "));
    let (command, networks) = printed.next().expect("a line that names the setting");
    let base = demo.base();
    let (_, port) = base.rsplit_once(':').expect("a port");
    let same = format!("switchboard serve --demo --bind 127.0.0.1:{port}");
    assert!(command.trim().ends_with(&same), "{command}");

    // when a server runs without it, then the error for an endpoint on this machine names the
    // setting too,
    let receiver = Receiver::start().await;
    let endpoint_input =
        || EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    let closed = World::on_sqlite().await;
    let refused = endpoints::create(&closed.server.deps, endpoint_owner(&closed), endpoint_input())
        .await
        .map(drop)
        .unwrap_err();
    assert!(refused.to_string().contains("SWITCHBOARD_WEBHOOK_ALLOW"), "{refused}");
    assert!(
        refused.to_string().contains(&format!("--webhook-allow {}", networks.trim())),
        "{refused}"
    );

    // and with the setting, events arrive.
    let settings = [("webhook_allow", networks.trim())];
    let open = World::on(Database::sqlite(), &settings).await;
    endpoints::create(&open.server.deps, endpoint_owner(&open), endpoint_input()).await.unwrap();
    crate::webhooks::send_message(&open).await;
    open.settle().await;
    assert!(!receiver.received().is_empty());
}

/// The printed `listen` command forwards events to this machine, although the server delivers no
/// webhooks to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demo_prints_a_command_that_forwards_events_to_this_machine() {
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    let receiver = Receiver::start().await;

    // Given the command as it is printed, with the address of a program that runs,
    let printed = demo.printed.iter().find(|it| it.contains(" listen ")).expect("a command");
    let (command, address) = printed.rsplit_once(' ').unwrap();
    assert!(command.ends_with(" --forward-to"), "{printed}");
    // The receivers of the guides and the reference have this path.
    assert_eq!(address, "http://localhost:3000/webhooks");
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{command} {}", receiver.url));
    let mut listening = shell.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(listening.stdout.take().unwrap()).lines();
    let until_it_listens = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.starts_with(&format!("Listening to {}", demo.base())) {
                return;
            }
        }
        panic!("the command ended");
    };
    tokio::time::timeout(Duration::from_secs(20), until_it_listens).await.expect("it listens");

    // when a message is sent, then the program hears of it.
    let (status, sent) = run_in_shell(&demo.line("/api/v1/messages ")).await;
    assert_eq!(status, 201, "{sent}");
    until("an event arrives", async || !receiver.received().is_empty()).await;
}

/// The inbox of the demo is that of a business that was in use for some days.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demos_inbox_was_in_use_before_the_start() {
    // Given the first start of the demo,
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    // then there are conversations of several days, in every state that members and the agent set,
    let conversations = demo.list("/api/v1/conversations?limit=50").await;
    assert_eq!(conversations.len(), 11, "{conversations:#?}");
    let of = |name: &str| {
        let found = conversations.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("{name} in {conversations:#?}"))
    };
    for (name, status) in [
        ("Grace Kim", "closed"),
        ("Olivia Garcia", "snoozed"),
        ("Mia Schmidt", "waiting"),
        ("Ethan Lee", "open"),
    ] {
        assert_eq!(of(name)["status"], status, "{name}");
    }
    assert_eq!(of("Emma Wilson")["labels"], json!(["Catering"]));
    assert!(of("Emma Wilson")["assignee_id"].is_string());
    assert!(of("Ava Johnson")["needs_person_since"].is_string());
    let days =
        conversations.iter().map(|it| it["last_message_at"].as_str().unwrap()[..10].to_owned());
    let days: BTreeSet<String> = days.collect();
    assert!(days.len() >= 3, "{days:?}");
    // with messages of several types, one of which fails.
    let messages = async || demo.list("/api/v1/messages?limit=100").await;
    until("a message fails", async || {
        messages().await.iter().any(|it| it["error"]["code"] == "recipient_unreachable")
    })
    .await;
    let shown = messages().await;
    for kind in ["text", "media", "reaction", "template"] {
        assert!(shown.iter().any(|it| it["type"] == kind), "{kind}: {shown:#?}");
    }
    // A member sees a note, the agent's draft and the picture, which is fetched after the start.
    let mut browser = demo.sign_in().await;
    let mut page = async |name: &str| {
        let path = format!("/inbox/{}", of(name)["id"].as_str().unwrap());
        browser.get(&path).await.text
    };
    assert!(page("Emma Wilson").await.contains("Suggest the vegan rolls."));
    let draft = page("Lucas Martin").await;
    assert!(draft.contains("Draft by the AI agent"), "{draft}");
    assert!(draft.contains("We are open Monday to Friday"), "{draft}");
    until("the picture is there", async || page("Grace Kim").await.contains("<img src=")).await;

    // A later start creates nothing again.
    let pair = demo.pair("Demo Bakery");
    demo.end().await;
    let again = Demo::start(&url).await;
    let path = "/api/v1/conversations?limit=50";
    let later = call(Method::GET, &again.base(), path, &pair, None).await;
    assert_eq!(later.body["data"].as_array().unwrap().len(), 11, "{}", later.text);
}

#[tokio::test]
async fn the_demos_organizations_are_what_they_are_said_to_be() {
    let (_folder, url) = folder();
    let demo = Demo::start(&url).await;
    let base = demo.base();
    let text = json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
    let send =
        async |name: &str| call(Method::POST, &base, SEND, &demo.pair(name), Some(&text)).await;
    for _ in 0..5 {
        assert_eq!(send("Demo Bakery").await.status, 201);
    }
    send("Demo Florist").await.is_problem(403, "subscription_required");
    send("Demo Garage").await.is_problem(403, "plan_upgrade_required");
    for _ in 0..3 {
        assert_eq!(send("Demo Kiosk").await.status, 201);
    }
    let fourth = send("Demo Kiosk").await;
    fourth.is_problem(403, "plan_limit_exceeded");
    assert_eq!(fourth.body["resource"], "messages");
    assert_eq!(fourth.body["limit"], 3);
    for name in ["Demo Bakery", "Demo Florist", "Demo Garage", "Demo Kiosk"] {
        assert!(demo.after(name, "member").contains('@'));
        assert!(demo.after(name, "number").starts_with("+1202555"));
    }
}

#[tokio::test]
async fn health_and_metrics_are_served_metrics_on_their_own_address() {
    // Given a server,
    let (_folder, url) = folder();
    let key = prepare(&url).await;
    let bind = format!("127.0.0.1:{}", free_port());
    let metrics = format!("127.0.0.1:{}", free_port());
    let server = ["serve", "--bind", &bind, "--metrics-bind", &metrics, "--database-url", &url];
    let _child = switchboard(&server).kill_on_drop(true).spawn().unwrap();
    let client = crate::world::client();
    let ready = async || client.get(format!("http://{bind}/readyz")).send().await;
    while !ready().await.is_ok_and(|answer| answer.status() == 200) {
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
    }

    // when it has served a call,
    assert_eq!(get(&format!("http://{bind}/healthz")).await.status, 200);
    let text = json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
    let sent = call(Method::POST, &format!("http://{bind}"), SEND, &key, Some(&text)).await;
    assert_eq!(sent.status, 201, "{}", sent.text);

    // then the call appears in its metrics, which are not available on the API's port.
    let shown = get(&format!("http://{metrics}/metrics")).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text.contains("switchboard_messages_accepted_total 1"), "{}", shown.text);
    assert!(shown.text.contains("switchboard_http_request_duration_seconds"), "{}", shown.text);
    assert!(!shown.text.contains(&key.client_secret));
    get(&format!("http://{bind}/metrics")).await.is_problem(404, "not_found");
    let elsewhere = client.get(format!("http://{metrics}{ME}")).send().await.unwrap();
    assert_eq!(elsewhere.status(), 404);
}
