//! HEAD is answered like GET, without the body (RFC 9110, 9.3.2).

use crate::connect::{Browser, create_member};
use crate::media_files::{PDF, upload};
use crate::template_creation::{create_template, plain_template};
use crate::world::{World, on_both_databases};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::json;

/// Headers that differ between any two answers.
const OF_THE_MOMENT: [&str; 5] = ["date", "x-request-id", "ratelimit", "set-cookie", "connection"];

fn lasting_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut lasting: Vec<(String, String)> = headers
        .iter()
        .filter(|(name, _)| !OF_THE_MOMENT.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    lasting.sort();
    lasting
}

async fn is_answered_alike(what: &str, request: impl Fn(Method) -> RequestBuilder) {
    let get = request(Method::GET).send().await.unwrap();
    let (status, headers) = (get.status(), lasting_headers(get.headers()));
    let length = get.bytes().await.unwrap().len();
    let head = request(Method::HEAD).send().await.unwrap();
    assert_eq!(head.status(), status, "{what}");
    assert_eq!(lasting_headers(head.headers()), headers, "{what}");
    assert_ne!(head.status(), 405, "{what}");
    let said = head.headers().get("content-length").map(|it| it.to_str().unwrap().parse().unwrap());
    assert_eq!(said.unwrap_or(length), length, "{what}");
    assert!(head.bytes().await.unwrap().is_empty(), "{what}");
}

async fn readable_paths_answer_head(world: World) {
    let template = create_template(&world, &plain_template("hello")).await;
    let sent = world
        .post(
            "/api/v1/messages",
            &world.key,
            &json!({"type": "text", "phone_number": "+12025550110", "text": "Hello"}),
        )
        .await;
    let file = upload(&world, "application/pdf", "menu.pdf", PDF).await;
    let file = file["url"]
        .as_str()
        .unwrap()
        .strip_prefix(crate::media_files::BASE_URL)
        .unwrap()
        .to_owned();
    world.settle().await;
    // Pages, scripts and documents that anybody may read,
    for path in [
        "/",
        "/login",
        "/connect/button.js",
        "/docs",
        "/docs.md",
        "/docs/messages",
        "/docs/messages.md",
        "/docs/nothing",
        "/openapi.json",
        "/postman.json",
        "/llms.txt",
        "/healthz",
        "/readyz",
        "/favicon.ico",
        "/assets/app.css",
        "/assets/nothing.css",
        "/nowhere",
        "/integrations/keys",
        "/connect/authorize?client_id=swa_nobody",
        &file,
        "/channel/cloud/webhook?hub.mode=subscribe",
        "/api/v1/nowhere",
    ] {
        is_answered_alike(path, |method| {
            world.http.request(method, format!("{}{path}", world.base))
        })
        .await;
    }
    // every operation that reads, with a key and without,
    for it in api::registry().specifications().iter().filter(|it| it.method.as_str() == "GET") {
        let id = if it.path.contains("templates") {
            template["id"].as_str().unwrap().to_owned()
        } else {
            sent.text_of("id")
        };
        let steps =
            it.path.split('/').map(|step| if step.starts_with('{') { id.as_str() } else { step });
        let path = format!("{}?phone_number=%2B12025550110", steps.collect::<Vec<_>>().join("/"));
        let path = if it.path.contains("history") {
            path
        } else {
            path.split('?').next().unwrap().to_owned()
        };
        is_answered_alike(&path, |method| world.request(method, &path, &world.key)).await;
        is_answered_alike(&path, |method| {
            world.http.request(method, format!("{}{path}", world.base))
        })
        .await;
    }
    // and a member's pages.
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    browser.sign_in("/login").await;
    for path in [
        "/",
        "/integrations/keys",
        "/integrations/connected",
        "/integrations/apps",
        "/integrations/applications",
        "/integrations/webhooks",
        "/plan",
    ] {
        let cookie = browser.cookie.clone().unwrap();
        is_answered_alike(path, |method| browser.request(method, path).header("cookie", &cookie))
            .await;
    }
}

/// A HEAD request costs the caller as much as a GET.
async fn head_counts_as_a_call(world: World) {
    let used = async || {
        world.get("/api/v1/me", &world.key).await.body["plan"]["api_calls"]["used"].clone()
    };
    assert_eq!(used().await, 1);
    let head = world.request(Method::HEAD, "/api/v1/me", &world.key).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(used().await, 3);
    for method in [Method::HEAD, Method::GET] {
        // A path that can only be written does not allow HEAD.
        let answer = world.request(method, "/api/v1/media", &world.key).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 405);
        assert_eq!(answer.headers()["allow"].to_str().unwrap(), "POST");
    }
    let other = world.request(Method::PUT, "/api/v1/me", &world.key).send().await.unwrap();
    assert_eq!(other.headers()["allow"], "GET, HEAD, DELETE");
}

on_both_databases! {
    readable_paths_answer_head,
    head_counts_as_a_call,
}
