//! Sending a message to the Cloud API (`docs/contract.md#send-a-message` and
//! `docs/contract.md#channel`): the format of the request, the handling of errors, and retries.

use crate::cloud::{
    Cloud, MINUTE, MOMENT, NUMBER, PERSON, SECOND, on_both_clouds, refusal, text_of,
};
use crate::world::graph::Fault;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Pairs of a request to our API and the expected request to the Cloud API.
fn message_examples() -> Vec<(Value, Value)> {
    let file = "https://example.com/a";
    let components = json!([
        {"type": "header", "parameters": [{"type": "image", "image": {"link": file}}]},
        {
            "type": "body",
            "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "1024"}],
        },
        {
            "type": "button",
            "sub_type": "url",
            "index": "1",
            "parameters": [{"type": "text", "text": "1024"}],
        },
    ]);
    let buttons = json!({
        "type": "button",
        "body": {"text": "Ready?"},
        "footer": {"text": "Acme"},
        "header": {"type": "text", "text": "Order"},
        "action": {
            "buttons": [
                {"type": "reply", "reply": {"id": "y", "title": "Yes"}},
                {"type": "reply", "reply": {"id": "n", "title": "No"}},
            ],
        },
    });
    let list = json!({
        "type": "list",
        "body": {"text": "Which?"},
        "action": {
            "button": "Choose",
            "sections": [
                {
                    "title": "Bread",
                    "rows": [
                        {"id": "1", "title": "Rye", "description": "Dark"},
                        {"id": "2", "title": "Wheat"},
                    ],
                },
                {"title": "Cake", "rows": [{"id": "3", "title": "Plum"}]},
            ],
        },
    });
    let link = json!({
        "type": "cta_url",
        "body": {"text": "See"},
        "action": {
            "name": "cta_url",
            "parameters": {"display_text": "Open", "url": "https://example.com/"},
        },
    });
    let mut all = vec![
        (
            json!({"type": "text", "text": "Hello"}),
            json!({"type": "text", "text": {"body": "Hello"}}),
        ),
        (
            json!({"type": "text", "text": "See https://example.com", "preview_url": true}),
            json!({
                "type": "text",
                "text": {"body": "See https://example.com", "preview_url": true},
            }),
        ),
        (
            json!({
                "type": "template",
                "template_name": "order",
                "language": "en_US",
                "components": components,
            }),
            json!({
                "type": "template",
                "template": {
                    "name": "order",
                    "language": {"code": "en_US"},
                    "components": components,
                },
            }),
        ),
        (
            json!({"type": "template", "template_name": "plain", "language": "de"}),
            json!({"type": "template", "template": {"name": "plain", "language": {"code": "de"}}}),
        ),
    ];
    for shape in [buttons, list, link] {
        all.push((
            json!({"type": "interactive", "interactive": shape}),
            json!({"type": "interactive", "interactive": shape}),
        ));
    }
    for (kind, more) in [
        ("image", json!({"caption": "A picture"})),
        ("video", json!({})),
        ("audio", json!({})),
        ("sticker", json!({})),
        ("document", json!({"caption": "Terms", "filename": "terms.pdf"})),
    ] {
        let (mut asked, mut shape) = (
            json!({"type": "media", "media_url": file, "media_type": kind}),
            json!({"link": file}),
        );
        for (name, value) in more.as_object().unwrap() {
            (asked[name], shape[name]) = (value.clone(), value.clone());
        }
        all.push((asked, json!({"type": kind, (kind): shape})));
    }
    all
}

/// Uploads a PDF and returns its URL.
async fn upload_pdf(cloud: &Cloud, filename: Option<&str>) -> String {
    let pdf = json!({
        "data": "JVBERi0xLjQKJSVFT0YK",
        "content_type": "application/pdf",
        "filename": filename,
    });
    let made = cloud.post("/api/v1/media", &cloud.key, &pdf).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.text_of("url")
}

/// Sends with documents that have no `filename` of their own, and the JSON pointers of the
/// documents in Meta's body.
fn with_documents(url: &str) -> Vec<(Value, Vec<&'static str>)> {
    let header =
        json!({"type": "header", "parameters": [{"type": "document", "document": {"link": url}}]});
    let card = |index: u8| json!({"card_index": index, "components": [header]});
    let interactive = |mut shape: Value| {
        shape["header"] = json!({"type": "document", "document": {"link": url}});
        shape["body"] = json!({"text": "Ready?"});
        json!({"type": "interactive", "interactive": shape})
    };
    let template = |components: Value| {
        json!({
            "type": "template",
            "template_name": "elsewhere",
            "language": "en",
            "components": components,
        })
    };
    let reply = json!({"type": "reply", "reply": {"id": "y", "title": "Yes"}});
    let link = json!({"display_text": "Open", "url": "https://example.com/"});
    vec![
        (json!({"type": "media", "media_url": url}), vec!["/document"]),
        (
            json!({
                "type": "media",
                "media_url": url,
                "media_type": "document",
                "caption": "Terms",
            }),
            vec!["/document"],
        ),
        (template(json!([header])), vec!["/template/components/0/parameters/0/document"]),
        (
            template(json!([{"type": "carousel", "cards": [card(0), card(1)]}])),
            vec![
                "/template/components/0/cards/0/components/0/parameters/0/document",
                "/template/components/0/cards/1/components/0/parameters/0/document",
            ],
        ),
        (
            interactive(json!({"type": "button", "action": {"buttons": [reply]}})),
            vec!["/interactive/header/document"],
        ),
        (
            interactive(
                json!({"type": "cta_url", "action": {"name": "cta_url", "parameters": link}}),
            ),
            vec!["/interactive/header/document"],
        ),
    ]
}

/// The error codes in the contract that make a message fail at once, and one unknown code.
const REFUSALS: [(i64, &str); 11] = [
    (131_047, "window_closed"),
    (131_026, "recipient_unreachable"),
    (131_050, "recipient_opted_out"),
    (131_049, "channel_capped"),
    (132_000, "template_params_mismatch"),
    (132_001, "template_not_found"),
    (132_015, "template_paused"),
    (132_016, "template_disabled"),
    (131_052, "media_failed"),
    (131_053, "media_failed"),
    (131_051, "channel_error"),
];

fn phone_number(of: usize) -> String {
    format!("+1202556{of:04}")
}

/// Sends a text to each of `people` contacts at the same time. The text is the contact's index.
async fn send_to_many(cloud: &Cloud, people: usize) -> Vec<String> {
    let send = async |of: usize| cloud.text(&phone_number(of), &of.to_string()).await;
    join_all((0..people).map(send)).await
}

async fn message_error(cloud: &Cloud, id: &str) -> Value {
    let message = cloud.message(id).await;
    assert_eq!(message["status"], "failed", "{message}");
    message["error"].clone()
}

/// Asserts that for each of these faults a message is retried with growing waits until it arrives.
async fn is_retried_after(cloud: &Cloud, faults: Vec<Fault>) {
    // Given a channel that fails four times in each of these ways (a stall only once, because it
    // takes real time),
    let calls: Arc<Mutex<Vec<(usize, i64)>>> = Arc::default();
    let (seen, clock, all) = (calls.clone(), cloud.clock.clone(), faults.clone());
    cloud.graph.plan(move |request| {
        let index: usize = text_of(request).parse().unwrap();
        let mut seen = seen.lock().unwrap();
        let before = seen.iter().filter(|it| it.0 == index).count();
        seen.push((index, clock.now().micros()));
        match &all[index] {
            Fault::Stall if (1..4).contains(&before) => Fault::Status(502),
            fault if before < 4 => fault.clone(),
            _ => Fault::None,
        }
    });
    let ids = send_to_many(cloud, faults.len()).await;

    // when time passes,
    cloud.settle().await;
    for _ in 0..200 {
        cloud.advance(MOMENT);
        cloud.settle().await;
    }

    // then each message was retried after half a second and after waits that double each time, up
    // to a quarter shorter because of jitter,
    let calls = calls.lock().unwrap().clone();
    for index in 0..faults.len() {
        let times: Vec<i64> = calls.iter().filter(|it| it.0 == index).map(|it| it.1).collect();
        for (wait, times) in [500_000, 1_000_000, 2_000_000, 4_000_000].iter().zip(times.windows(2))
        {
            let waited = times[1] - times[0];
            assert!(
                waited >= wait * 3 / 4 && waited <= wait + 50_000,
                "{:?}: {waited}",
                faults[index]
            );
        }
        // and arrived once.
        assert_eq!(times.len(), 5, "{:?}", faults[index]);
        assert_eq!(cloud.accepted(&ids[index]).len(), 1, "{:?}", faults[index]);
    }
    assert!(cloud.is_idle().await);
}

async fn an_uploads_own_name_reaches_the_person(cloud: Cloud) {
    let long = format!("{}.pdf", "字".repeat(236));
    for filename in [
        Some("menu.pdf"),
        Some("Übersicht 2026 – 50 %.pdf"),
        Some("فهرست.pdf"),
        Some(long.as_str()),
        None,
    ] {
        // Given an uploaded document, with a name or without,
        let url = upload_pdf(&cloud, filename).await;
        let expected = filename.unwrap_or("document.pdf");
        for (mut body, places) in with_documents(&url) {
            // when it is sent without a file name, then the channel gets the name of the
            // upload,
            body["phone_number"] = json!(PERSON);
            let id = cloud.send(&body).await;
            cloud.settle().await;
            let accepted = cloud.accepted(&id).pop().expect("it was accepted");
            for place in places {
                let document = accepted
                    .body
                    .pointer(place)
                    .unwrap_or_else(|| panic!("{place}: {}", accepted.body));
                assert_eq!(document["link"], json!(url), "{body}");
                assert_eq!(document["filename"], json!(expected), "{body}");
            }
        }
    }
    // A file name in the send wins; other file types and other URLs get none.
    let url = upload_pdf(&cloud, Some("menu.pdf")).await;
    let elsewhere = url.replace("api.example.com", "files.example.com");
    for (link, name, expected) in [
        (url.as_str(), json!("card.pdf"), json!("card.pdf")),
        (elsewhere.as_str(), json!(null), json!(null)),
    ] {
        let body = json!({
            "type": "media",
            "phone_number": PERSON,
            "media_url": link,
            "media_type": "document",
            "filename": name,
        });
        let id = cloud.send(&body).await;
        cloud.settle().await;
        assert_eq!(cloud.accepted(&id)[0].body["document"]["filename"], expected);
    }
}

async fn each_type_arrives_in_metas_shape(cloud: Cloud) {
    for (mut body, mut expected) in message_examples() {
        // When a message is sent,
        body["phone_number"] = json!(PERSON);
        let id = cloud.send(&body).await;
        cloud.settle().await;

        // then it arrives in Meta's format, with our id in it,
        for (name, value) in [
            ("messaging_product", "whatsapp"),
            ("recipient_type", "individual"),
            ("to", PERSON),
            ("biz_opaque_callback_data", &id),
        ] {
            expected[name] = json!(value);
        }
        let accepted = cloud.accepted(&id);
        assert_eq!(accepted.len(), 1, "{body}");
        assert_eq!(accepted[0].body, expected);
        assert_eq!(accepted[0].phone_number_id.as_str(), NUMBER);

        // and the channel's message id is stored.
        assert_eq!(
            cloud.row(&id).await.channel_message_id.as_deref(),
            Some(accepted[0].wamid.as_str())
        );
    }
    cloud.all_in_shape();
    assert!(cloud.is_idle().await);
}

async fn a_reply_names_the_message_that_it_answers(cloud: Cloud) {
    let reply =
        |to: &str| json!({"type": "text", "phone_number": PERSON, "text": "Reply", "reply_to": to});
    // Given a message that the channel has accepted,
    let first = cloud.text(PERSON, "First").await;
    cloud.settle().await;
    // and one that it has not yet accepted,
    let second = cloud.text(PERSON, "Second").await;
    // when replies to both are sent,
    let answers = [cloud.send(&reply(&first)).await, cloud.send(&reply(&second)).await];
    cloud.settle().await;
    // then each request contains the channel's id of the message to which it replies.
    for (id, answered) in answers.iter().zip([&first, &second]) {
        let context = json!({"message_id": cloud.accepted(answered)[0].wamid});
        assert_eq!(cloud.accepted(id)[0].body["context"], context);
    }
    cloud.all_in_shape();
}

async fn a_channel_that_gives_one_id_to_all_gets_each_message_once(cloud: Cloud) {
    // Given a channel that gives every message the same id,
    cloud.graph.name_all("wamid.same");
    // when several messages are sent, in one conversation and in another,
    let ids = [
        cloud.text(PERSON, "One").await,
        cloud.text(PERSON, "Two").await,
        cloud.text("+12025550111", "Three").await,
    ];
    cloud.settle().await;
    cloud.advance_by(4, Duration::from_mins(1)).await;
    // then each has arrived once, and none is sent repeatedly.
    assert_eq!(ids.each_ref().map(|id| cloud.accepted(id).len()), [1, 1, 1]);
    assert!(cloud.is_idle().await);
    // Statuses that contain our own id still find their messages.
    cloud.post_callback(&cloud.status_callback("wamid.other", Some(&ids[1]), "delivered")).await;
    assert_eq!(cloud.status(&ids[1]).await, "delivered");
}

async fn a_definite_refusal_fails_at_once_and_says_why(cloud: Cloud) {
    // Given a channel that refuses each of these texts with the error code that the text names,
    cloud.graph.plan(|request| match text_of(request).parse() {
        Ok(code) => refusal(400, code, "Meta's sentence"),
        Err(_) => Fault::None,
    });
    for (index, (code, word)) in REFUSALS.iter().enumerate() {
        let id = cloud.text(&phone_number(index), &code.to_string()).await;
        let next = cloud.text(&phone_number(index), "next").await;
        cloud.settle().await;

        // then the message fails with that error, without another attempt,
        assert_eq!(
            message_error(&cloud, &id).await,
            json!({"code": word, "message": "Meta's sentence", "channel_code": code})
        );
        // and the next message of the conversation is sent.
        assert_eq!(cloud.accepted(&next).len(), 1);
    }
    cloud.advance_by(3, MINUTE).await;
    assert_eq!(cloud.graph.calls().len(), 2 * REFUSALS.len());
    assert!(cloud.is_idle().await);
}

async fn a_wait_that_the_channel_asks_for_is_kept_to_the_millisecond(cloud: Cloud) {
    // Given a channel that takes two seconds for a response with `Retry-After: 7`,
    let clock = cloud.clock.clone();
    let mut said = false;
    cloud.graph.plan(move |_| {
        if std::mem::replace(&mut said, true) {
            return Fault::None;
        }
        clock.set(clock.now().plus(SECOND * 2));
        Fault::RateLimited { retry_after: Some(7), code: 130_429 }
    });
    let ids = [cloud.text(PERSON, "1").await, cloud.text(PERSON, "2").await];
    cloud.settle().await;

    // when 6,999 ms have passed since the response, then there was no other attempt,
    cloud.advance(Duration::from_millis(6999));
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), 1);
    assert_eq!(cloud.status(&ids[0]).await, "queued");

    // and after one more millisecond both messages arrive, in order.
    cloud.advance(Duration::from_millis(1));
    cloud.settle().await;
    assert_eq!(cloud.texts(), ["1", "2"]);
    assert!(cloud.is_idle().await);
}

async fn temporary_errors_are_retried_with_backoff(cloud: Cloud) {
    let refused = refusal(400, 133_016, "Try again later");
    let faults = [Fault::Status(500), Fault::Status(503), refused, Fault::DropBefore, Fault::Stall];
    is_retried_after(&cloud, faults.to_vec()).await;
}

// A separate test, because this error slows down all messages of the account.
async fn throttled_messages_are_retried_with_backoff(cloud: Cloud) {
    is_retried_after(&cloud, vec![Fault::RateLimited { retry_after: None, code: 80_007 }]).await;
}

async fn no_conversation_waits_behind_another_one(cloud: Cloud) {
    // Given a running server, and a channel that does not respond for one contact,
    cloud
        .graph
        .plan(|request| if request.body["to"] == PERSON { Fault::Stall } else { Fault::None });
    let workers = workers::start(&cloud.server.deps.service);
    let stuck = cloud.text(PERSON, "stuck").await;
    cloud.graph.until(|graph| graph.calls().len() == 1).await;

    // when messages are sent to fifty other contacts, then they arrive while the first request
    // still waits.
    send_to_many(&cloud, 50).await;
    let arrived = cloud.graph.until(|graph| graph.accepted().len() == 50);
    tokio::time::timeout(SECOND * 8, arrived).await.expect("they do not wait for the stuck one");
    assert_eq!(cloud.graph.calls()[0].status, None);
    assert_eq!(cloud.status(&stuck).await, "queued");
    cloud.server.deps.stopping.store(true, Ordering::Relaxed);
    workers.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn after_a_day_without_the_channel_a_message_is_given_up(cloud: Cloud) {
    // Given a channel that is down,
    cloud.graph.down(true).await;
    let first = cloud.text(PERSON, "first").await;
    cloud.settle().await;
    cloud.advance_by(12, MINUTE * 5).await;
    let second = cloud.text(PERSON, "second").await;

    // when almost a day has passed, then no message has failed,
    cloud.advance_by(22 * 12 + 10, MINUTE * 5).await;
    assert_eq!(cloud.status(&first).await, "queued");
    assert_eq!(cloud.status(&second).await, "queued");

    // and when a whole day has passed, then the first message fails with the reason,
    cloud.advance_by(2, MINUTE * 5).await;
    let error = message_error(&cloud, &first).await;
    assert_eq!(error["code"], "channel_error");
    assert_eq!(error["channel_code"], json!(null));
    assert!(error["message"].as_str().unwrap().starts_with("Given up after 24 hours: "), "{error}");
    // but the second one, which was accepted later, does not,
    assert_eq!(cloud.status(&second).await, "queued");

    // and it arrives when the channel is back.
    cloud.graph.down(false).await;
    cloud.advance_by(1, MINUTE * 5).await;
    assert_eq!(cloud.texts(), ["second"]);
}

async fn a_message_that_was_accepted_without_an_answer_is_known_by_both_ids(cloud: Cloud) {
    for early in [true, false] {
        // Given a message that the channel accepts without a response,
        cloud.faults([Fault::DropAfter]);
        let id = cloud.text(PERSON, "Hello").await;
        cloud.settle().await;
        let lost = cloud.accepted(&id)[0].wamid.clone();
        assert_eq!(cloud.status(&id).await, "queued");

        // when the channel reports its status before the next attempt, then there is no other
        // attempt,
        if early {
            cloud.post_callback(&cloud.status_callback(&lost, Some(&id), "delivered")).await;
            assert_eq!(cloud.status(&id).await, "delivered");
        }
        cloud.advance_by(1, SECOND).await;
        let wamids: Vec<String> = cloud.accepted(&id).into_iter().map(|it| it.wamid).collect();
        assert_eq!(wamids.len(), if early { 1 } else { 2 });
        assert_eq!(cloud.row(&id).await.channel_message_id.as_ref(), wamids.last());
        if early {
            assert!(cloud.is_idle().await);
            continue;
        }
        // and when the channel reports the status after the second attempt,
        cloud.post_callback(&cloud.status_callback(&lost, Some(&id), "delivered")).await;

        // then the message is updated, and so it is by statuses with the second id,
        assert_eq!(cloud.status(&id).await, "delivered");
        cloud.post_callback(&cloud.status_callback(&wamids[1], Some(&id), "sent")).await;
        assert_eq!(cloud.status(&id).await, "delivered");
        cloud.post_callback(&cloud.status_callback(&lost, Some(&id), "read")).await;
        assert_eq!(cloud.status(&id).await, "read");

        // but a status with an unknown channel id and without our id changes nothing and is not
        // kept forever.
        cloud.post_callback(&cloud.status_callback("wamid.unknown", None, "failed")).await;
        assert_eq!(cloud.status(&id).await, "read");
        cloud.advance_by(10, SECOND * 15).await;
        assert!(cloud.is_idle().await);
    }
}

on_both_clouds! {
    an_uploads_own_name_reaches_the_person,
    each_type_arrives_in_metas_shape,
    a_reply_names_the_message_that_it_answers,
    a_channel_that_gives_one_id_to_all_gets_each_message_once,
    a_definite_refusal_fails_at_once_and_says_why,
    a_wait_that_the_channel_asks_for_is_kept_to_the_millisecond,
    temporary_errors_are_retried_with_backoff with [("graph_timeout", "1")],
    throttled_messages_are_retried_with_backoff,
    no_conversation_waits_behind_another_one,
    after_a_day_without_the_channel_a_message_is_given_up,
    a_message_that_was_accepted_without_an_answer_is_known_by_both_ids,
}
