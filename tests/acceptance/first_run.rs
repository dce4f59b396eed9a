//! The first run: a link that the operator's terminal shows, two screens, and Home with its first
//! steps (`docs/contract.md#first-run`).

use crate::connect::{Browser, EMAIL, PASSWORD, Page, create_member};
use crate::dashboard::{KEYS, csrf_token, text_in};
use crate::operators::Output;
use crate::world::{Pair, World, on_both_databases, switchboard};
use serde_json::{Value, json};
use service::setup;
use std::time::Duration;

/// Returns the path of a new setup link of the server.
fn link(world: &World) -> String {
    let deps = &world.server.deps;
    let url = setup::link(&deps.client_state, &deps.clock, &deps.entropy, "").unwrap();
    assert!(url.starts_with("/setup/"), "{url}");
    url
}

const FIRST: [(&str, &str); 3] =
    [("name", "Ana Ruiz"), ("email", " Ana@Juniper.example"), ("password", PASSWORD)];

/// Submits the first screen, and returns the second one.
async fn second_screen(browser: &mut Browser, path: &str) -> Page {
    let page = browser.post(path, &FIRST).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Name your organization"), "{}", page.text);
    page
}

/// Submits the second screen.
async fn finish(browser: &mut Browser, path: &str, second: &Page, organization: &str) -> Page {
    let carried = second.field("carried");
    let fields =
        [("carried", carried.as_str()), ("organization", organization), ("sandbox", "yes")];
    browser.post(path, &fields).await
}

async fn members(world: &World) -> i64 {
    world.beside().await.number("SELECT count(*) AS number FROM members").await
}

/// Returns the part of Home about one of the first steps.
fn step(home: &Page, number: usize) -> &str {
    let mark = format!("id=\"step-{number}\"");
    let (before, rest) = home.text.split_once(&mark).expect("the step");
    let start = before.rfind("<li").unwrap();
    &home.text[start..before.len() + rest.find("</li>").unwrap()]
}

fn is_done(home: &Page, number: usize) -> bool {
    step(home, number).starts_with("<li class=\"ok\"")
}

async fn a_setup_link_leads_to_a_message_without_a_command_line(world: World) {
    // Given a server on which nobody can sign in,
    let path = link(&world);
    let mut browser = Browser::new(&world);
    let login = browser.get("/login").await;
    assert!(
        login.text.contains("Nobody can sign in yet") && login.text.contains("setup link"),
        "{}",
        login.text
    );

    // when the first member goes through the two screens,
    let first = browser.get(&path).await;
    assert_eq!(first.status, 200);
    assert!(first.text.contains("Create your account"), "{}", first.text);
    assert_eq!(first.header("referrer-policy"), "no-referrer");
    let second = second_screen(&mut browser, &path).await;
    assert!(second.text.contains("name=\"sandbox\" value=\"yes\" checked"), "{}", second.text);
    assert_eq!(members(&world).await, 0, "nothing is created before the end");
    assert!(!second.text.contains(PASSWORD));
    // The way back keeps the name and the address, but not the password.
    let carried = second.field("carried");
    let fields = [("carried", carried.as_str()), ("organization", ""), ("back", "yes")];
    let back = browser.post(&path, &fields).await;
    assert_eq!(back.status, 200, "{}", back.text);
    for says in ["Create your account", "value=\"Ana Ruiz\"", "value=\"ana@juniper.example\""] {
        assert!(back.text.contains(says), "{says}: {}", back.text);
    }
    assert!(!back.text.contains(PASSWORD), "{}", back.text);
    let done = finish(&mut browser, &path, &second, "Juniper Bakery").await;
    assert_eq!(done.location(), "/");

    // then they are signed in as the owner, with a sandbox number,
    let home = browser.get("/").await;
    assert!(home.text.contains("Welcome to Switchboard, Ana"), "{}", home.text);
    assert!(is_done(&home, 1) && step(&home, 1).contains("+12025550119"), "{}", home.text);
    assert!(!is_done(&home, 2) && !is_done(&home, 3) && !is_done(&home, 4));
    // The phone opens with the recipient that the step names.
    assert!(step(&home, 2).contains("+12025550100"), "{}", home.text);
    assert!(step(&home, 2).contains("/phone?as=%2B12025550100\""), "{}", home.text);
    // The call reads the key from the variables that the page of a new key sets.
    for variable in
        ["x-client-id: $SWITCHBOARD_CLIENT_ID", "x-client-secret: $SWITCHBOARD_CLIENT_SECRET"]
    {
        assert!(home.text.contains(variable), "{}", home.text);
    }
    let people = browser.get("/settings/members").await;
    assert!(
        people.text.contains("ana@juniper.example") && people.text.contains("Owner"),
        "{}",
        people.text
    );
    assert!(!browser.get("/plan").await.text.contains("No subscription"));

    // and with a key they send a message, and each step gets its tick.
    let fields = [
        ("token", csrf_token(&browser.get("/account").await)),
        ("name", "Website".to_owned()),
        ("rate_limit", "0".to_owned()),
        ("scope", "messages.send".to_owned()),
    ];
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let made = browser.post(KEYS, &fields).await.location().to_owned();
    let page = browser.get(&made).await;
    assert!(page.text.contains("SWITCHBOARD_CLIENT_ID=swk_"), "{}", page.text);
    assert!(page.text.contains("SWITCHBOARD_CLIENT_SECRET=sws_"), "{}", page.text);
    let key = Pair {
        client_id: text_in(&page, "client-id"),
        client_secret: text_in(&page, "client-secret"),
    };
    let home = browser.get("/").await;
    assert!(!is_done(&home, 3));
    let body = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello"});
    let sent = world.post("/api/v1/messages", &key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    world.live_through(Duration::from_secs(2)).await;
    world.server.deps.usage_counter.flush(&world.server.deps.db).await.unwrap();
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
    let home = browser.get("/").await;
    assert!(
        !home.text.contains("Welcome to Switchboard"),
        "the first steps are over: {}",
        home.text
    );
    // Home says what can be done next.
    assert!(home.text.contains("You are set up"), "{}", home.text);
    for path in ["/numbers/new", "/agents/new", "/settings/members"] {
        assert!(home.text.contains(&format!("<a class=\"btn\" href=\"{path}\">")), "{path}");
    }
    // The test recipient has written back, and once that is read nothing else needs attention.
    assert!(home.text.contains("1 unread conversation"), "{}", home.text);
    assert!(!home.text.contains("Nothing needs your attention"), "{}", home.text);
    let conversation = format!("/inbox/{}", sent.text_of("conversation_id"));
    let form_token = csrf_token(&browser.get(&conversation).await);
    let read = [("token", form_token.as_str()), ("action", "read")];
    assert_eq!(browser.post(&conversation, &read).await.status, 303);
    let home = browser.get("/").await;
    assert!(home.text.contains("Nothing needs your attention"), "{}", home.text);
    assert!(
        home.text.contains("Messages this month") && home.text.contains("Add a webhook endpoint"),
        "{}",
        home.text
    );
}

async fn a_setup_link_is_used_once(world: World) {
    let (path, other) = (link(&world), link(&world));
    let mut browser = Browser::new(&world);
    let second = second_screen(&mut browser, &path).await;
    let late = second_screen(&mut Browser::new(&world), &other).await;
    assert_eq!(finish(&mut browser, &path, &second, "Juniper Bakery").await.status, 303);
    for (path, screen) in [(&path, &second), (&other, &late)] {
        let mut stranger = Browser::new(&world);
        let page = stranger.get(path).await;
        assert_eq!(page.status, 404, "{}", page.text);
        assert!(
            page.text.contains("set up already") && page.text.contains("href=\"/login\""),
            "{}",
            page.text
        );
        assert_eq!(stranger.post(path, &FIRST).await.status, 404);
        assert_eq!(finish(&mut stranger, path, screen, "Evil").await.status, 404);
    }
    assert_eq!(members(&world).await, 1);
    assert!(!Browser::new(&world).get("/login").await.text.contains("Nobody can sign in"));
}

async fn one_of_many_concurrent_uses_of_a_setup_link_creates_the_owner(world: World) {
    let path = link(&world);
    let mut racers = Vec::new();
    for number in 0..6 {
        let mut browser = Browser::new(&world);
        let email = format!("racer{number}@juniper.example");
        let first = [("name", "Racer"), ("email", email.as_str()), ("password", PASSWORD)];
        let second = browser.post(&path, &first).await;
        racers.push((browser, second));
    }
    let organizations = "SELECT count(*) AS number FROM organizations";
    let before = world.beside().await.number(organizations).await;
    let tries =
        racers.iter_mut().map(|(browser, second)| finish(browser, &path, second, "Juniper Bakery"));
    let pages = futures_util::future::join_all(tries).await;
    let statuses: Vec<u16> = pages.iter().map(|it| it.status).collect();
    assert_eq!(statuses.iter().filter(|it| **it == 303).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|it| **it == 404).count(), 5, "{statuses:?}");
    assert_eq!(members(&world).await, 1);
    assert_eq!(world.beside().await.number(organizations).await, before + 1);
}

async fn a_setup_link_works_for_an_hour(world: World) {
    let path = link(&world);
    let mut browser = Browser::new(&world);
    world.advance(Duration::from_mins(59));
    let second = second_screen(&mut browser, &path).await;
    world.advance(Duration::from_mins(1));
    let page = browser.get(&path).await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("works for an hour"), "{}", page.text);
    assert_eq!(finish(&mut browser, &path, &second, "Juniper Bakery").await.status, 404);
    for nobody in ["/setup/x", "/setup/0000000000000000000000000000000000000000000"] {
        assert_eq!(browser.get(nobody).await.status, 404);
    }
    // A new link takes nothing from the old one.
    let new = link(&world);
    let carried = second.field("carried");
    let fields = [("carried", carried.as_str()), ("organization", "Juniper Bakery")];
    assert_eq!(browser.post(&new, &fields).await.status, 403);
    assert_eq!(members(&world).await, 0);
}

async fn a_setup_link_does_not_work_once_a_member_exists(world: World) {
    let path = link(&world);
    let mut browser = Browser::new(&world);
    let second = second_screen(&mut browser, &path).await;
    create_member(&world).await;
    assert_eq!(browser.get(&path).await.status, 404);
    assert_eq!(finish(&mut browser, &path, &second, "Juniper Bakery").await.status, 404);
    assert_eq!(members(&world).await, 1);
}

async fn every_field_of_the_setup_is_checked(world: World) {
    let path = link(&world);
    let mut browser = Browser::new(&world);
    let (long, html) = ("x".repeat(10_000), "<script>alert(1)</script>");
    for (name, email, password, says) in [
        ("", "ana@juniper.example", PASSWORD, "id=\"name-error\""),
        (&long, "ana@juniper.example", PASSWORD, "id=\"name-error\""),
        ("A\u{202e}na", "ana@juniper.example", PASSWORD, "id=\"name-error\""),
        (html, "no address", PASSWORD, "id=\"email-error\""),
        ("Ana", &long, PASSWORD, "id=\"email-error\""),
        ("Ana", "ana@juniper.example", "short", "id=\"password-error\""),
        ("Ana", "ana@juniper.example", &long, "id=\"password-error\""),
    ] {
        let page =
            browser.post(&path, &[("name", name), ("email", email), ("password", password)]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains(says), "{says}: {}", page.text);
        assert!(!page.text.contains(html) && !page.text.contains(&format!("value=\"{password}\"")));
    }
    // All errors are shown at once.
    let page = browser.post(&path, &[("name", ""), ("email", ""), ("password", "")]).await;
    for error in ["name-error", "email-error", "password-error"] {
        assert!(page.text.contains(error), "{}", page.text);
    }
    let second = second_screen(&mut browser, &path).await;
    for organization in ["", &long, "Juni\u{200b}per"] {
        let page = finish(&mut browser, &path, &second, organization).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains("id=\"organization-error\""), "{}", page.text);
    }
    // Another site cannot submit the form.
    let request = browser.request(reqwest::Method::POST, &path).body("name=Eve");
    let request = request.header("sec-fetch-site", "cross-site");
    assert_eq!(browser.send(request).await.status, 403);
    assert_eq!(members(&world).await, 0);
    let page = finish(&mut browser, &path, &second, html).await;
    assert_eq!(page.location(), "/");
    let home = browser.get("/").await;
    assert!(!home.text.contains(html) && home.text.contains("&#60;script&#62;"), "{}", home.text);
}

async fn an_operator_prints_a_setup_link_while_nobody_can_sign_in(world: World) {
    let arguments = [
        "admin",
        "setup-link",
        "--json",
        "--database-url",
        world.database_url(),
        "--base-url",
        "https://sb.example",
    ];
    let out = Output::of(&mut switchboard(&arguments)).await.succeeded();
    let printed: Value = serde_json::from_str(&out).unwrap();
    let path = printed["url"].as_str().unwrap().strip_prefix("https://sb.example").unwrap();
    let mut browser = Browser::new(&world);
    // The command's clock is the machine's, which the test's server does not share.
    assert_eq!(browser.get(path).await.status, 200, "{path}");
    create_member(&world).await;
    assert_eq!(browser.get(path).await.status, 404);
    Output::of(&mut switchboard(&arguments))
        .await
        .failed_with(&["a member exists", "admin member reset"]);
    assert_eq!(browser.sign_in("/login").await.location(), "/", "{EMAIL}");
}

on_both_databases! {
    a_setup_link_leads_to_a_message_without_a_command_line,
    a_setup_link_is_used_once,
    one_of_many_concurrent_uses_of_a_setup_link_creates_the_owner,
    a_setup_link_works_for_an_hour,
    a_setup_link_does_not_work_once_a_member_exists,
    every_field_of_the_setup_is_checked,
    an_operator_prints_a_setup_link_while_nobody_can_sign_in,
}
