//! The pages of an organization's own applications (`docs/contract.md#applications` and
//! `docs/contract.md#pages`).

use super::{
    Browser, PASSWORD, Page, Partner, REDIRECT, VERIFIER, connect_application, create_member,
    exchange_code, obtain_code, percent_encode, query_parameter,
};
use crate::operators::run_line;
use crate::world::rows::rows;
use crate::world::{Answer, Pair, World, on_both_databases};
use serde_json::{Value, json};
use service::applications::CreatedApplication;

const PATH: &str = "/integrations/applications";

/// Returns the browser of the organization's member, signed in.
async fn signed_in(world: &World) -> Browser {
    create_member(world).await;
    let mut browser = Browser::new(world);
    assert_eq!(browser.sign_in("/login").await.location(), "/");
    browser
}

/// Sends a form of the page at `path`.
async fn submit_form(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let page = browser.get(&format!("{PATH}/new")).await;
    // The first forms are the frame's.
    let (_, token) = page.text.rsplit_once("name=\"token\" value=\"").expect("a form");
    let token = token.split('"').next().unwrap().to_owned();
    let fields = [&[("token", token.as_str())], fields].concat();
    browser.post(path, &fields).await
}

const REGISTRATION: [(&str, &str); 6] = [
    ("name", "Acme CRM"),
    ("description", "Keeps your customers together."),
    ("start_url", "https://partner.example/start"),
    ("redirect_uris", REDIRECT),
    ("scope", "messages.send"),
    ("scope", "conversations.read"),
];

fn text_in(page: &Page, id: &str) -> String {
    let mark = format!("id=\"{id}\">");
    let (_, rest) = page.text.split_once(&mark).expect("it is on the page");
    rest.split('<').next().unwrap().to_owned()
}

/// Registers an application of the organization. Returns its page and its credentials.
async fn register_application(browser: &mut Browser) -> (String, Partner) {
    let sent = submit_form(browser, PATH, &REGISTRATION).await;
    let page = browser.get(sent.location()).await;
    let (_, rest) = page.text.split_once("href=\"/integrations/applications/app_").unwrap();
    let id = format!("app_{}", rest.split(['/', '"']).next().unwrap());
    let application = CreatedApplication {
        client_id: text_in(&page, "client-id"),
        client_secret: text_in(&page, "client-secret"),
        id: id.clone(),
        name: "Acme CRM".to_owned(),
        redirect_uris: vec![REDIRECT.to_owned()],
        scopes: Vec::new(),
        published: false,
    };
    (format!("{PATH}/{id}"), Partner { application })
}

async fn an_application_is_registered_and_its_secret_shown_once(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let again = browser.get(&path).await;
    assert!(again.text.contains(&partner.application.client_id));
    assert!(!again.text.contains("sws_"));
    // The displayed credentials work.
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
}

async fn an_invalid_registration_is_rejected_and_keeps_its_input(world: World) {
    let mut browser = signed_in(&world).await;
    for (address, why) in [
        ("http://partner.example/callback", "https"),
        ("https://*.partner.example/", "wildcard"),
        ("https://partner.example/#x", "fragment"),
        ("https://me@partner.example/", "user"),
        ("", "1 to 10"),
    ] {
        let fields: Vec<_> = REGISTRATION
            .into_iter()
            .map(
                |field| if field.0 == "redirect_uris" { ("redirect_uris", address) } else { field },
            )
            .collect();
        let page = submit_form(&mut browser, PATH, &fields).await;
        assert_eq!(page.status, 422, "{address}");
        assert!(page.text.contains(why), "{address}: {}", page.text);
        assert!(page.text.contains("Keeps your customers together."), "{address}");
    }
    assert!(browser.get(PATH).await.text.contains("No apps yet"));
}

async fn terms_change_and_new_handshakes_follow_them(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let moved = [
        ("action", "save"),
        ("name", "Acme Desk"),
        ("redirect_uris", "https://partner.example/new"),
        ("scope", "messages.send"),
    ];
    assert!(
        submit_form(&mut browser, &path, &moved)
            .await
            .location()
            .starts_with(&format!("{path}?notice="))
    );
    let page = browser.get(&partner.asks(&[])).await;
    assert_eq!(page.status, 400, "the old address is no longer registered");
    assert!(browser.get(&path).await.text.contains("Acme Desk"));
}

async fn an_address_that_was_removed_gets_no_answer_any_more(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let (consent, page) = browser.until_consent(&partner.asks(&[])).await;
    let moved = [
        ("action", "save"),
        ("name", "Acme CRM"),
        ("redirect_uris", "https://partner.example/new"),
        ("scope", "messages.send"),
    ];
    submit_form(&mut browser, &path, &moved).await;
    for reported in [browser.get(&consent).await, browser.allow(&consent, &page).await] {
        assert_eq!(reported.status, 400, "{}", reported.text);
        assert_eq!(reported.header("location"), "", "{}", reported.text);
        // The page shows the address as text, and there is no log entry that it could name.
        assert!(!reported.text.contains("href=\"http"), "{}", reported.text);
        assert!(reported.text.contains(REDIRECT), "{}", reported.text);
        assert!(!reported.text.contains("handshake log"), "{}", reported.text);
    }
}

async fn the_badge_is_for_the_terms_that_were_looked_at(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    world.admin().verify_application(&partner.application.client_id).await.unwrap();
    // Saving the form without a change keeps the badge,
    let same = [&REGISTRATION[..], &[("action", "save")]].concat();
    assert!(submit_form(&mut browser, &path, &same).await.location().starts_with(&path));
    assert!(browser.get(&path).await.text.contains(">Verified</span>"));
    // but saving another name removes it.
    let mut other = same.clone();
    other[0] = ("name", "Your Bank");
    submit_form(&mut browser, &path, &other).await;
    assert!(!browser.get(&path).await.text.contains(">Verified</span>"));
    // The description cannot claim a verification either.
    let mut boast = same;
    boast[1] = ("description", "✅ Ｖｅｒｉｆｉｅｄ by Switchboard");
    assert_eq!(submit_form(&mut browser, &path, &boast).await.status, 422);
}

async fn publishing_lists_it_for_every_business(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550195").await;
    world.admin().create_member(other, "bo@other.example", "Bo", PASSWORD).await.unwrap();
    let mut stranger = Browser::new(&world);
    let login = stranger.get("/login").await.field("token");
    stranger
        .post("/login", &[("token", &login), ("email", "bo@other.example"), ("password", PASSWORD)])
        .await;

    let (_, page) = stranger.until_consent(&partner.asks(&[])).await;
    assert_eq!(page.status, 403);
    assert!(!stranger.get("/integrations/apps").await.text.contains("Acme CRM"));
    // For a member of the other organization the application's page does not exist.
    assert_eq!(stranger.get(&path).await.status, 404);
    assert_eq!(submit_form(&mut stranger, &path, &[("action", "publish")]).await.status, 404);
    let (_, page) = stranger.until_consent(&partner.asks(&[])).await;
    assert_eq!(page.status, 403);

    submit_form(&mut browser, &path, &[("action", "publish")]).await;
    assert!(stranger.get("/integrations/apps").await.text.contains("Acme CRM"));
    let (_, page) = stranger.until_consent(&partner.asks(&[])).await;
    assert_eq!(page.status, 200);

    // Unpublishing stops only new connections.
    let (_, key) = connect_application(&world, &mut stranger, &partner).await;
    submit_form(&mut browser, &path, &[("action", "unpublish")]).await;
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    let (_, page) = stranger.until_consent(&partner.asks(&[])).await;
    assert_eq!(page.status, 403);
}

async fn a_new_secret_ends_the_old_one_and_no_connection(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    assert!(browser.get(&format!("{path}/renew")).await.text.contains("stops working immediately"));
    let sent = submit_form(&mut browser, &path, &[("action", "renew")]).await;
    let page = browser.get(sent.location()).await;
    let secret = text_in(&page, "client-secret");
    assert_ne!(secret, partner.application.client_secret);
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);

    let one = obtain_code(&mut browser, &partner).await;
    exchange_code(&world, &partner.exchange(&one)).await.is_problem(400, "invalid_grant");
    let mut renewed = partner;
    renewed.application.client_secret = secret;
    connect_application(&world, &mut browser, &renewed).await;
}

async fn a_deleted_application_connects_nobody_and_revokes_nothing(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let late = obtain_code(&mut browser, &partner).await;
    assert!(browser.get(&format!("{path}/delete")).await.text.contains("stay connected"));
    assert!(
        submit_form(&mut browser, &path, &[("action", "delete")])
            .await
            .location()
            .starts_with(PATH)
    );
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    assert_eq!(browser.get(&partner.asks(&[])).await.status, 400);
    exchange_code(&world, &partner.exchange(&late)).await.is_problem(400, "invalid_grant");
    assert!(browser.get("/integrations/connected").await.text.contains("Acme CRM"));
}

async fn an_application_page_lists_connections_and_deletion_can_end_them(world: World) {
    // Given an application that two organizations have connected, one of them with special
    // characters in its name,
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let page = browser.get(&path).await;
    assert!(page.text.contains("No business has connected it yet"), "{}", page.text);
    assert!(
        !browser.get(&format!("{path}/delete")).await.text.contains("end_connections"),
        "there is none to end"
    );
    submit_form(&mut browser, &path, &[("action", "publish")]).await;
    let (_, own) = connect_application(&world, &mut browser, &partner).await;
    let other = world.organization_on("Bo & Sons", "Unlimited").await;
    world.number(other, "+12025550195").await;
    world.admin().create_member(other, "bo@other.example", "Bo", PASSWORD).await.unwrap();
    let mut stranger = Browser::new(&world);
    let login = stranger.get("/login").await.field("token");
    stranger
        .post("/login", &[("token", &login), ("email", "bo@other.example"), ("password", PASSWORD)])
        .await;
    let (_, theirs) = connect_application(&world, &mut stranger, &partner).await;

    // when a developer of the application looks, then both connections are listed,
    let page = browser.get(&path).await;
    for says in ["Active connections (2)", "<b>Acme</b>", "<b>Bo &#38; Sons</b>"] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    // and when it is deleted with its connections, then their keys stop working, and the
    // organizations read why.
    assert!(
        browser.get(&format!("{path}/delete")).await.text.contains("End all connections too (2)")
    );
    let sent =
        submit_form(&mut browser, &path, &[("action", "delete"), ("end_connections", "yes")]).await;
    assert!(browser.get(sent.location()).await.text.contains("its connections were ended: 2."));
    for key in [&own, &theirs] {
        world.get("/api/v1/me", key).await.is_problem(401, "invalid_credentials");
    }
    let page = stranger.get("/integrations/connected").await;
    assert!(
        page.text.contains("Revoked by the application")
            && page.text.contains("The app was deleted."),
        "{}",
        page.text
    );
}

async fn a_registered_application_says_what_comes_next(world: World) {
    let mut browser = signed_in(&world).await;
    let sent = submit_form(&mut browser, PATH, &REGISTRATION).await;
    let page = browser.get(sent.location()).await;
    // The developer reads whose customers the permissions are about, here and in the form.
    let form = browser.get(&format!("{PATH}/new")).await;
    for shown in [&page, &form] {
        assert!(shown.text.contains("Send messages to the business’s customers"), "{}", shown.text);
        assert!(!shown.text.contains("to your customers"), "{}", shown.text);
    }
    // One box has everything that the application's server needs.
    let (id, secret) = (text_in(&page, "client-id"), text_in(&page, "client-secret"));
    assert!(id.starts_with("swa_") && secret.starts_with("sws_"));
    assert_eq!(text_in(&page, "env"), format!("APP_CLIENT_ID={id}\nAPP_CLIENT_SECRET={secret}"));
    // Later the page still shows the id, the URLs and the button.
    let later = browser.get(sent.location()).await;
    for says in [
        id.as_str(),
        REDIRECT,
        "https://partner.example/start",
        "/connect/button.js",
        "data-service-connect",
        "href=\"/docs#connect\"",
    ] {
        assert!(later.text.contains(says), "{says}: {}", later.text);
    }
    assert!(!later.text.contains(&secret));
}

/// The reference cannot name the client id of its reader, so the page of the application does.
async fn an_application_page_shows_the_handshake_with_its_client_id(world: World) {
    // Given the page of an application,
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let page = browser.get(&path).await;
    let copied = |id: &str| {
        let text = text_in(&page, id).replace("&#34;", "\"").replace("&#39;", "'");
        text.replace("&#38;", "&")
    };
    // when its server completes the authorize URL, then a member can allow it;
    let url = copied("authorize-url")
        .replace("STATE", "st-1")
        .replace("CODE_CHALLENGE", &Partner::challenge());
    let asks = url.strip_prefix("https://api.example.com").unwrap();
    let (consent, shown) = browser.until_consent(asks).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let sent_on = browser.allow(&consent, &shown).await;
    assert_eq!(query_parameter(sent_on.location(), "state").as_deref(), Some("st-1"));
    // when its server exchanges the code with the call as printed, then it gets a key that works.
    let code = query_parameter(sent_on.location(), "code").unwrap();
    let call = copied("exchange").replace("https://api.example.com", &world.base);
    let variables = [
        ("CODE", code.as_str()),
        ("CODE_VERIFIER", VERIFIER),
        ("APP_CLIENT_SECRET", partner.application.client_secret.as_str()),
    ];
    let answer = run_line(&call, &variables).await.succeeded();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    let key = Pair { client_id: text("client_id"), client_secret: text("client_secret") };
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    // The chapter and the exchange are linked, under the names that the reference has.
    let reference = browser.get("/docs").await;
    for anchor in ["connect", "exchange-a-code"] {
        assert!(page.text.contains(&format!("href=\"/docs#{anchor}\"")), "{}", page.text);
        assert!(reference.text.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
}

async fn the_handshake_log_says_which_check_failed_and_what_to_do(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    assert!(browser.get(&path).await.text.contains("No exchange yet"));
    let digest = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
    let hex = auth::digest::hex(digest.as_ref());
    let (consent, page) =
        browser.until_consent(&partner.asks(&[("code_challenge", Some(&hex))])).await;
    let sent_on = browser.allow(&consent, &page).await;
    let one = query_parameter(sent_on.location(), "code").unwrap();
    let answer = exchange_code(&world, &partner.exchange(&one)).await;
    answer.is_problem(400, "invalid_grant");
    assert!(!answer.text.contains("hex"), "the wire does not say it");
    exchange_code(&world, &partner.exchange(&one)).await.is_problem(400, "invalid_grant");
    connect_application(&world, &mut browser, &partner).await;

    let log = browser.get(&path).await.text;
    assert!(
        log.contains("The challenge is hex. Send unpadded base64url of the raw SHA-256 digest."),
        "{log}"
    );
    assert!(log.contains("The code has already been used."), "a replay is noted: {log}");
    assert!(log.contains("<b>Connected</b>"));
    // Attempts of one minute are told apart.
    assert!(log.contains("data-form=\"seconds\">Nov 21, 2026, 12:00:00 PM UTC</time>"), "{log}");
    // The log goes back 30 days.
    world.advance(std::time::Duration::from_hours(30 * 24 + 1));
    let mut later = Browser::new(&world);
    later.sign_in("/login").await;
    assert!(later.get(&path).await.text.contains("No exchange yet"));
}

async fn the_log_shows_exchanges_that_lack_a_field_or_cannot_be_read(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let url = format!("{}/connect/token", world.base);
    // Given exchanges that lack a field, each with a code of its own,
    for (field, said) in [
        ("code_verifier", "The code_verifier is missing"),
        ("client_id", "client_id is missing in the exchange"),
        ("client_secret", "client_secret is missing in the exchange"),
        // and one without a code, which the application's own pair proves,
        ("code", "code is missing in the exchange"),
    ] {
        let code = obtain_code(&mut browser, &partner).await;
        let mut body = partner.exchange(&code);
        body.as_object_mut().unwrap().remove(field);
        let answer = exchange_code(&world, &body).await;
        assert_eq!(answer.body["error"], "invalid_request", "{}", answer.text);
        // then the log says which.
        let log = log_with(&mut browser, &path, said).await;
        assert!(log.contains(said), "{said}: {log}");
    }
    // The same is true of an exchange that cannot be read, or has a field too many,
    let code = obtain_code(&mut browser, &partner).await;
    let body = partner.exchange(&code).to_string();
    let cut = world.http.post(&url).header("content-type", "application/json");
    Answer::of(cut.body(body[..body.len() - 1].to_owned())).await;
    let log = log_with(&mut browser, &path, "could not be read").await;
    assert!(log.contains("could not be read"), "{log}");
    let code = obtain_code(&mut browser, &partner).await;
    let mut body = partner.exchange(&code);
    body["grant_type"] = json!("password");
    exchange_code(&world, &body).await;
    let log = log_with(&mut browser, &path, "The grant_type of the exchange").await;
    assert!(log.contains("The grant_type of the exchange"), "{log}");

    // but a stranger who knows neither a code nor the secret writes nothing.
    let before = rows(&world).await["handshakes"];
    let mut stranger = partner.exchange("none");
    stranger["client_secret"] = json!("sws_wrong");
    stranger.as_object_mut().unwrap().remove("code_verifier");
    for _ in 0..5 {
        exchange_code(&world, &stranger).await;
        stranger["code"] = json!("x".repeat(43));
    }
    connect_application(&world, &mut browser, &partner).await;
    assert_eq!(rows(&world).await["handshakes"] - before, 1, "the connection alone");
}

/// Returns the handshake log as soon as it contains a text. Exchanges are logged after the answer.
async fn log_with(browser: &mut Browser, path: &str, said: &str) -> String {
    let mut log = String::new();
    for _ in 0..200 {
        log = handshake_log(browser, path).await;
        if log.contains(said) {
            break;
        }
    }
    log
}

async fn the_log_shows_faults_of_authorize_requests(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let elsewhere = percent_encode("https://acme.example/other");
    let endless = "x".repeat(513);
    for (asks, said) in [
        (partner.asks(&[("redirect_uri", Some(&elsewhere))]), "is not registered"),
        (format!("{}&state=again", partner.asks(&[])), "is repeated"),
        (partner.asks(&[("state", None)]), "state is missing"),
        (partner.asks(&[("state", Some(&endless))]), "state is longer than 512 bytes"),
        (partner.asks(&[("code_challenge", None)]), "code_challenge is missing"),
        (partner.asks(&[("code_challenge", Some("short"))]), "code_challenge is not 43 to 128"),
        (partner.asks(&[("code_challenge_method", Some("plain"))]), "code_challenge_method=S256"),
        (partner.asks(&[("response_type", Some("token"))]), "response_type=code"),
        (partner.asks(&[("scope", None)]), "scope is missing"),
        (partner.asks(&[("scope", Some("everything"))]), "does not exist"),
        (partner.asks(&[("scope", Some("media.write"))]), "has not registered"),
    ] {
        assert!(!handshake_log(&mut browser, &path).await.contains(said), "{said}");
        let page = browser.get(&asks).await;
        if page.status == 303 {
            // The error also reaches the redirect URI, as a sentence before the state.
            let reported = browser.get(page.location()).await;
            let address = url::Url::parse(reported.location()).unwrap();
            let description = address.query_pairs().find(|(name, _)| name == "error_description");
            assert!(
                description.is_some_and(|(_, it)| it.contains(said)),
                "{}",
                reported.location()
            );
            let place = |name: &str| reported.location().find(&format!("{name}="));
            assert!(place("error") < place("error_description"));
            assert!(place("state").is_none_or(|state| Some(state) > place("error_description")));
        } else {
            assert_eq!(page.status, 400);
        }
        let log = handshake_log(&mut browser, &path).await;
        assert!(log.contains(said), "{said}: {log}");
    }
}

/// Returns the handshake log on the page of an application.
async fn handshake_log(browser: &mut Browser, path: &str) -> String {
    let page = browser.get(path).await.text;
    let (_, log) = page.split_once("<h2 id=\"log\">").expect("the page has a log");
    log.split_once("</section>").expect("the section ends").0.to_owned()
}

async fn unauthenticated_requests_cannot_fill_the_log(world: World) {
    let mut browser = signed_in(&world).await;
    let (path, partner) = register_application(&mut browser).await;
    let elsewhere = percent_encode("https://evil.example/");
    let before = rows(&world).await["handshakes"];
    for _ in 0..30 {
        let mut stranger = Browser::new(&world);
        let asks = partner.asks(&[("redirect_uri", Some(&elsewhere))]);
        assert_eq!(stranger.get(&asks).await.status, 400);
        world.advance(std::time::Duration::from_secs(20));
    }
    assert_eq!(rows(&world).await["handshakes"] - before, 1);
    let log = browser.get(&path).await.text;
    assert!(log.contains("12:09 PM UTC") && !log.contains("evil"), "{log}");
}

on_both_databases! {
    an_application_is_registered_and_its_secret_shown_once,
    an_invalid_registration_is_rejected_and_keeps_its_input,
    terms_change_and_new_handshakes_follow_them,
    an_address_that_was_removed_gets_no_answer_any_more,
    the_badge_is_for_the_terms_that_were_looked_at,
    publishing_lists_it_for_every_business,
    a_new_secret_ends_the_old_one_and_no_connection,
    a_deleted_application_connects_nobody_and_revokes_nothing,
    an_application_page_lists_connections_and_deletion_can_end_them,
    a_registered_application_says_what_comes_next,
    an_application_page_shows_the_handshake_with_its_client_id,
    the_handshake_log_says_which_check_failed_and_what_to_do,
    the_log_shows_exchanges_that_lack_a_field_or_cannot_be_read,
    the_log_shows_faults_of_authorize_requests,
    unauthenticated_requests_cannot_fill_the_log,
}
