//! Twilio's callbacks (`docs/contract.md#channel`): signatures, statuses, inbound messages and
//! their files. None is lost.

use crate::operators::admin;
use crate::twilio::{Line, MINUTE, OURS, PERSON, PERSON_THERE, WEBHOOK, on_both_with_twilio};
use crate::world::twilio::callbacks::{self, signature};
use crate::world::twilio::{Fault, TOKEN};
use domain::time::Timestamp;
use serde_json::{Value, json};
use service::admin::NewChannel;
use std::time::Duration;

const BASE_URL: &str = "https://api.example.com";

/// Lists the dead letters with the command line.
async fn dead_letters(line: &Line) -> Vec<Value> {
    let listed = admin(line.database_url(), &["callback", "list", "--limit", "1000"]).await;
    listed["data"].as_array().unwrap().clone()
}

async fn is_idle(line: &Line) -> bool {
    line.server
        .deps
        .db
        .operator()
        .next_report_due(Timestamp::from_micros(0))
        .await
        .unwrap()
        .is_none()
}

async fn only_signed_callbacks_are_accepted(line: Line) {
    let fields =
        callbacks::message("SM1", PERSON_THERE, OURS, &[("Body", "Hello"), ("NumMedia", "0")]);
    let url = format!("{BASE_URL}{WEBHOOK}");
    let good = callbacks::signed(&url, &fields);
    let mut others = fields.clone();
    "7".clone_into(&mut others[2].1);
    let over_others = callbacks::signed(&url, &others);
    let elsewhere = callbacks::signed(&format!("{url}/"), &fields);
    let (by_others, empty) = (signature("other", &url, &fields), signature("", &url, &fields));
    let hex = "5bdcc146bf60754e6a042426089575c75a003f08";
    let cases: [&[&str]; 10] = [
        &[],
        &[""],
        &["AAAA"],
        &[hex],
        &[&good[1..]],
        &[&over_others],
        &[&elsewhere],
        &[&by_others],
        &[&empty],
        &[&good, &good],
    ];
    for signatures in cases {
        line.report_signed("", &fields, signatures).await.is_problem(401, "invalid_signature");
    }
    // A signature of the URL alone, or of another query, is not valid for this request.
    line.report_signed("?message=x", &fields, &[&good]).await.is_problem(401, "invalid_signature");
    line.report_signed("", &others, &[&good]).await.is_problem(401, "invalid_signature");
    // None of these had any effect,
    assert!(is_idle(&line).await);
    assert_eq!(line.history(PERSON).await, Vec::<Value>::new());
    // the URL does not accept another method or Meta's verification request,
    let answer = crate::world::Answer::of(
        line.http.get(format!("{}{WEBHOOK}?hub.mode=subscribe", line.base)),
    )
    .await;
    answer.is_problem(403, "invalid_verify_token");
    // and a signed callback is accepted, also if Twilio signs the URL with its default port.
    line.report("", &fields).await;
    let with_port = callbacks::signed(&format!("{BASE_URL}:443{WEBHOOK}"), &others);
    assert_eq!(line.report_signed("", &others, &[&with_port]).await.status, 200);
    line.settle().await;
    // A repeated message is stored once.
    assert_eq!(line.history(PERSON).await.len(), 1);
}

async fn statuses_move_a_message_on_to_read(line: Line) {
    let (id, _) = line.sent("Hello").await;
    let accepted = line.accepted(&id).remove(0);
    for (status, becomes) in [
        ("queued", "queued"),
        ("sending", "queued"),
        ("sent", "sent"),
        ("delivered", "delivered"),
        ("sent", "delivered"),
        ("read", "read"),
        ("delivered", "read"),
        ("failed", "read"),
    ] {
        line.report_status(&accepted, status, &[]).await;
        assert_eq!(line.message(&id).await["status"], becomes, "{status}");
    }
    assert_eq!(dead_letters(&line).await, Vec::<Value>::new());
    assert!(is_idle(&line).await);
}

async fn a_failure_that_is_reported_has_its_code(line: Line) {
    for (status, code, failure) in [
        ("undelivered", "63016", "window_closed"),
        ("failed", "63003", "recipient_unreachable"),
        ("undelivered", "63018", "channel_rate_limited"),
        ("failed", "63049", "channel_capped"),
        ("failed", "", "channel_error"),
        ("failed", "0", "channel_error"),
    ] {
        let (id, _) = line.sent("Hello").await;
        let accepted = line.accepted(&id).remove(0);
        line.report_status(
            &accepted,
            status,
            &[("ErrorCode", code), ("ChannelStatusMessage", "Not today")],
        )
        .await;
        let message = line.message(&id).await;
        assert_eq!(message["status"], "failed");
        assert_eq!(message["error"]["code"], json!(failure));
        assert_eq!(message["error"]["message"], "Not today");
        // An error code that Twilio did not send is not made up.
        let known = code.parse::<i64>().ok().filter(|code| *code != 0);
        assert_eq!(message["error"]["channel_code"], json!(known));
    }
}

async fn a_status_finds_a_message_whose_answer_was_lost(line: Line) {
    // Given a message that Twilio accepted twice, because its first response was lost,
    line.twilio.faults([Fault::DropAfter]);
    let id = line.text(PERSON, "Hello").await;
    line.settle().await;
    line.advance_by(3, MINUTE).await;
    let accepted = line.accepted(&id);
    assert_eq!(accepted.len(), 2);
    // when the first of the two is reported as delivered, then the message is found by our id
    // in the callback URL.
    line.report_status(&accepted[0], "delivered", &[]).await;
    assert_eq!(line.message(&id).await["status"], "delivered");
}

async fn a_reported_message_is_not_sent_again(line: Line) {
    for status in ["delivered", "failed"] {
        // Given a message that Twilio accepted without a response,
        line.twilio.faults([Fault::DropAfter]);
        let id = line.text(PERSON, "Hello").await;
        let next = line.text(PERSON, "Next").await;
        line.settle().await;
        // when Twilio reports its status before the next attempt,
        let accepted = line.accepted(&id).remove(0);
        line.report_status(&accepted, status, &[("ErrorCode", "63003")]).await;
        // then there is no other attempt, and the next message is sent.
        line.advance_by(3, MINUTE).await;
        assert_eq!(line.accepted(&id).len(), 1, "{status}");
        assert_eq!(line.accepted(&next).len(), 1, "{status}");
        assert_eq!(line.message(&id).await["status"], status);
    }
}

async fn twilio_reports_have_the_time_of_their_arrival(line: Line) {
    // Given a status and a message that arrive while the workers are busy for an hour,
    let (id, _) = line.sent("Hello").await;
    let accepted = line.accepted(&id).remove(0);
    line.advance(MINUTE);
    let came_at = line.clock.now().to_string();
    line.report(
        &format!("?message={id}"),
        &callbacks::status(&accepted.sid, OURS, PERSON_THERE, "delivered"),
    )
    .await;
    line.report(
        "",
        &callbacks::message("SM1", PERSON_THERE, OURS, &[("Body", "Hi"), ("NumMedia", "0")]),
    )
    .await;
    line.advance_by(1, MINUTE * 60).await;
    // then they have the time at which they arrived.
    let history = line.history(PERSON).await;
    assert_eq!(line.message(&id).await["delivered_at"], came_at);
    assert_eq!(history.len(), 2);
    assert_eq!(history[1]["created_at"], json!(came_at));
}

async fn inbound_messages_of_each_type_are_received(line: Line) {
    let (ours, sid) = line.sent("Ready?").await;
    // Given a text, a tap on a template's button, a choice from a list and a location,
    line.hear(
        "SM1",
        &[
            ("Body", "Does it come in red? 🎈"),
            ("NumMedia", "0"),
            ("MessageType", "text"),
            ("OriginalRepliedMessageSid", &sid),
            ("OriginalRepliedMessageSender", OURS),
        ],
    )
    .await;
    line.hear(
        "SM2",
        &[
            ("Body", "Yes"),
            ("ButtonText", "Yes"),
            ("ButtonPayload", "yes-1"),
            ("NumMedia", "0"),
            ("MessageType", "button"),
        ],
    )
    .await;
    line.hear(
        "SM3",
        &[
            ("Body", "Rye"),
            ("ListTitle", "Rye"),
            ("ListId", "rye"),
            ("NumMedia", "0"),
            ("MessageType", "interactive"),
        ],
    )
    .await;
    line.hear(
        "SM4",
        &[
            ("Body", ""),
            ("Latitude", "52.5"),
            ("Longitude", "13.4"),
            ("Address", "Berlin"),
            ("NumMedia", "0"),
            ("MessageType", "location"),
            ("Forwarded", "true"),
        ],
    )
    .await;
    // then the history has each with its type and the contact.
    let history = line.history(PERSON).await;
    let kinds: Vec<&str> = history.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "text", "interactive", "interactive", "location"]);
    assert_eq!(history[1]["text"], "Does it come in red? 🎈");
    assert_eq!(history[1]["reply_to"], json!(ours));
    assert_eq!(history[2]["interactive"]["button_reply"]["id"], "yes-1");
    assert_eq!(history[3]["interactive"]["list_reply"]["id"], "rye");
    assert_eq!(
        history[4]["location"],
        json!({"latitude": 52.5, "longitude": 13.4, "address": "Berlin"})
    );
    assert_eq!(history[4]["forwarded"], true);
    assert!(
        history[1..].iter().all(|it| it["direction"] == "inbound" && it["status"] == "received")
    );
    assert_eq!(dead_letters(&line).await, Vec::<Value>::new());
}

async fn a_file_is_fetched_with_the_secret_and_its_redirect_without(line: Line) {
    // Given a picture from a contact,
    let address = line.twilio.put_file("ME1", "image/jpeg", &b"\xff\xd8\xff\xe0 a picture"[..]);
    line.hear(
        "MM1",
        &[
            ("Body", "Look"),
            ("NumMedia", "1"),
            ("MediaUrl0", &address),
            ("MediaContentType0", "image/jpeg"),
            ("MessageType", "image"),
        ],
    )
    .await;
    // then the history has our URL, which serves the picture.
    let history = line.history(PERSON).await;
    let media = &history[0]["media"];
    assert_eq!(history[0]["type"], "media");
    assert_eq!(media["caption"], "Look");
    assert_eq!(media["content_type"], "image/jpeg");
    let url = media["url"].as_str().unwrap_or_else(|| panic!("{media}"));
    let path = url.strip_prefix(BASE_URL).unwrap();
    let fetched = line.http.get(format!("{}{path}", line.base)).send().await.unwrap();
    assert_eq!(fetched.bytes().await.unwrap(), &b"\xff\xd8\xff\xe0 a picture"[..]);
    // The server followed the redirect, without the auth token: the stand-in would have objected.
    assert!(line.twilio.calls().contains(&"GET /files/ME1".to_owned()));
    line.all_in_shape();
}

async fn unprocessable_callbacks_are_kept_and_replayed(line: Line) {
    // Given a message to a number that is not connected, a status with an unknown word, and a
    // contact without a number,
    let elsewhere = callbacks::message(
        "SM1",
        PERSON_THERE,
        "whatsapp:+12025550777",
        &[("Body", "Is it open?"), ("NumMedia", "0")],
    );
    // (each arrives in a second of its own, because dead letters of one millisecond have no
    // order)
    line.report("", &elsewhere).await;
    line.settle().await;
    line.advance_by(1, Duration::from_secs(1)).await;
    line.report("", &callbacks::status("SM9", OURS, PERSON_THERE, "played")).await;
    line.settle().await;
    line.advance_by(1, Duration::from_secs(1)).await;
    let hidden: Vec<_> =
        callbacks::message("SM2", "whatsapp:US.13491208655302741918", OURS, &[("Body", "Hi")]);
    let hidden = hidden.into_iter().filter(|(name, _)| name != "WaId").collect();
    line.report("", &hidden).await;
    line.settle().await;
    // then they become dead letters, and nothing waits to be processed,
    let letters = dead_letters(&line).await;
    let reasons: Vec<_> = letters
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("message", "unknown_account"),
            ("status", "not_understood"),
            ("message", "no_phone_number")
        ]
    );
    assert!(letters.iter().all(|it| it["channel"] == "twilio"));
    assert!(is_idle(&line).await);
    let id = letters[0]["id"].as_str().unwrap();
    let shown = admin(line.database_url(), &["callback", "show", id]).await;
    assert_eq!(shown["payload"], callbacks::form(&elsewhere));
    // and once the number is connected, a replay brings the message.
    line.connect(line.organization, "+12025550777", NewChannel::Twilio).await;
    assert_eq!(
        admin(line.database_url(), &["callback", "replay", id]).await,
        json!({"replayed": 1})
    );
    line.advance_by(1, Duration::from_secs(1)).await;
    let history = line.history(PERSON).await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["text"], "Is it open?");
    assert_eq!(dead_letters(&line).await.len(), 2);
}

async fn a_report_has_a_bound_and_a_secret(line: Line) {
    let body = "x".repeat(70_000);
    let fields = callbacks::message("SM1", PERSON_THERE, OURS, &[("Body", &body)]);
    let signed = signature(TOKEN, &format!("{BASE_URL}{WEBHOOK}"), &fields);
    line.report_signed("", &fields, &[&signed]).await.is_problem(413, "payload_too_large");
    assert!(is_idle(&line).await);
}

on_both_with_twilio! {
    only_signed_callbacks_are_accepted,
    statuses_move_a_message_on_to_read,
    a_failure_that_is_reported_has_its_code,
    a_status_finds_a_message_whose_answer_was_lost,
    a_reported_message_is_not_sent_again,
    twilio_reports_have_the_time_of_their_arrival,
    inbound_messages_of_each_type_are_received,
    a_file_is_fetched_with_the_secret_and_its_redirect_without,
    unprocessable_callbacks_are_kept_and_replayed,
    a_report_has_a_bound_and_a_secret,
}
