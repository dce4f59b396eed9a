//! Authentication and scopes (`docs/contract.md#credentials` and `docs/contract.md#api-keys`,
//! `docs/security.md` 22, 24 and 25).

use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, Pair, World, noon, on_both_databases, settings};
use api::admission::Access;
use delivery::cli::start;
use domain::key::KeyState;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use reqwest::header::HeaderValue;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
/// A well-formed id of no existing object.
const SOME_ID: &str = "msg_01h455vb4pex5vsknk084sn02q";

/// A call of one operation of the registry.
pub struct OperationCall {
    pub name: &'static str,
    pub access: Access,
    pub request: RequestBuilder,
}

/// Returns a call for each operation that takes a key, without credentials and with a body that no
/// operation accepts.
pub fn every_operation(world: &World) -> Vec<OperationCall> {
    let registry = api::registry();
    let specifications =
        registry.specifications().iter().filter(|it| it.access != Access::Application);
    let calls: Vec<OperationCall> = specifications
        .map(|it| {
            let method = Method::from_bytes(it.method.as_str().as_bytes()).unwrap();
            let request =
                world.http.request(method, format!("{}{}", world.base, fill_path(it.path)));
            let request = request.header("content-type", "text/plain").body("{ no body of ours");
            OperationCall { name: it.id, access: it.access, request }
        })
        .collect();
    assert!(calls.len() >= 6, "the registry has operations");
    calls
}

/// Replaces each parameter of a path with an id.
fn fill_path(path: &str) -> String {
    let steps = path.split('/').map(|step| if step.starts_with('{') { SOME_ID } else { step });
    steps.collect::<Vec<_>>().join("/")
}

/// Adds credentials to a request.
pub fn with_credentials(request: RequestBuilder, key: &Pair) -> RequestBuilder {
    request.header("x-client-id", &key.client_id).header("x-client-secret", &key.client_secret)
}

/// Asserts a 401 and returns the body. All calls use the same request id, so that their bodies can
/// be compared byte for byte.
async fn is_unauthorized(request: RequestBuilder) -> String {
    let answer = Answer::of(request.header("x-request-id", "the-same")).await;
    answer.is_problem(401, "invalid_credentials");
    assert_ne!(answer.header("www-authenticate"), "");
    assert_eq!(answer.header("x-request-id"), "the-same");
    for header in ["ratelimit", "ratelimit-policy", "retry-after"] {
        assert!(!answer.headers.contains_key(header), "{header}");
    }
    let fields: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["error", "code", "request_id"]);
    answer.text
}

async fn all_alike(requests: Vec<(&str, RequestBuilder)>) {
    let mut first: Option<String> = None;
    for (case, request) in requests {
        let text = is_unauthorized(request).await;
        let first = first.get_or_insert_with(|| text.clone());
        assert_eq!(&text, first, "{case}");
    }
}

/// Changes the last character of a secret, so that its checksum is wrong.
fn with_wrong_checksum(secret: &str) -> String {
    let (start, last) = secret.split_at(secret.len() - 1);
    format!("{start}{}", if last == "A" { "B" } else { "A" })
}

async fn wrong_pairs_are_refused_with_one_body(world: World) {
    // Given a valid key, and another one,
    let (key, other) = (world.key.clone(), world.key_of(world.organization).await);
    assert_eq!(world.get(ME, &key).await.status, 200);
    let (id, secret) = (key.client_id.as_str(), key.client_secret.as_str());

    // when the credentials are wrong in any way, then all responses are identical.
    let bare = || world.http.get(format!("{}{ME}", world.base));
    let with =
        |id: &str, secret: &str| bare().header("x-client-id", id).header("x-client-secret", secret);
    let nobody = format!("swk_{}", "0".repeat(22));
    let application = id.replacen("swk_", "swa_", 1);
    let unlike = |text: &str| {
        text.chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect::<String>()
    };
    all_alike(vec![
        ("nothing", bare()),
        ("no secret", bare().header("x-client-id", id)),
        ("no id", bare().header("x-client-secret", secret)),
        ("empty", with("", "")),
        ("another's secret", with(id, &other.client_secret)),
        ("an unknown id", with(&nobody, secret)),
        ("an application's id", with(&application, secret)),
        ("an id in other letters", with(&unlike(id), secret)),
        ("no id at all", with("me", secret)),
        ("a very long id", with(&"x".repeat(4000), secret)),
        ("a mistyped secret", with(id, &with_wrong_checksum(secret))),
        ("a secret in other letters", with(id, &unlike(secret))),
        ("a secret cut short", with(id, &secret[..secret.len() - 1])),
        ("a secret and more", with(id, &format!("{secret}0"))),
        ("no secret of ours", with(id, "hunter2")),
    ])
    .await;

    // All 401 answers have the same body, so it says what to do for both kinds of keys.
    let text = is_unauthorized(with(id, "")).await;
    for advice in ["Check both values", "If the key came from Connect", "connect again"] {
        assert!(text.contains(advice), "{text}");
    }
}

async fn credentials_outside_their_headers_are_rejected(world: World) {
    // Given a valid key, when its credentials are not in exactly one header each, then the call
    // is rejected.
    let (id, secret) = (world.key.client_id.as_str(), world.key.client_secret.as_str());
    let bare = |query: &str| world.http.get(format!("{}{ME}{query}", world.base));
    let latin = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0xe9);
        HeaderValue::from_bytes(&bytes).unwrap()
    };
    let body = json!({
        "client_id": id,
        "client_secret": secret,
        "x-client-id": id,
        "x-client-secret": secret,
        "type": "text",
        "phone_number": "+12025550100",
        "text": "Hello",
    });
    let in_address =
        format!("?x-client-id={id}&x-client-secret={secret}&client_id={id}&client_secret={secret}");
    all_alike(vec![
        ("in the address", bare(&in_address)),
        ("in the body", world.http.post(format!("{}{SEND}", world.base)).json(&body)),
        ("as a user and a password", bare("").basic_auth(id, Some(secret))),
        ("as a token", bare("").bearer_auth(secret)),
        (
            "in a cookie",
            bare("").header("cookie", format!("x-client-id={id}; x-client-secret={secret}")),
        ),
        ("the id twice", with_credentials(bare("").header("x-client-id", id), &world.key)),
        (
            "the secret twice",
            with_credentials(bare("").header("x-client-secret", secret), &world.key),
        ),
        (
            "another secret first",
            with_credentials(bare("").header("x-client-secret", "other"), &world.key),
        ),
        (
            "an id that is not ASCII",
            bare("").header("x-client-id", latin(id)).header("x-client-secret", secret),
        ),
        (
            "a secret that is not ASCII",
            bare("").header("x-client-id", id).header("x-client-secret", latin(secret)),
        ),
    ])
    .await;

    // None of these calls was counted, and none sent a message.
    let me = world.get(ME, &world.key).await;
    assert_eq!(me.body["plan"]["api_calls"]["used"], 1);
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
}

async fn a_disabled_and_a_deleted_key_are_refused_as_a_wrong_one_is(world: World) {
    // Given two keys of which one is disabled and one is deleted,
    let disabled = world.key_of(world.organization).await;
    let deleted = world.key_of(world.organization).await;
    for key in [&disabled, &deleted] {
        assert_eq!(world.get(ME, key).await.status, 200);
    }
    world.admin().set_key_state(&disabled.client_id, KeyState::Inactive).await.unwrap();
    world.admin().delete_key(&deleted.client_id).await.unwrap();

    // when they call, then the responses do not reveal which keys exist.
    let nobody = Pair { client_id: format!("swk_{}", "0".repeat(22)), ..world.key.clone() };
    let call = |key: &Pair| world.request(Method::GET, ME, key);
    all_alike(vec![
        ("nobody's", call(&nobody)),
        ("disabled", call(&disabled)),
        ("deleted", call(&deleted)),
    ])
    .await;
}

async fn switching_a_key_off_and_on_holds_from_the_next_call(world: World) {
    let (key, admin) = (world.key.clone(), world.admin());
    for _ in 0..5 {
        assert_eq!(world.get(ME, &key).await.status, 200);
        admin.set_key_state(&key.client_id, KeyState::Inactive).await.unwrap();
        world.get(ME, &key).await.is_problem(401, "invalid_credentials");
        admin.set_key_state(&key.client_id, KeyState::Active).await.unwrap();
    }
    // The end of one key does not affect another key of the organization.
    let other = world.key_of(world.organization).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    admin.delete_key(&key.client_id).await.unwrap();
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");
    assert!(admin.set_key_state(&key.client_id, KeyState::Active).await.is_err());
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");
    assert_eq!(world.get(ME, &other).await.status, 200);
}

async fn every_operation_refuses_who_has_no_credentials(world: World) {
    let mut bodies = Vec::new();
    for called in every_operation(&world) {
        bodies.push((called.name, is_unauthorized(called.request).await));
    }
    assert!(bodies.iter().all(|(_, body)| *body == bodies[0].1), "{bodies:?}");
}

async fn every_operation_refuses_a_key_without_its_scope_before_it_looks_at_the_body(world: World) {
    for called in every_operation(&world) {
        let Some(required) = called.access.scope() else { continue };
        // Given a key with all scopes except those of which one is required,
        let sufficient: Vec<Scope> = called.access.scopes().collect();
        let others = Scope::ALL.iter().copied().filter(|it| !sufficient.contains(it));
        let others: Vec<Scope> = others.collect();
        let key = world.key_with(world.organization, &others, None, 0).await;

        // when it calls the operation with an unreadable body,
        let answer = Answer::of(with_credentials(called.request, &key)).await;

        // then the error names the missing scope.
        answer.is_problem(403, "insufficient_scope");
        let names: Vec<&str> = others.iter().map(|scope| scope.as_str()).collect();
        assert_eq!(answer.body["required_scope"], required.as_str(), "{}", called.name);
        assert_eq!(answer.body["granted_scopes"], json!(names), "{}", called.name);
        let fields: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["error", "code", "request_id", "required_scope", "granted_scopes"]);
    }
}

async fn every_operation_admits_a_key_with_its_scope_alone(world: World) {
    for called in every_operation(&world) {
        let mut keys: Vec<Vec<Scope>> = called.access.scopes().map(|it| vec![it]).collect();
        if keys.is_empty() {
            keys.push(Vec::new());
        }
        for scopes in keys {
            let key = world.key_with(world.organization, &scopes, None, 0).await;
            let request = called.request.try_clone().expect("a body in memory");
            let answer = Answer::of(with_credentials(request, &key)).await;
            let is_admitted = ![401, 403, 429, 500].contains(&answer.status);
            assert!(is_admitted, "{} {scopes:?}: {}", called.name, answer.text);
        }
    }
}

async fn a_key_without_any_scope_may_ask_who_it_is(world: World) {
    let key = world.key_with(world.organization, &[], None, 0).await;
    let me = world.get(ME, &key).await;
    assert_eq!(me.status, 200, "{}", me.text);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&me.body), @r#"
    {
      "key": {
        "id": "key_1",
        "name": "Integration",
        "client_id": "swk_1",
        "type": "manual",
        "scopes": [],
        "rate_limit": 0,
        "created_at": "2026-11-21T12:00:00.000Z",
        "last_used_at": "2026-11-21T12:00:00.000Z"
      },
      "organization": {
        "id": "org_1",
        "name": "Acme"
      },
      "account": {
        "id": "acc_1",
        "phone_number": "+12025550190",
        "display_name": "Shop",
        "binding": "default",
        "health": {
          "state": "ok",
          "reason": null,
          "message": null,
          "since": null,
          "quality": null,
          "limit": null,
          "pace": null
        }
      },
      "plan": {
        "name": "Unlimited",
        "status": "active",
        "api_calls": {
          "limit": null,
          "used": 1,
          "resets_at": "2026-11-22T00:00:00.000Z"
        },
        "messages": {
          "limit": null,
          "used": 0,
          "resets_at": "2026-12-01T00:00:00.000Z"
        }
      },
      "application": null,
      "connection": null
    }
    "#);
    assert_eq!(me.body["key"]["client_id"], key.client_id);
    assert!(!me.text.contains("sws_"), "the secret is not shown again: {}", me.text);
}

async fn each_use_of_a_key_is_stamped(world: World) {
    // Given a key that was never used,
    let key = world.key_with(world.organization, &[], None, 0).await;
    let stored = async || {
        let deps = &world.server.deps;
        deps.usage_counter.flush(&deps.db).await.unwrap();
        let found = deps.db.caller(key.secret_digest()).await.unwrap().unwrap();
        let uses = deps.db.organization(world.organization).last_uses(vec![found.key.id]);
        uses.await.unwrap().get(&found.key.id).copied()
    };
    assert_eq!(stored().await, None);

    // when it calls, then the response shows the time of this call, and that time is stored.
    world.advance(Duration::from_millis(5_250));
    let me = world.get(ME, &key).await;
    assert_eq!(me.body["key"]["created_at"], "2026-11-21T12:00:00.000Z");
    assert_eq!(me.body["key"]["last_used_at"], "2026-11-21T12:00:05.250Z");
    assert_eq!(stored().await, Some(noon().plus(Duration::from_millis(5_250))));

    // A call that is rejected after authentication still counts as a use of the key,
    world.advance(Duration::from_mins(1));
    world.post(SEND, &key, &json!({})).await.is_problem(403, "insufficient_scope");
    assert_eq!(stored().await, Some(noon().plus(Duration::from_millis(65_250))));

    // and a call with a wrong secret does not.
    world.advance(Duration::from_mins(1));
    let wrong = Pair { client_secret: world.key.client_secret.clone(), ..key.clone() };
    world.get(ME, &wrong).await.is_problem(401, "invalid_credentials");
    assert_eq!(stored().await, Some(noon().plus(Duration::from_millis(65_250))));
}

/// No instance keeps using what it cached about a key (`docs/security.md` 25).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_switched_off_is_refused_by_every_instance() {
    // Given two servers on one database that have both just served the key,
    let world = World::on_postgres().await;
    let second =
        start(settings(world.database_url()), world.clock.clone(), false).await.expect("it starts");
    let elsewhere = format!("http://{}{ME}", second.address);
    let call = || Answer::of(with_credentials(world.http.get(&elsewhere), &world.key));
    for _ in 0..5 {
        assert_eq!(call().await.status, 200);
        assert_eq!(world.get(ME, &world.key).await.status, 200);

        // when the key is disabled, then no later call succeeds on either server.
        let state = KeyState::Inactive;
        world.admin().set_key_state(&world.key.client_id, state).await.unwrap();
        call().await.is_problem(401, "invalid_credentials");
        world.get(ME, &world.key).await.is_problem(401, "invalid_credentials");

        let state = KeyState::Active;
        world.admin().set_key_state(&world.key.client_id, state).await.unwrap();
        assert_eq!(call().await.status, 200);
    }
}

async fn a_pair_may_come_as_one_bearer_token(world: World) {
    let Pair { client_id, client_secret } = &world.key;
    let me = || world.http.get(format!("{}{ME}", world.base));
    let with = |authorization: &str| me().header("authorization", authorization);
    let token = format!("{client_id}.{client_secret}");
    for authorization in [format!("Bearer {token}"), format!("bearer {token}")] {
        let answer = Answer::of(with(&authorization)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.body["key"]["client_id"], json!(client_id));
    }
    // A pair of another scheme beside the two headers is the affair of a proxy.
    let beside = with_credentials(with("Basic dXNlcjpwYXNz"), &world.key);
    assert_eq!(Answer::of(beside).await.status, 200);
    let bearer = format!("Bearer {token}");
    let wrong_sum = with_wrong_checksum(client_secret);
    let other = world.key_of(world.organization_on("Other", "Unlimited").await).await;
    all_alike(vec![
        ("no credentials", me()),
        ("both ways", with_credentials(with(&bearer), &world.key)),
        ("with the client id", with(&bearer).header("x-client-id", client_id)),
        ("twice", with(&bearer).header("authorization", &bearer)),
        ("empty", with("Bearer")),
        ("without a secret", with(&format!("Bearer {client_id}"))),
        ("cut short", with(&bearer[..bearer.len() - 1])),
        ("cut in the middle", with(&bearer[..bearer.len() / 2])),
        ("without its dot", with(&bearer.replace('.', ""))),
        ("wrong checksum", with(&format!("Bearer {client_id}.{wrong_sum}"))),
        ("another key's secret", with(&format!("Bearer {client_id}.{}", other.client_secret))),
        ("Basic", with("Basic dXNlcjpwYXNz")),
    ])
    .await;
    let answer = Answer::of(with("Bearer x")).await;
    let challenges: Vec<_> =
        answer.headers.get_all("www-authenticate").iter().map(|it| it.to_str().unwrap()).collect();
    assert!(
        challenges.contains(&"Bearer realm=\"switchboard\", error=\"invalid_token\""),
        "{challenges:?}"
    );
}

on_both_databases! {
    a_pair_may_come_as_one_bearer_token,
    wrong_pairs_are_refused_with_one_body,
    credentials_outside_their_headers_are_rejected,
    a_disabled_and_a_deleted_key_are_refused_as_a_wrong_one_is,
    switching_a_key_off_and_on_holds_from_the_next_call,
    every_operation_refuses_who_has_no_credentials,
    every_operation_refuses_a_key_without_its_scope_before_it_looks_at_the_body,
    every_operation_admits_a_key_with_its_scope_alone,
    a_key_without_any_scope_may_ask_who_it_is,
    each_use_of_a_key_is_stamped,
}
