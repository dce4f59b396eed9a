//! Everything that issues secrets or receives them, in valid and invalid requests.

use super::stage::{Stage, Whose, random, wrong_secret};
use crate::connect::{Browser, EMAIL, Page, Partner, REDIRECT, VERIFIER, query_parameter};
use crate::credentials::with_credentials;
use crate::dashboard::{APPLICATIONS, KEYS, WEBHOOKS, creation_path, csrf_token, text_in};
use crate::media_files::{MEDIA, upload_body};
use crate::world::graph::callbacks;
use crate::world::{Answer, DirectConnection, Pair, client};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
/// A password with characters that every encoding escapes.
const PASSWORD: &str = "correct <horse> & battery 17%+";

/// The content of a media file.
pub const IN_THE_BUCKET: &str = "The bakery's opening hours";

fn browser(stage: &Stage) -> Browser {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    Browser::with(http.build().unwrap(), &stage.base)
}

fn form(text: String) -> RequestBuilder {
    client().post(text).header("content-type", "application/x-www-form-urlencoded")
}

/// Sends a request, and ignores the response.
async fn send(request: RequestBuilder) {
    drop(request.send().await.unwrap().bytes().await);
}

impl Stage {
    /// Signs the member in, and lists the secrets that the browser gets.
    async fn sign_in(&mut self, browser: &mut Browser, password: &str) {
        let page = browser.get("/login").await;
        let before = browser.cookie.clone().expect("a cookie");
        let form_token = page.field("token");
        let fields = [("token", form_token.as_str()), ("email", EMAIL), ("password", password)];
        let signed_in = browser.post("/login", &fields).await;
        assert_eq!(signed_in.status, 303, "{}", signed_in.text);
        let value = |cookie: Option<String>| cookie.unwrap().split_once('=').unwrap().1.to_owned();
        self.issued("the cookie of a visitor", Whose::Once, value(Some(before)));
        self.issued("the CSRF token of the sign-in", Whose::Bearer, form_token);
        self.issued("the cookie of a session", Whose::Once, value(browser.cookie.clone()));
        self.issued("the cookie of a device", Whose::Bearer, value(browser.device.clone()));
    }

    /// Opens a page of the dashboard, and lists the CSRF token of its forms.
    async fn page(&mut self, browser: &mut Browser, path: &str) -> (Page, String) {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        let form_token = csrf_token(&page);
        self.issued("the CSRF token of a form", Whose::Bearer, form_token.clone());
        (page, form_token)
    }

    /// Submits a form that leads to a page with a secret, and opens that page twice: only the first
    /// time it shows the secret.
    async fn shown(
        &mut self,
        browser: &mut Browser,
        path: &str,
        id: &str,
        fields: &[(&str, &str)],
    ) -> (String, String) {
        let sent = browser.post(path, fields).await;
        let at = sent.location().to_owned();
        let page = browser.get(&at).await;
        let secret = text_in(&page, id);
        browser.get(&at).await;
        (at.split('?').next().unwrap().to_owned(), secret)
    }
}

/// Resets the member's password, and signs in with right and wrong passwords.
pub async fn people(stage: &mut Stage) -> Browser {
    let wrong = random();
    let mut browser = browser(stage);
    let form_token = browser.get("/login").await.field("token");
    let fields = [("token", form_token.as_str()), ("email", EMAIL), ("password", &wrong)];
    assert_ne!(browser.post("/login", &fields).await.status, 303);
    stage.issued("a wrong password", Whose::Nobody, wrong);
    let first = stage.password.clone();
    stage.sign_in(&mut browser, &first).await;
    let made = stage.admin(&["member", "reset", EMAIL], "").await;
    let link = made["url"].as_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let path = format!("/reset/{link}");
    let mut reader = self::browser(stage);
    assert_eq!(reader.get(&path).await.status, 200);
    let other = random();
    assert_eq!(reader.post(&path, &[("password", PASSWORD), ("again", &other)]).await.status, 422);
    assert_eq!(
        reader.post(&path, &[("password", PASSWORD), ("again", PASSWORD)]).await.status,
        303
    );
    assert_eq!(reader.get(&path).await.status, 404);
    stage.issued("the link to choose a password", Whose::Bearer, link);
    stage.issued("a password that was repeated wrongly", Whose::Nobody, other);
    stage.issued("a password that was chosen", Whose::Nobody, PASSWORD.to_owned());
    let mut browser = self::browser(stage);
    stage.sign_in(&mut browser, PASSWORD).await;
    browser
}

/// Lets the dashboard show the secrets of a key, of an application and of a webhook endpoint.
pub async fn dashboard(stage: &mut Stage, browser: &mut Browser) {
    let (_, proof) = stage.page(browser, &creation_path(KEYS)).await;
    let fields = [
        ("token", proof.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7"),
        ("scope", "messages.send"),
    ];
    let (_, secret) = stage.shown(browser, KEYS, "client-secret", &fields).await;
    stage.issued("the secret of a key of the dashboard", Whose::Once, secret);
    let (_, proof) = stage.page(browser, &creation_path(APPLICATIONS)).await;
    let fields = [
        ("token", proof.as_str()),
        ("name", "Acme CRM"),
        ("redirect_uris", REDIRECT),
        ("scope", "messages.send"),
    ];
    let (at, secret) = stage.shown(browser, APPLICATIONS, "client-secret", &fields).await;
    stage.issued("the secret of an application of the dashboard", Whose::Once, secret);
    let (_, proof) = stage.page(browser, &format!("{at}/renew")).await;
    let fields = [("token", proof.as_str()), ("action", "renew")];
    let (_, secret) = stage.shown(browser, &at, "client-secret", &fields).await;
    stage.issued("the other secret of that application", Whose::Once, secret);
    let (_, proof) = stage.page(browser, &creation_path(WEBHOOKS)).await;
    let url = stage.receiver.url.clone();
    let fields = [("token", proof.as_str()), ("url", &url), ("which", "all")];
    let (at, secret) = stage.shown(browser, WEBHOOKS, "secret", &fields).await;
    stage.issued("the secret of an endpoint", Whose::Once, secret);
    let (_, proof) = stage.page(browser, &at).await;
    let fields = [("token", proof.as_str()), ("action", "rotate")];
    let (_, secret) = stage.shown(browser, &at, "secret", &fields).await;
    stage.issued("the other secret of that endpoint", Whose::Once, secret);
    browser.post(&at, &[("token", &proof), ("action", "test")]).await;
    // A form with a wrong CSRF token is rejected, and the token is not shown.
    let wrong = random();
    assert_eq!(browser.post(&at, &[("token", &wrong), ("action", "test")]).await.status, 403);
    stage.issued("a wrong CSRF token", Whose::Nobody, wrong);
}

async fn code(stage: &mut Stage, browser: &mut Browser, partner: &Partner) -> String {
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    stage.issued("the CSRF token of a consent", Whose::Bearer, page.field("token"));
    let sent_on = browser.allow(&path, &page).await;
    let code = query_parameter(sent_on.location(), "code").expect("a code");
    stage.issued("a code of Connect", Whose::Once, code.clone());
    code
}

/// Runs handshakes that succeed and handshakes that fail in each way. Returns the key of the last
/// one.
pub async fn handshakes(stage: &mut Stage, browser: &mut Browser, partner: &Partner) -> Pair {
    let url = format!("{}/connect/token", stage.base);
    let exchange = |body: &Value| Answer::of(client().post(&url).json(body));
    for field in ["code_verifier", "client_secret", "client_id", "code"] {
        let mut body = partner.exchange(&code(stage, browser, partner).await);
        let wrong = if field == "client_secret" { wrong_secret() } else { random() };
        body[field] = json!(wrong);
        exchange(&body).await.is_problem(400, "invalid_grant");
        stage.issued("what is wrong in an exchange", Whose::Nobody, wrong);
    }
    // Next come exchanges with a missing field, a repeated field, fields in the URL, and the
    // authentication schemes of HTTP.
    let body = partner.exchange(&code(stage, browser, partner).await);
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    let fields = |names: &[&str]| {
        names.iter().map(|it| format!("{it}={}", text(it))).collect::<Vec<_>>().join("&")
    };
    let all = ["code", "code_verifier", "client_id", "client_secret"];
    send(form(url.clone()).body(fields(&all[..3]))).await;
    send(form(url.clone()).body(fields(&[&all[..], &all[..1]].concat()))).await;
    send(form(format!("{url}?{}", fields(&all))).body("")).await;
    send(
        form(url.clone())
            .basic_auth(text("client_id"), Some(text("client_secret")))
            .body(fields(&all[..2])),
    )
    .await;
    send(client().post(&url).bearer_auth(text("code")).body(fields(&all))).await;
    send(
        client()
            .post(&url)
            .header("content-type", "application/json")
            .body(format!("{{{}", fields(&all))),
    )
    .await;
    stage.issued("the verifier", Whose::Nobody, VERIFIER.to_owned());
    let code = code(stage, browser, partner).await;
    let connection = exchange(&partner.exchange(&code)).await;
    assert_eq!(connection.status, 200, "{}", connection.text);
    exchange(&partner.exchange(&code)).await.is_problem(400, "invalid_grant");
    let key = Pair {
        client_id: connection.text_of("client_id"),
        client_secret: connection.text_of("client_secret"),
    };
    stage.issued("the secret of a connection", Whose::Once, key.client_secret.clone());
    key
}

/// Makes calls with credentials in the right headers and in every wrong place.
pub async fn calls(stage: &mut Stage, key: &Pair) {
    let to = |path: &str| format!("{}{path}", stage.base);
    let (id, secret) = (&key.client_id, &key.client_secret);
    let hello = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello"});
    let wrong = wrong_secret();
    let mut mistyped = secret.clone();
    mistyped.replace_range(20..21, if &secret[20..21] == "x" { "y" } else { "x" });
    for shown in [wrong.as_str(), &mistyped, &secret[..secret.len() - 1]] {
        let pair = Pair { client_id: id.clone(), client_secret: shown.to_owned() };
        Answer::of(with_credentials(client().post(to(SEND)), &pair).json(&hello))
            .await
            .is_problem(401, "invalid_credentials");
    }
    let me = || client().get(to("/api/v1/me"));
    for request in [
        me().bearer_auth(format!("{id}.{wrong}")),
        me().bearer_auth(&wrong),
        me().basic_auth(id, Some(&wrong)),
        with_credentials(me(), key).header("x-client-secret", &wrong),
        client().get(format!("{}?client_id={id}&client_secret={wrong}", to("/api/v1/me"))),
        client().post(to(SEND)).json(&json!({"client_id": id, "client_secret": wrong})),
        me().header("cookie", format!("switchboard={wrong}; switchboard-device={wrong}")),
        // These have valid credentials, and a secret in a wrong place.
        with_credentials(client().post(to(SEND)), key)
            .json(&json!({"type": "text", "client_secret": wrong})),
        with_credentials(client().post(to(SEND)), key)
            .json(&json!({"type": wrong, "preview_url": wrong})),
        with_credentials(client().post(to(SEND)), key)
            .json(&json!({"type": "text", "text": {"secret": wrong}})),
        with_credentials(client().post(to(SEND)), key).json(&json!([wrong])),
        with_credentials(client().post(to(SEND)), key).json(&json!(wrong)),
        with_credentials(client().post(to(SEND)), key)
            .header("content-type", "application/json")
            .body(format!("{{\"{wrong}")),
        with_credentials(client().get(to(&format!("/api/v1/events?after={wrong}"))), key),
        with_credentials(client().get(to(&format!("/api/v1/templates?status={wrong}"))), key),
        client().request(Method::from_bytes(wrong.as_bytes()).unwrap(), to("/")),
        client()
            .post(to("/api/v1/applications/swa_x/revoke-connections"))
            .header("x-client-secret", &wrong),
    ] {
        send(request).await;
    }
    for path in [
        "/api/v1/messages/",
        "/api/v1/",
        "/media/",
        "/reset/",
        "/connect/consent/",
        "/",
        "/login?consent=",
        "/login?return=",
        "/integrations/keys?secret=",
    ] {
        send(client().get(format!("{}{wrong}", to(path)))).await;
        send(with_credentials(client().get(format!("{}{wrong}", to(path))), key)).await;
    }
    stage.issued("a wrong secret", Whose::Nobody, wrong);
}

/// Creates a webhook endpoint through the API and rotates its secret. Both answers are stored for
/// repeated requests.
pub async fn endpoints(stage: &mut Stage, key: &Pair) {
    let url = format!("{}/api/v1/webhook-endpoints", stage.base);
    let post = |url: String, body: Value| {
        let request = with_credentials(client().post(url), key);
        Answer::of(request.header("idempotency-key", random()).json(&body))
    };
    let created = post(url.clone(), json!({"url": stage.receiver.url})).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let rotated = post(format!("{url}/{}/rotate", created.text_of("id")), json!({})).await;
    assert_eq!(rotated.status, 200, "{}", rotated.text);
    for secret in [created.text_of("secret"), rotated.text_of("secret")] {
        stage.issued("the secret of an endpoint of the API", Whose::Once, secret);
    }
}

/// Sends the channel's verification request and callbacks, valid and invalid.
pub async fn callbacks_of_networks(stage: &mut Stage) {
    let webhook = format!("{}/channel/cloud/webhook", stage.base);
    let verify = |token: &str| {
        let query = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token";
        client().get(format!("{webhook}?{query}={token}"))
    };
    let (right, wrong) = (stage.verify_token.clone(), random());
    assert_eq!(verify(&right).send().await.unwrap().status(), 200);
    assert_eq!(verify(&wrong).send().await.unwrap().status(), 403);
    stage.issued("a wrong verify token", Whose::Nobody, wrong);
    let body = json!({"object": "whatsapp_business_account", "entry": []}).to_string();
    for (secret, status) in [(&stage.app_secret, 200), (&stage.verify_token, 401)] {
        let signature = callbacks::signature(secret, &body);
        let request = client().post(&webhook).header("x-hub-signature-256", signature);
        assert_eq!(request.body(body.clone()).send().await.unwrap().status(), status);
    }
    let twilio = format!("{}/channel/twilio/webhook", stage.base);
    send(
        form(twilio)
            .header("x-twilio-signature", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            .body("MessageSid=SM1"),
    )
    .await;
}

/// Sends messages and a template while the channel repeats the access token in its errors, as Meta
/// does with a malformed one.
pub async fn refusals_of_the_network(stage: &mut Stage, key: &Pair) {
    let mut sent = Vec::new();
    for number in 0..3 {
        let to = format!("+1202555017{number}");
        let hello = json!({"type": "text", "phone_number": to, "text": "Hello"});
        let request = client().post(format!("{}{SEND}", stage.base));
        let answer = Answer::of(with_credentials(request, key).json(&hello)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        sent.push(answer.text_of("id"));
        let template = json!({
            "name": format!("order_{number}"),
            "language": "en",
            "category": "utility",
            "components": [{"type": "BODY", "text": "Your order is on its way."}],
        });
        let request = client().post(format!("{}/api/v1/templates", stage.base));
        assert_eq!(Answer::of(with_credentials(request, key).json(&template)).await.status, 201);
    }
    stage.graph.until(|graph| graph.calls().len() >= 6).await;
    for _ in 0..400 {
        let mut failed = false;
        for path in sent.iter().map(|id| format!("{SEND}/{id}")) {
            let request = client().get(format!("{}{path}", stage.base));
            let message = Answer::of(with_credentials(request, key)).await.body;
            failed |= message["status"] == "failed";
        }
        let accounts = client().get(format!("{}/api/v1/accounts", stage.base));
        let accounts = Answer::of(with_credentials(accounts, key)).await;
        if failed && accounts.body["data"][0]["health"]["state"] != "ok" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process sends
    }
    panic!("the network refuses nothing");
}

/// Uploads and downloads a file, also with secrets in wrong places and while the bucket rejects its
/// access key.
pub async fn files(stage: &mut Stage, key: &Pair) {
    let to = |path: &str| format!("{}{path}", stage.base);
    let upload = |body: &Value| with_credentials(client().post(to(MEDIA)), key).json(body);
    let file = upload_body("text/plain", IN_THE_BUCKET.as_bytes());
    let uploaded = Answer::of(upload(&file)).await;
    assert_eq!(uploaded.status, 201, "{}", uploaded.text);
    let url = uploaded.text_of("url");
    let (_, path) = url.split_once("/media/").unwrap();
    let (shown, wrong) = (to(&format!("/media/{path}")), wrong_secret());
    assert_eq!(client().get(&shown).send().await.unwrap().status(), 200);
    for request in [
        client().get(&shown).header("x-client-secret", &wrong),
        client().get(&shown).bearer_auth(&wrong),
        client().get(format!("{shown}?client_secret={wrong}")),
        client().get(&shown).header("range", &wrong),
        client().get(&shown).header("if-none-match", &wrong),
        upload(&json!({"data": wrong, "content_type": "text/plain"})),
        upload(&json!({"data": file["data"], "content_type": wrong})),
        upload(&json!({"data": file["data"], "content_type": "text/plain", "secret": wrong})),
    ] {
        send(request).await;
    }
    stage.surroundings.refuse_in_the_bucket();
    assert_eq!(Answer::of(upload(&file)).await.status, 503);
    stage.issued("a secret beside a file", Whose::Nobody, wrong);
}

/// Calls while Redis rejects the password.
pub async fn locked_redis(stage: &mut Stage, key: &Pair) {
    let me =
        || Answer::of(with_credentials(client().get(format!("{}/api/v1/me", stage.base)), key));
    assert_eq!(me().await.status, 200);
    stage.surroundings.lock_redis().await;
    me().await.is_problem(503, "unavailable");
}

/// Makes calls with secrets while the database fails.
pub async fn failures(stage: &mut Stage, browser: &mut Browser, partner: &Partner, key: &Pair) {
    let code = code(stage, browser, partner).await;
    let (_, proof) = stage.page(browser, &creation_path(KEYS)).await;
    let mut beside = DirectConnection::connect(&stage.url).await;
    beside.execute("ALTER TABLE keys RENAME TO lost_keys").await;
    let me =
        Answer::of(with_credentials(client().get(format!("{}/api/v1/me", stage.base)), key)).await;
    assert!(me.status >= 500, "{}", me.text);
    let exchange = client().post(format!("{}/connect/token", stage.base));
    let exchange = Answer::of(exchange.json(&partner.exchange(&code))).await;
    assert!(exchange.status >= 500, "{}", exchange.text);
    let fields = [
        ("token", proof.as_str()),
        ("name", "Newsletter"),
        ("account", ""),
        ("rate_limit", "7"),
        ("scope", "messages.send"),
    ];
    browser.post(KEYS, &fields).await;
    beside.execute("ALTER TABLE sessions RENAME TO lost_sessions").await;
    browser.get(KEYS).await;
    let form_token = browser.get("/login").await;
    assert!(form_token.status >= 500, "{}", form_token.text);
}
