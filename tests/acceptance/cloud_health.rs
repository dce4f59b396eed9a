//! The health of an account (`docs/contract.md#health-of-a-number`): while the channel refuses the
//! account itself, messages wait and do not fail.

use crate::cloud::{BUSINESS, Cloud, MINUTE, PERSON, on_both_clouds, refusal};
use crate::events::{events, kinds};
use crate::operators::admin;
use crate::world::graph::Fault;
use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, World};
use domain::id::AccountId;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Two thousand messages in total.
const PEOPLE: usize = 100;
const EACH: usize = 20;
/// The number of requests to send at the same time.
const AT_ONCE: usize = 16;

fn phone_number(of: usize) -> String {
    format!("+1202556{of:04}")
}

/// Returns the health of a key's account from `GET /me`.
async fn health(world: &World) -> Value {
    let me = world.get("/api/v1/me", &world.key).await;
    me.body["account"]["health"].clone()
}

/// Lets the channel refuse every message with this code until the returned switch is off.
fn refuse_messages(cloud: &Cloud, code: i64) -> Arc<AtomicBool> {
    let refuses = Arc::new(AtomicBool::new(true));
    let switch = refuses.clone();
    cloud.graph.plan(move |_| {
        if switch.load(Ordering::Relaxed) {
            refusal(401, code, "Session has expired")
        } else {
            Fault::None
        }
    });
    refuses
}

/// Releases a held account as an operator does.
async fn reconnect(world: &World, account: AccountId) -> Value {
    admin(world.database_url(), &["account", "reconnect", &account.to_string()]).await
}

/// Builds a callback about our business account.
fn account_callback(field: &str, value: &Value) -> Value {
    let change = json!({"field": field, "value": value});
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "time": 1, "changes": [change]}],
    })
}

/// Returns the texts that arrived, in order, by recipient.
fn accepted_texts(cloud: &Cloud) -> BTreeMap<String, Vec<String>> {
    let mut arrived = BTreeMap::<String, Vec<String>>::new();
    for accepted in cloud.graph.accepted() {
        let text = accepted.body["text"]["body"].as_str().unwrap().to_owned();
        arrived.entry(accepted.to).or_default().push(text);
    }
    arrived
}

async fn a_refused_token_fails_none_of_two_thousand_messages(cloud: Cloud) {
    // Given an expired access token,
    let refuses = refuse_messages(&cloud, 190);
    let first = cloud.text(PERSON, "first").await;
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), 1);
    assert_eq!(cloud.status(&first).await, "queued");
    insta::assert_compact_json_snapshot!(health(&cloud).await, @r#"
    {
      "state": "held",
      "reason": "token_refused",
      "message": "Session has expired (190)",
      "since": "2026-11-21T12:00:00.000Z",
      "quality": null,
      "limit": null,
      "pace": null
    }
    "#);
    cloud.advance(MINUTE / 60);
    // when two thousand messages are sent,
    for round in 0..EACH {
        let text = round.to_string();
        let sends = (0..PEOPLE).map(|of| {
            let (cloud, text) = (&cloud, &text);
            async move { cloud.text(&phone_number(of), text).await }
        });
        futures_util::stream::iter(sends).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await;
        cloud.settle().await;
    }
    assert_eq!(cloud.graph.calls().len(), 1);
    // then the channel is tried once a minute,
    for minute in 1..=5 {
        cloud.advance_by(4, MINUTE / 4).await;
        assert_eq!(cloud.graph.calls().len(), 1 + minute);
    }
    let waiting = format!(
        "SELECT count(*) AS number FROM messages WHERE account_id = {} AND status = 'queued'",
        sql_literal(&cloud, cloud.account)
    );
    assert_eq!(cloud.beside().await.number(&waiting).await, 2_001);
    // and when the token is valid again and the operator reconnects the account, then all
    // messages are sent without delay, in order, each once.
    refuses.store(false, Ordering::Relaxed);
    let shown = reconnect(&cloud, cloud.account).await;
    assert_eq!(shown["health"], "ok");
    assert_eq!(shown["health_reason"], Value::Null);
    cloud.settle().await;
    let rounds: Vec<String> = (0..EACH).map(|round| round.to_string()).collect();
    let mut expected: BTreeMap<_, _> =
        (0..PEOPLE).map(|of| (phone_number(of), rounds.clone())).collect();
    expected.insert(PERSON.to_owned(), vec!["first".to_owned()]);
    assert!(accepted_texts(&cloud) == expected, "{:?}", accepted_texts(&cloud));
    // The message that waited longest was among the first to be sent.
    let place = cloud.texts().iter().position(|it| it == "first");
    assert!(place.is_some_and(|place| place < 64), "{place:?}");
    assert_eq!(health(&cloud).await["state"], "ok");
    assert!(cloud.is_idle().await);
}

async fn an_accepted_message_releases_the_held_ones(cloud: Cloud) {
    for code in
        [0, 3, 10, 33, 200, 368, 131_005, 131_031, 131_037, 131_042, 131_045, 133_010, 130_497]
    {
        // Given a held account with messages to several contacts,
        let before = cloud.graph.accepted().len();
        let refuses = refuse_messages(&cloud, code);
        for of in 0..3 {
            cloud.text(&phone_number(of), "Hello").await;
        }
        cloud.settle().await;
        assert_eq!(health(&cloud).await["state"], "held", "{code}");
        let calls = cloud.graph.calls().len();
        cloud.advance_by(59, std::time::Duration::from_secs(1)).await;
        assert_eq!(cloud.graph.calls().len(), calls);
        // when the channel accepts the message that is tried, then all others are sent without
        // delay.
        refuses.store(false, Ordering::Relaxed);
        cloud.advance_by(1, MINUTE).await;
        assert_eq!(cloud.graph.accepted().len(), before + 3, "{code}");
        // That the channel does not deliver to some country remains visible.
        assert_eq!(
            health(&cloud).await["state"],
            if code == 130_497 { "restricted" } else { "ok" }
        );
    }
    let reported = events(&cloud, &cloud.key).await;
    let reported: Vec<&str> = kinds(&reported)
        .into_iter()
        .filter(|it| *it == "account.updated" || *it == "message.failed")
        .collect();
    assert_eq!(reported, ["account.updated"; 26]);
}

async fn the_error_code_decides_whether_an_account_is_held(cloud: Cloud) {
    // Given refusals of the account that come with an HTTP status of an outage, and one that
    // only the subcode tells,
    for (status, code, subcode, reason) in [
        (500, 3, None, "permission_missing"),
        (500, 131_045, None, "not_registered"),
        (400, 100, Some(33), "permission_missing"),
        (401, 2_500, None, "token_refused"),
    ] {
        let refuses = Arc::new(AtomicBool::new(true));
        let switch = refuses.clone();
        cloud.graph.plan(move |_| {
            let message = "No".to_owned();
            if switch.load(Ordering::Relaxed) {
                Fault::Error { status, code, subcode, message }
            } else {
                Fault::None
            }
        });
        let before = cloud.graph.accepted().len();
        let ids = [cloud.text(PERSON, "Hello").await, cloud.text(&phone_number(1), "Hello").await];
        cloud.settle().await;
        // then the account is held, no message fails, and one message a minute is tried.
        let shown = health(&cloud).await;
        assert_eq!(shown["state"], "held", "{code}");
        assert_eq!(shown["reason"], json!(reason), "{code}");
        let calls = cloud.graph.calls().len();
        cloud.advance_by(12, MINUTE / 4).await;
        assert!(cloud.graph.calls().len() - calls <= 3, "{code}");
        for id in &ids {
            assert_eq!(cloud.status(id).await, "queued", "{code}");
        }
        refuses.store(false, Ordering::Relaxed);
        reconnect(&cloud, cloud.account).await;
        cloud.settle().await;
        assert_eq!(cloud.graph.accepted().len(), before + 2, "{code}");
    }
    // Transient errors hold no account and fail no message, whatever the HTTP status.
    for (status, code) in [(400, 1), (403, 131_057), (400, 17), (400, 613)] {
        cloud.graph.plan(|_| Fault::None);
        cloud.faults([refusal(status, code, "Later")]);
        let id = cloud.text(&phone_number(2), "Hello").await;
        cloud.settle().await;
        assert_eq!(cloud.status(&id).await, "queued", "{code}");
        assert_eq!(health(&cloud).await["state"], "ok", "{code}");
        cloud.advance_by(4, MINUTE / 4).await;
        assert_eq!(cloud.accepted(&id).len(), 1, "{code}");
    }
}

async fn an_account_that_is_disconnected_waits_and_says_why(cloud: Cloud) {
    let disconnected = |event: &str| {
        account_callback(
            "account_update",
            &json!({
                "event": event,
                "phone_number": "12025550180",
                "disconnection_info": {"reason": "CHANGE_NUMBER", "initiated_by": "USER"},
            }),
        )
    };
    for event in ["PARTNER_REMOVED", "ACCOUNT_OFFBOARDED"] {
        // Given an account that was disconnected at Meta, whose token is refused from then on,
        let refuses = refuse_messages(&cloud, 190);
        let before = cloud.graph.accepted().len();
        cloud.post_callback(&disconnected(event)).await;
        let id = cloud.text(PERSON, "Hello").await;
        cloud.advance_by(3, MINUTE).await;
        // then its messages wait and the reason stays `disconnected`,
        let shown = health(&cloud).await;
        assert_eq!(shown["state"], "held");
        assert_eq!(shown["reason"], "disconnected");
        assert_eq!(
            shown["message"],
            format!("The account is disconnected at Meta: {event}, CHANGE_NUMBER, by USER.")
        );
        assert_eq!(cloud.status(&id).await, "queued");
        // until the account is connected again.
        refuses.store(false, Ordering::Relaxed);
        if event == "ACCOUNT_OFFBOARDED" {
            cloud
                .post_callback(&account_callback(
                    "account_update",
                    &json!({"event": "ACCOUNT_RECONNECTED"}),
                ))
                .await;
        } else {
            reconnect(&cloud, cloud.account).await;
        }
        cloud.settle().await;
        assert_eq!(cloud.graph.accepted().len(), before + 1, "{event}");
        assert_eq!(health(&cloud).await["state"], "ok", "{event}");
    }
    // A report to a partner has the partner's own business id.
    let mut removed = account_callback(
        "account_update",
        &json!({
            "event": "PARTNER_REMOVED",
            "waba_info": {"waba_id": BUSINESS, "owner_business_id": "8"},
        }),
    );
    removed["entry"][0]["id"] = json!("35602282435505");
    cloud.post_callback(&removed).await;
    assert_eq!(health(&cloud).await["reason"], "disconnected");
}

async fn a_restriction_that_permits_sending_is_a_notice_until_an_operator_ends_it(cloud: Cloud) {
    let restricted = json!({
        "event": "ACCOUNT_RESTRICTION",
        "restriction_info": [
            {"restriction_type": "RESTRICTED_ADD_PHONE_NUMBER_ACTION", "expiration": 1_800_000_000},
        ],
    });
    cloud.post_callback(&account_callback("account_update", &restricted)).await;
    let shown = health(&cloud).await;
    assert_eq!(shown["state"], "ok");
    assert_eq!(shown["reason"], Value::Null);
    assert_eq!(
        shown["message"],
        "Meta has restricted the account: RESTRICTED_ADD_PHONE_NUMBER_ACTION."
    );
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);
    let entry = reconnect(&cloud, cloud.account).await;
    assert_eq!(entry["health"], "ok");
    assert_eq!(health(&cloud).await["message"], Value::Null);
}

async fn another_conversation_is_tried_each_minute(cloud: Cloud) {
    // Given a channel that refuses the account for one contact only,
    cloud.graph.plan(|request| {
        if request.body["to"] == PERSON {
            refusal(403, 130_497, "Not in this country")
        } else {
            Fault::None
        }
    });
    let (stuck, others) = (
        cloud.text(PERSON, "Hello").await,
        [cloud.text(&phone_number(1), "1").await, cloud.text(&phone_number(2), "2").await],
    );
    // when two minutes have passed, then the other contacts have their messages, and that one's
    // message waits.
    cloud.advance_by(9, MINUTE / 4).await;
    for id in &others {
        assert_eq!(cloud.accepted(id).len(), 1);
    }
    assert_eq!(cloud.status(&stuck).await, "queued");
}

async fn a_message_waits_a_day_for_its_number(cloud: Cloud) {
    let refuses = refuse_messages(&cloud, 190);
    let first = cloud.text(PERSON, "1").await;
    cloud.settle().await;
    cloud.advance_by(60, MINUTE).await;
    let second = cloud.text(&phone_number(1), "2").await;
    let behind = cloud.text(PERSON, "3").await;
    cloud.advance_by(22, MINUTE * 60).await;
    assert_eq!(cloud.status(&first).await, "queued");
    // When a day has passed, then the first message fails with the reason,
    cloud.advance_by(6, MINUTE * 10).await;
    let message = cloud.message(&first).await;
    assert_eq!(message["status"], "failed");
    assert_eq!(message["error"]["code"], "channel_error");
    let why = message["error"]["message"].as_str().unwrap();
    assert!(why.starts_with("Given up after 24 hours: Session has expired"), "{why}");
    // and newer messages are still tried.
    assert_eq!(cloud.status(&second).await, "queued");
    assert_eq!(cloud.status(&behind).await, "queued");
    refuses.store(false, Ordering::Relaxed);
    cloud.advance_by(2, MINUTE).await;
    let texts: BTreeSet<String> = cloud.texts().into_iter().collect();
    assert_eq!(texts, BTreeSet::from(["2".to_owned(), "3".to_owned()]));
}

async fn a_new_access_token_releases_held_messages(cloud: Cloud) {
    // Given an account whose access token was revoked,
    let key = cloud.key_with_token("EAAG-revoked").await;
    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    let id = cloud.post(crate::cloud::SEND, &key, &body).await.text_of("id");
    cloud.settle().await;
    assert_eq!(cloud.status(&id).await, "queued");
    assert_eq!(cloud.accepted(&id).len(), 0);
    // (the organization's other account can send)
    let other = cloud.text(&phone_number(1), "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&other).len(), 1);
    // when the account gets a valid token, then the message is sent.
    let wanted = "+12025550181";
    let good = cloud.graph.token().to_owned();
    let admin = cloud.admin();
    assert!(admin.reconnect_account(wanted, Some("no token")).await.is_err());
    admin.reconnect_account(wanted, Some(&good)).await.unwrap();
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);
}

async fn account_reports_of_meta_are_shown(cloud: Cloud) {
    let ban = |state: &str| {
        account_callback(
            "account_update",
            &json!({"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": [state]}}),
        )
    };
    // Given an account that Meta disables, then messages wait,
    cloud.post_callback(&ban("DISABLE")).await;
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), 0);
    assert_eq!(health(&cloud).await["reason"], "account_disabled");
    // until Meta reinstates the account.
    cloud.post_callback(&ban("REINSTATE")).await;
    assert_eq!(cloud.accepted(&id).len(), 1);
    assert_eq!(health(&cloud).await["state"], "ok");
    // An account with a restriction can still send.
    let limited = json!({
        "event": "ACCOUNT_RESTRICTION",
        "restriction_info": [{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING"}],
    });
    cloud.post_callback(&account_callback("account_update", &limited)).await;
    insta::assert_compact_json_snapshot!(health(&cloud).await, @r#"
    {
      "state": "restricted",
      "reason": "account_restricted",
      "message": "Meta has restricted the account: RESTRICTED_BIZ_INITIATED_MESSAGING.",
      "since": "2026-11-21T12:00:00.000Z",
      "quality": null,
      "limit": null,
      "pace": null
    }
    "#);
    let id = cloud.text(PERSON, "Hello again").await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);
    // The quality rating and the messaging limit are shown,
    let flagged = json!({
        "display_phone_number": "12025550180",
        "event": "FLAGGED",
        "current_limit": "TIER_1K",
    });
    cloud.post_callback(&account_callback("phone_number_quality_update", &flagged)).await;
    insta::assert_compact_json_snapshot!(health(&cloud).await, @r#"
    {
      "state": "restricted",
      "reason": "account_restricted",
      "message": "Meta has restricted the account: RESTRICTED_BIZ_INITIATED_MESSAGING.",
      "since": "2026-11-21T12:00:00.000Z",
      "quality": "low",
      "limit": "TIER_1K",
      "pace": null
    }
    "#);
    cloud
        .post_callback(&account_callback(
            "business_capability_update",
            &json!({"max_daily_conversations_per_business": "TIER_10K"}),
        ))
        .await;
    assert_eq!(health(&cloud).await["limit"], "TIER_10K");
    // an informational alert does not hide the reason of a restriction,
    let alert = json!({
        "alert_severity": "INFORMATIONAL",
        "alert_status": "NONE",
        "alert_type": "OBA_APPROVED",
        "alert_description": "Well done.",
    });
    cloud.post_callback(&account_callback("account_alerts", &alert)).await;
    assert_eq!(health(&cloud).await["state"], "restricted");
    cloud
        .post_callback(&account_callback("account_update", &json!({"event": "ACCOUNT_REINSTATED"})))
        .await;
    assert_eq!(health(&cloud).await["state"], "ok");
    assert_eq!(health(&cloud).await["message"], Value::Null);
    cloud.post_callback(&account_callback("account_alerts", &alert)).await;
    assert_eq!(health(&cloud).await["message"], "Well done.");
    // and each change is an event, once.
    cloud.post_callback(&account_callback("account_alerts", &alert)).await;
    let reported: Vec<Value> = events(&cloud, &cloud.key)
        .await
        .into_iter()
        .filter(|it| it["type"] == "account.updated")
        .collect();
    let states: Vec<&str> =
        reported.iter().map(|it| it["data"]["health"]["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["held", "ok", "restricted", "restricted", "restricted", "ok", "ok"]);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&reported[0]), @r#"
    {
      "id": "evt_1",
      "type": "account.updated",
      "timestamp": "2026-11-21T12:00:00.000Z",
      "organization_id": "org_1",
      "account_id": "acc_1",
      "sequence": 1,
      "data": {
        "id": "acc_1",
        "phone_number": "+12025550180",
        "display_name": "Shop",
        "channel": "cloud_api",
        "health": {
          "state": "held",
          "reason": "account_disabled",
          "message": "Meta has disabled the account.",
          "since": "2026-11-21T12:00:00.000Z",
          "quality": null,
          "limit": null,
          "pace": null
        }
      }
    }
    "#);
    // A report about an unknown number changes nothing.
    let other = json!({"display_phone_number": "12025550999", "event": "FLAGGED"});
    cloud.post_callback(&account_callback("phone_number_quality_update", &other)).await;
    assert_eq!(
        events(&cloud, &cloud.key)
            .await
            .iter()
            .filter(|it| it["type"] == "account.updated")
            .count(),
        7
    );
    let answer: Answer = cloud.get("/api/v1/me", &cloud.key).await;
    assert_eq!(answer.status, 200);
}

/// Writes an id as an SQL literal.
fn sql_literal(world: &World, id: AccountId) -> String {
    let uuid = id.uuid();
    if world.database_url().starts_with("postgres") {
        format!("'{uuid}'")
    } else {
        format!("x'{}'", uuid.simple())
    }
}

on_both_clouds! {
    a_refused_token_fails_none_of_two_thousand_messages,
    an_accepted_message_releases_the_held_ones,
    the_error_code_decides_whether_an_account_is_held,
    an_account_that_is_disconnected_waits_and_says_why,
    a_restriction_that_permits_sending_is_a_notice_until_an_operator_ends_it,
    another_conversation_is_tried_each_minute,
    a_message_waits_a_day_for_its_number,
    a_new_access_token_releases_held_messages,
    account_reports_of_meta_are_shown,
}
