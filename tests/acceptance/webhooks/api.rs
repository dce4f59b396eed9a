//! Webhook endpoints, managed through the API (`docs/contract.md#webhooks`).

use super::receiver::Receiver;
use super::{SECOND, send_message, with_receivers};
use crate::connect::Partner;
use crate::world::{Answer, Pair, World};
use auth::webhook::WebhookSecret;
use domain::scope::Scope;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

const ENDPOINTS: &str = "/api/v1/webhook-endpoints";

async fn call(world: &World, method: Method, path: &str, key: &Pair, body: &Value) -> Answer {
    Answer::of(world.request(method, path, key).json(body)).await
}

async fn create(world: &World, key: &Pair, body: &Value) -> Value {
    let answer = world.post(ENDPOINTS, key, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body
}

async fn changes_of_different_fields_at_the_same_instant_all_count(world: World) {
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "events": ["*"]});
    let created = create(&world, &world.key, &body).await;
    let path = format!("{ENDPOINTS}/{}", created["id"].as_str().unwrap());
    for round in 0..10 {
        let events = if round % 2 == 0 { "message.failed" } else { "message.queued" };
        let description = format!("Round {round}");
        let url = format!("{}?round={round}", receiver.url);
        let changes =
            [json!({"events": [events]}), json!({"description": description}), json!({"url": url})];
        let sent = changes.iter().map(|it| call(&world, Method::PATCH, &path, &world.key, it));
        for answer in futures_util::future::join_all(sent).await {
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        let endpoint = world.get(&path, &world.key).await.body;
        assert_eq!(endpoint["events"], json!([events]));
        assert_eq!(endpoint["description"], json!(description));
        assert_eq!(endpoint["url"], json!(url));
    }
}

async fn an_endpoint_is_created_read_changed_and_deleted(world: World) {
    let receiver = Receiver::start().await;
    let body = json!({
        "url": receiver.url,
        "description": "Orders",
        "events": ["message.queued", "message.failed"],
    });
    let mut created = create(&world, &world.key, &body).await;
    let secret = created.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(secret.as_str().unwrap().starts_with("whsec_"));
    let id = created["id"].as_str().unwrap().to_owned();
    let path = format!("{ENDPOINTS}/{id}");
    assert_eq!(
        created,
        json!({
            "id": id,
            "url": receiver.url,
            "description": "Orders",
            "events": ["message.queued", "message.failed"],
            "state": "enabled",
            "disabled_reason": null,
            "disabled_at": null,
            "failing_since": null,
            "created_at": "2026-11-21T12:00:00.000Z",
        })
    );
    // The secret is shown once.
    assert_eq!(world.get(&path, &world.key).await.body, created);
    let listed = world.get(ENDPOINTS, &world.key).await.body;
    assert_eq!(listed, json!({"data": [created], "has_more": false, "next_after": null}));
    // Fields that are omitted stay.
    let changed = json!({"description": "", "events": ["*"]});
    let changed = call(&world, Method::PATCH, &path, &world.key, &changed).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.body["description"], Value::Null);
    assert_eq!(changed.body["events"], json!(["*"]));
    assert_eq!(changed.body["url"], json!(receiver.url));
    let off = json!({"state": "disabled"});
    let off = call(&world, Method::PATCH, &path, &world.key, &off).await.body;
    assert_eq!(off["state"], "disabled");
    assert_eq!(off["disabled_reason"], "by_member");
    let on = json!({"state": "enabled"});
    let on = call(&world, Method::PATCH, &path, &world.key, &on).await.body;
    assert_eq!(on["disabled_reason"], Value::Null);
    let deleted = call(&world, Method::DELETE, &path, &world.key, &json!({})).await;
    assert_eq!(deleted.body, json!({"id": id, "deleted": true}));
    world.get(&path, &world.key).await.is_problem(404, "not_found");
}

async fn deliveries_are_listed_resent_and_replayed(world: World) {
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "events": ["message.queued"]});
    let created = create(&world, &world.key, &body).await;
    let secret = WebhookSecret::parse(created["secret"].as_str().unwrap()).unwrap();
    let path = format!("{ENDPOINTS}/{}", created["id"].as_str().unwrap());
    let deliveries = format!("{path}/deliveries");
    for _ in 0..3 {
        send_message(&world).await;
        world.advance(SECOND);
    }
    world.settle().await;
    // Then each is listed with its result, newest first, page by page.
    let page = world.get(&format!("{deliveries}?limit=2"), &world.key).await.body;
    assert_eq!(page["data"].as_array().unwrap().len(), 2, "{page:#}");
    assert_eq!(page["has_more"], true);
    let first = &page["data"][0];
    assert_eq!(first["type"], "message.queued");
    assert_eq!(first["status"], "succeeded");
    assert_eq!(first["attempts"], 1);
    assert_eq!(first["last_status"], 200);
    assert_eq!(first["next_attempt_at"], Value::Null);
    let next = page["next_after"].as_str().unwrap();
    let rest = format!("{deliveries}?limit=2&after={next}");
    let rest = world.get(&rest, &world.key).await.body;
    assert_eq!(rest["data"].as_array().unwrap().len(), 1);
    assert_eq!(rest["next_after"], Value::Null);
    let none = world.get(&format!("{deliveries}?status=failed"), &world.key).await.body;
    assert_eq!(none["data"], json!([]));
    // A resend is another attempt with the same event.
    let before = receiver.received().len();
    let id = first["id"].as_str().unwrap();
    let resent = world.post(&format!("{deliveries}/{id}/resend"), &world.key, &json!({})).await;
    assert_eq!(resent.status, 200, "{}", resent.text);
    assert_eq!(resent.body["id"], first["id"]);
    world.settle().await;
    assert_eq!(receiver.received().len(), before + 1);
    // A replay delivers the events of a period again.
    let period = json!({"since": "2026-11-21T11:00:00Z"});
    let replay = world.post(&format!("{path}/replay"), &world.key, &period).await;
    assert_eq!(replay.status, 200, "{}", replay.text);
    assert!(replay.body["events"].as_i64().unwrap() >= 3, "{}", replay.text);
    world.settle().await;
    assert_eq!(receiver.received().len(), before + 4);
    // A test is sent whatever the endpoint selects, and signed with the new secret as well.
    let rotated = world.post(&format!("{path}/rotate"), &world.key, &json!({})).await;
    assert_eq!(rotated.status, 200, "{}", rotated.text);
    let new = WebhookSecret::parse(rotated.body["secret"].as_str().unwrap()).unwrap();
    let test = world.post(&format!("{path}/test"), &world.key, &json!({})).await;
    assert_eq!(test.status, 200, "{}", test.text);
    assert_eq!(test.body["type"], "webhook.test");
    world.settle().await;
    let last = receiver.received().pop().unwrap();
    assert!(last.is_signed_by(&secret) && last.is_signed_by(&new));
}

async fn resends_and_replays_are_listed_for_readers_of_events(world: World) {
    // Given an endpoint with two deliveries,
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "events": ["message.queued"]});
    let created = create(&world, &world.key, &body).await;
    let path = format!("{ENDPOINTS}/{}", created["id"].as_str().unwrap());
    for _ in 0..2 {
        send_message(&world).await;
        world.advance(SECOND);
    }
    world.settle().await;
    let events = world.get("/api/v1/events?type=message.queued", &world.key).await.body;
    assert_eq!(events["resends"], Value::Null, "only who asks for them gets them");
    let sequences = [&events["data"][0]["sequence"], &events["data"][1]["sequence"]];
    let resends = async |after: i64| {
        let path = format!("/api/v1/events?limit=1&resends_after={after}");
        let answer = world.get(&path, &world.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["resends"].clone()
    };
    assert_eq!(resends(0).await, json!([]));

    // when a delivery is resent and a period is replayed, then both are told, in order,
    let page = world.get(&format!("{path}/deliveries"), &world.key).await.body;
    let newest = page["data"][0]["id"].as_str().unwrap();
    let resend = format!("{path}/deliveries/{newest}/resend");
    assert_eq!(world.post(&resend, &world.key, &json!({})).await.status, 200);
    let period = json!({"since": "2026-11-21T11:00:00Z"});
    let replay = world.post(&format!("{path}/replay"), &world.key, &period).await;
    let replayed = replay.body["events"].as_i64().unwrap();
    let all = resends(0).await;
    let one = json!({"number": 1, "first_sequence": sequences[1], "last_sequence": sequences[1]});
    assert_eq!(all[0], one);
    let (first, last) = (&all[1]["first_sequence"], &all[1]["last_sequence"]);
    assert_eq!(last.as_i64().unwrap() - first.as_i64().unwrap() + 1, replayed, "{all}");
    assert!(first.as_i64() <= sequences[0].as_i64(), "{all}");
    assert_eq!(resends(1).await, json!([all[1]]));
    assert_eq!(resends(2).await, json!([]));

    // of no other organization, and the newest 100 only.
    let other = world.organization_on("Other", "Unlimited").await;
    let other = world.key_of(other).await;
    let theirs = world.get("/api/v1/events?resends_after=0", &other).await.body;
    assert_eq!(theirs["resends"], json!([]));
    for _ in 0..100 {
        assert_eq!(world.post(&format!("{path}/replay"), &world.key, &period).await.status, 200);
    }
    let kept = resends(0).await;
    assert_eq!(kept.as_array().unwrap().len(), 100);
    assert_eq!(kept[0]["number"], 3);
    assert_eq!(kept[99]["number"], 102);
    let wrong = world.get("/api/v1/events?resends_after=-1", &world.key).await;
    wrong.has_faults(&[("resends_after", "out_of_range")]);
}

async fn a_repeated_request_gets_the_same_secret(world: World) {
    let receiver = Receiver::start().await;
    let create = || {
        let request = world.request(Method::POST, ENDPOINTS, &world.key);
        let body = json!({"url": receiver.url});
        Answer::of(request.header("idempotency-key", "endpoint-1").json(&body))
    };
    let first = create().await;
    assert_eq!(first.status, 201, "{}", first.text);
    let again = create().await;
    assert_eq!(again.status, 201);
    assert_eq!(again.text, first.text);
    let listed = world.get(ENDPOINTS, &world.key).await.body;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

async fn wrong_input_is_explained(world: World) {
    let receiver = Receiver::start().await;
    for (body, field, code) in [
        (json!({}), "url", "required"),
        (json!({"url": "ftp://example.com/"}), "url", "invalid_format"),
        (json!({"url": "https://a:b@example.com/"}), "url", "invalid_format"),
        (json!({"url": "https://10.0.0.7/"}), "url", "invalid_format"),
        (json!({"url": receiver.url, "events": []}), "events", "empty"),
        (json!({"url": receiver.url, "events": ["message.lost"]}), "events", "not_one_of"),
        (json!({"url": receiver.url, "events": ["webhook.test"]}), "events", "not_one_of"),
    ] {
        let answer = world.post(ENDPOINTS, &world.key, &body).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[(field, code)]);
        let sentence = answer.body["error"].as_str().unwrap();
        assert!(sentence.ends_with('.') && !sentence.ends_with(".."), "{sentence}");
    }
    let created = create(&world, &world.key, &json!({"url": receiver.url})).await;
    let path = format!("{ENDPOINTS}/{}", created["id"].as_str().unwrap());
    let wrong = json!({"state": "paused"});
    let answer = call(&world, Method::PATCH, &path, &world.key, &wrong).await;
    answer.has_faults(&[("state", "not_one_of")]);
    for (body, field, code) in [
        (json!({}), "since", "required"),
        (json!({"since": "yesterday"}), "since", "invalid_format"),
        (json!({"since": "2026-11-22T00:00:00Z"}), "until", "out_of_range"),
    ] {
        let answer = world.post(&format!("{path}/replay"), &world.key, &body).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[(field, code)]);
    }
    for _ in 1..50 {
        create(&world, &world.key, &json!({"url": receiver.url})).await;
    }
    let answer = world.post(ENDPOINTS, &world.key, &json!({"url": receiver.url})).await;
    answer.is_problem(409, "too_many_endpoints");
}

async fn concurrent_creations_do_not_exceed_fifty_endpoints(world: World) {
    let body = json!({"url": "https://example.com/hooks", "events": ["message.failed"]});
    let mut created = 0;
    // Forty at a time, so that the last places are free when many ask for them.
    for _ in 0..25 {
        let all = (0..40).map(|_| world.post(ENDPOINTS, &world.key, &body));
        for answer in join_all(all).await {
            if answer.status == 201 {
                created += 1;
            } else {
                answer.is_problem(409, "too_many_endpoints");
            }
        }
    }
    assert_eq!(created, 50);
    let listed = world.get(ENDPOINTS, &world.key).await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 50, "{}", listed.text);
}

async fn an_application_manages_its_own_endpoints(world: World) {
    let receiver = Receiver::start().await;
    let partner = Partner::registered(&world, Some(world.organization), false).await;
    let pair = Pair {
        client_id: partner.application.client_id.clone(),
        client_secret: partner.application.client_secret.clone(),
    };
    let theirs = create(&world, &pair, &json!({"url": receiver.url})).await;
    let path = format!("{ENDPOINTS}/{}", theirs["id"].as_str().unwrap());
    assert_eq!(world.get(&path, &pair).await.status, 200);
    // Its endpoints are not the organization's, and the other way round.
    world.get(&path, &world.key).await.is_problem(404, "not_found");
    assert_eq!(world.get(ENDPOINTS, &world.key).await.body["data"], json!([]));
    let ours = create(&world, &world.key, &json!({"url": receiver.url})).await;
    let path = format!("{ENDPOINTS}/{}", ours["id"].as_str().unwrap());
    world.get(&path, &pair).await.is_problem(404, "not_found");
    let basic = world.http.get(format!("{}{ENDPOINTS}", world.base));
    let basic = basic.basic_auth(&pair.client_id, Some(&pair.client_secret));
    assert_eq!(Answer::of(basic).await.body["data"].as_array().unwrap().len(), 1);
    // Two kinds of credentials at once are refused: it would be unclear which one counts.
    let both = world.request(Method::GET, ENDPOINTS, &pair);
    let bearer = format!("{}.{}", world.key.client_id, world.key.client_secret);
    Answer::of(both.bearer_auth(bearer)).await.is_problem(401, "invalid_credentials");
    // Another organization finds neither.
    let other = world.organization_on("Other", "Unlimited").await;
    let other = world.key_of(other).await;
    for (method, tail) in [
        (Method::GET, ""),
        (Method::PATCH, ""),
        (Method::DELETE, ""),
        (Method::POST, "/rotate"),
        (Method::POST, "/test"),
        (Method::GET, "/deliveries"),
        (Method::POST, "/deliveries/dlv_01h455vb4pex5vsknk084sn02q/resend"),
    ] {
        let path = format!("{path}{tail}");
        call(&world, method, &path, &other, &json!({})).await.is_problem(404, "not_found");
    }
    let reads = world.key_with(world.organization, &[Scope::ConversationsRead], None, 0).await;
    world.get(ENDPOINTS, &reads).await.is_problem(403, "insufficient_scope");
}

with_receivers! {
    changes_of_different_fields_at_the_same_instant_all_count,
    an_endpoint_is_created_read_changed_and_deleted,
    deliveries_are_listed_resent_and_replayed,
    resends_and_replays_are_listed_for_readers_of_events,
    a_repeated_request_gets_the_same_secret,
    wrong_input_is_explained,
    concurrent_creations_do_not_exceed_fifty_endpoints,
    an_application_manages_its_own_endpoints,
}
