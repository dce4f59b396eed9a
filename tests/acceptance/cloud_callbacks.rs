//! Callbacks of the Cloud API (`docs/contract.md#channel`): only Meta can send them, repeated ones
//! are harmless, and they affect only messages of the number that they are about.

use crate::cloud::{
    APP_SECRET, BUSINESS, Cloud, MINUTE, NOON, NUMBER, PERSON, PERSON_THERE, SECOND, SEND, TestRng,
    VERIFY_TOKEN, WEBHOOK, from_person, on_both_clouds,
};
use crate::template_creation::{plain_template, read_template};
use crate::world::graph::Fault;
use crate::world::graph::callbacks::{self, Inbound, signature};
use crate::world::{Answer, World};
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;

async fn handshake(world: &World, query: &str) -> Answer {
    Answer::of(world.http.get(format!("{}{WEBHOOK}?{query}", world.base))).await
}

/// The parameters that Meta gives.
fn valid_query() -> String {
    format!("hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token={VERIFY_TOKEN}")
}

/// Builds a callback with a text message of this size in bytes.
fn callback_of(bytes: usize) -> String {
    let mut text = from_person("wamid.A").text("Hello").to_string();
    text.extend(std::iter::repeat_n(' ', bytes - text.len()));
    text
}

/// Posts all of these callbacks in this order, merged into one or one by one.
async fn post_callbacks(cloud: &Cloud, post_callback: &[Value], at_once: bool) {
    if at_once {
        return cloud.post_callback(&callbacks::merge(post_callback.to_vec())).await;
    }
    for callback in post_callback {
        cloud.post_callback(callback).await;
    }
}

/// Returns the position of a status in a message's life.
fn status_position(status: &str) -> usize {
    ["queued", "sent", "delivered", "read"].iter().position(|it| *it == status).unwrap_or(4)
}

/// Sends a message. Returns our id and the channel's id.
async fn send_text(cloud: &Cloud, to: &str) -> (String, String) {
    let id = cloud.text(to, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    (id, wamid)
}

async fn statuses_for_both_channel_ids_of_a_message_apply(cloud: Cloud) {
    for (index, (first, second)) in
        [("sent", "read"), ("read", "sent"), ("delivered", "read")].into_iter().enumerate()
    {
        // Given a message that the channel accepted twice, because its first response was lost,
        cloud.faults([Fault::DropAfter]);
        let id = cloud.text(&format!("+1202556{index:04}"), "Hello").await;
        cloud.settle().await;
        cloud.advance_by(2, MINUTE).await;
        let wamids: Vec<String> = cloud.accepted(&id).into_iter().map(|it| it.wamid).collect();
        assert_eq!(wamids.len(), 2);
        // when statuses for both channel ids are processed together,
        cloud.report(&cloud.status_callback(&wamids[0], Some(&id), first)).await;
        cloud.report(&cloud.status_callback(&wamids[1], Some(&id), second)).await;
        cloud.settle().await;
        cloud.advance_by(5, MINUTE).await;
        // then the message has the later of the two statuses.
        assert_eq!(cloud.status(&id).await, "read", "{first}, {second}");
        assert!(cloud.is_idle().await);
    }
}

async fn the_callback_url_is_verified_with_the_token(cloud: Cloud) {
    // A request with the right token gets the challenge back,
    let answer = handshake(&cloud, &valid_query()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.text, "1158201444");
    assert!(answer.header("content-type").starts_with("text/plain"));
    let answer = handshake(&cloud, &valid_query().replace("1158201444", "%3Cb%3E%26")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.text, "<b>&");
    assert!(answer.header("content-type").starts_with("text/plain"));

    // and no other request does.
    let token = format!("hub.verify_token={VERIFY_TOKEN}");
    for wrong in [
        String::new(),
        valid_query().replace(VERIFY_TOKEN, "other"),
        valid_query().replace(VERIFY_TOKEN, ""),
        valid_query().replace(&token, "a=b"),
        valid_query().replace("subscribe", "unsubscribe"),
        valid_query().replace("hub.challenge", "challenge"),
        valid_query().replace(VERIFY_TOKEN, "MEATYHAMHOCK"),
        format!("{}&{token}", valid_query()),
        format!("{}&hub.verify_token=other", valid_query()),
        format!("hub.verify_token=other&{}", valid_query()),
        format!("{}&hub.challenge=2", valid_query()),
        format!("{}&hub.mode=subscribe", valid_query()),
        format!("{}%20", valid_query()),
    ] {
        let answer = handshake(&cloud, &wrong).await;
        assert!(
            !answer.is_problem(403, "invalid_verify_token").text.contains("1158201444"),
            "{wrong}"
        );
    }
    let answer = Answer::of(cloud.http.put(format!("{}{WEBHOOK}", cloud.base))).await;
    assert_eq!(answer.is_problem(405, "method_not_allowed").header("allow"), "GET, HEAD, POST");
}

async fn without_a_token_and_a_secret_all_requests_are_rejected(cloud: Cloud) {
    for query in [valid_query(), valid_query().replace(VERIFY_TOKEN, "")] {
        handshake(&cloud, &query).await.is_problem(403, "invalid_verify_token");
    }
    let body = from_person("wamid.A").text("Hello").to_string();
    for secret in [APP_SECRET, ""] {
        cloud
            .report_bytes(body.clone(), &[&signature(secret, &body)])
            .await
            .is_problem(401, "invalid_signature");
    }
    assert!(cloud.is_idle().await);
}

async fn only_signed_callbacks_are_accepted(cloud: Cloud) {
    let body = from_person("wamid.A").text("Hello").to_string();
    let good = signature(APP_SECRET, &body);
    let spaced = body.replacen(':', ": ", 1);
    let (other, over_others) = (signature("other", &body), signature(APP_SECRET, &spaced));
    let (bare, sha1) = (good.replace("sha256=", ""), good.replace("sha256", "sha1"));
    let cases: [&[&str]; 11] = [
        &[],
        &[""],
        &["sha256="],
        &["sha256=zz"],
        &[&good[..good.len() - 2]],
        &[&other],
        &[&over_others],
        &[&bare],
        &[&sha1],
        &[&good, &good],
        &[&good, &other],
    ];
    for signatures in cases {
        cloud.report_bytes(body.clone(), signatures).await.is_problem(401, "invalid_signature");
    }
    cloud.report_bytes(Vec::new(), &[&good]).await.is_problem(401, "invalid_signature");
    // None of these had any effect,
    assert!(cloud.is_idle().await);
    assert_eq!(cloud.history(PERSON).await, Vec::<Value>::new());
    // and a signed body without content is accepted.
    let answer = cloud.report_bytes(spaced, &[&over_others]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.text, "");
    cloud.settle().await;
    assert_eq!(cloud.history(PERSON).await.len(), 1);
}

async fn a_report_has_three_mebibytes_at_most(cloud: Cloud) {
    let fits = callback_of(3 * MIB);
    let answer = cloud.report_bytes(fits.clone(), &[&signature(APP_SECRET, &fits)]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    cloud.settle().await;
    assert_eq!(cloud.history(PERSON).await.len(), 1);
    for bytes in [3 * MIB + 1, 10 * MIB] {
        let large = callback_of(bytes).replace("wamid.A", "wamid.B");
        let answer = cloud.report_bytes(large.clone(), &[&signature(APP_SECRET, &large)]).await;
        assert_eq!(answer.is_problem(413, "payload_too_large").body["limit_bytes"], 3 * MIB);
    }
    assert!(cloud.is_idle().await);
}

async fn invalid_json_is_rejected_and_unknown_json_is_accepted(cloud: Cloud) {
    for broken in [b"{".as_slice(), b"", b"{\"entry\":[]} x", b"\xff", b"{\"entry\":\"\xff\"}"] {
        let answer = cloud.report_bytes(broken, &[&signature(APP_SECRET, broken)]).await;
        answer.is_problem(400, "invalid_json");
    }
    assert!(cloud.is_idle().await);
    let unknown = [
        json!({}),
        json!(7),
        json!({"entry": 7}),
        json!({"object": "page", "entry": [{"id": "1", "messaging": []}]}),
        json!({
            "entry": [
                {
                    "id": BUSINESS,
                    "changes": [
                        {"field": "account_alerts", "value": {"a": [1]}},
                        {"field": "messages", "value": 7},
                    ],
                },
            ],
        }),
        // A number and a business account that nobody connected.
        Inbound::new("999", PERSON_THERE, "wamid.B", NOON).text("Hello"),
        callbacks::status("999", "wamid.C", None, "sent", NOON, None),
        callbacks::template_status("999", "77", "a", "en", "APPROVED", None),
        callbacks::template_status(BUSINESS, "77", "a", "en", "LOCKED", None),
    ];
    for callback in &unknown {
        cloud.post_callback(callback).await;
    }
    assert!(cloud.is_idle().await);
    assert_eq!(cloud.history(PERSON).await, Vec::<Value>::new());
}

/// The callbacks come in random orders, some twice, merged into one or one by one.
async fn reports_may_come_in_every_order_and_again(cloud: Cloud) {
    for seed in 0..16 {
        // Given a message, and everything that is reported of it, twice,
        let mut dice = TestRng::new(seed);
        let (id, wamid) = send_text(&cloud, PERSON).await;
        let states = ["sent", "delivered", "read"];
        let mut post_callback: Vec<Value> = states
            .iter()
            .map(|state| {
                cloud.status_callback(
                    &wamid,
                    Some(&id).filter(|_| seed % 2 == 0).map(String::as_str),
                    state,
                )
            })
            .collect();
        let (inbound, failed) = (
            format!("wamid.in.{seed}"),
            callbacks::status(NUMBER, &wamid, None, "failed", NOON, Some((131_026, "No"))),
        );
        post_callback.push(from_person(&inbound).answering(&wamid).text("Thanks"));
        post_callback.extend(post_callback.clone());
        dice.shuffle(&mut post_callback);

        // when it is reported in some order, then the message ends in the final status,
        post_callbacks(&cloud, &post_callback, seed % 3 == 0).await;
        let message = cloud.message(&id).await;
        assert_eq!(message["status"], "read");
        let times = ["created_at", "sent_at", "delivered_at", "read_at"]
            .map(|it| message[it].as_str().unwrap().to_owned());
        assert!(times.is_sorted(), "{times:?}");
        // repeated callbacks do not change it,
        post_callback.push(failed);
        cloud.advance(SECOND);
        post_callbacks(&cloud, &post_callback, seed % 3 == 1).await;
        assert_eq!(cloud.message(&id).await, message);
        // and the contact's reply is there once.
        let history = cloud.history(PERSON).await;
        assert_eq!(history.iter().filter(|it| it["reply_to"] == json!(id)).count(), 1);
    }
    assert!(cloud.is_idle().await);
}

async fn a_status_only_moves_forward(cloud: Cloud) {
    for seed in 0..8 {
        let mut dice = TestRng::new(100 + seed);
        let (id, wamid) = send_text(&cloud, PERSON).await;
        let mut before = "queued".to_owned();
        for _ in 0..8 {
            let state = ["sent", "delivered", "read", "failed"][dice.roll(4)];
            let failure = (state == "failed").then_some((131_026, "No"));
            cloud
                .post_callback(&callbacks::status(NUMBER, &wamid, None, state, NOON, failure))
                .await;
            let message = cloud.message(&id).await;
            let after = message["status"].as_str().unwrap();
            let forward = if before == "failed" || after == "failed" {
                after == "failed" && status_position(&before) != 2 && status_position(&before) != 3
            } else {
                status_position(&before) <= status_position(after)
            };
            assert!(forward, "{before} to {after}");
            assert_eq!(after == "failed", !message["error"].is_null());
            after.clone_into(&mut before);
        }
    }
}

async fn a_failed_status_sets_the_error_of_the_message(cloud: Cloud) {
    let codes = [
        (130_429, "channel_rate_limited"),
        (131_056, "channel_rate_limited"),
        (131_047, "window_closed"),
        (131_026, "recipient_unreachable"),
        (131_000, "channel_error"),
    ];
    for (code, word) in codes {
        let (id, wamid) = send_text(&cloud, PERSON).await;
        cloud
            .post_callback(&callbacks::status(
                NUMBER,
                &wamid,
                Some(&id),
                "failed",
                NOON,
                Some((code, "Meta's sentence")),
            ))
            .await;
        let message = cloud.message(&id).await;
        assert_eq!(
            message["error"],
            json!({"code": word, "message": "Meta's sentence", "channel_code": code})
        );
        assert_eq!(message["status"], "failed");
    }
}

async fn a_number_cannot_report_on_anothers_messages(cloud: Cloud) {
    // Given two organizations with one number each, and a message of the second one,
    let (_, key) = cloud.other("+12025550182", "106540352242924").await;
    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    let id = cloud.post(SEND, &key, &body).await.text_of("id");
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let asked = async || cloud.get(&format!("{SEND}/{id}"), &key).await.body;
    let before = asked().await;

    // when callbacks for the first one's number report that this message was read, by either
    // id, or replied to it,
    for (wamid, ours) in [
        (wamid.as_str(), None),
        (wamid.as_str(), Some(id.as_str())),
        ("wamid.other", Some(id.as_str())),
    ] {
        cloud.post_callback(&cloud.status_callback(wamid, ours, "read")).await;
    }
    cloud.post_callback(&from_person("wamid.A").answering(&wamid).text("Thanks")).await;
    cloud.advance_by(10, SECOND * 15).await;

    // then that message is unchanged, and the reply is stored without a reference to it.
    assert_eq!(asked().await, before);
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["reply_to"], json!(null));
    // A callback for its own number changes it.
    cloud
        .post_callback(&callbacks::status("106540352242924", &wamid, None, "read", NOON, None))
        .await;
    assert_eq!(asked().await["status"], "read");
}

async fn the_sandbox_is_not_reached_from_outside(cloud: Cloud) {
    // Given a message and a template of a sandbox number,
    let (_, account, key) = &cloud.sandbox;
    let number = account.to_string();
    let body = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello"});
    let id = cloud.post(SEND, key, &body).await.text_of("id");
    let template =
        cloud.post("/api/v1/templates", key, &plain_template("sale_pending")).await.text_of("id");
    cloud.live_through(SECOND).await;
    let state = async || {
        (
            cloud.get(&format!("{SEND}/{id}"), key).await.body,
            read_template(&cloud, key, &template).await.body,
        )
    };
    let before = state().await;
    assert_eq!(before.0["status"], "sent");
    assert_eq!(before.1["status"], "pending");

    // when callbacks of the Cloud API are about them, then nothing happens.
    let external = before.1["external_id"].as_str().unwrap();
    for number in [number.as_str(), ""] {
        cloud
            .post_callback(&callbacks::status(number, "wamid.A", Some(&id), "read", NOON, None))
            .await;
        cloud
            .post_callback(&Inbound::new(number, "12025550102", "wamid.B", NOON).text("Hello"))
            .await;
        cloud
            .post_callback(&callbacks::template_status(
                number,
                external,
                "sale_pending",
                "en",
                "APPROVED",
                None,
            ))
            .await;
    }
    cloud
        .post_callback(&callbacks::template_status(
            BUSINESS,
            external,
            "sale_pending",
            "en",
            "APPROVED",
            None,
        ))
        .await;
    assert_eq!(state().await, before);
    let page = cloud
        .post("/api/v1/conversations/history", key, &json!({"phone_number": "+12025550102"}))
        .await;
    assert_eq!(page.body["pagination"]["total"], 1);
    assert!(cloud.is_idle().await);
}

on_both_clouds! {
    statuses_for_both_channel_ids_of_a_message_apply,
    the_callback_url_is_verified_with_the_token,
    without_a_token_and_a_secret_all_requests_are_rejected with [("graph_verify_token", ""), ("graph_app_secret", "")],
    only_signed_callbacks_are_accepted,
    a_report_has_three_mebibytes_at_most,
    invalid_json_is_rejected_and_unknown_json_is_accepted,
    reports_may_come_in_every_order_and_again,
    a_status_only_moves_forward,
    a_failed_status_sets_the_error_of_the_message,
    a_number_cannot_report_on_anothers_messages,
    the_sandbox_is_not_reached_from_outside,
}
