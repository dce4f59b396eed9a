//! No callback that was answered with 200 is lost. A callback waits while the database is
//! unavailable; parts that cannot be processed are kept as dead letters, which the operator lists
//! and replays.

use crate::cloud::{
    APP_SECRET, BUSINESS, Cloud, NOON, NUMBER, PERSON, PERSON_THERE, SECOND, WEBHOOK, from_person,
    on_both_clouds,
};
use crate::operators::admin;
use crate::world::graph::callbacks::{self, Inbound, signature};
use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, Database, Process, free_port};
use serde_json::{Value, json};
use std::time::Duration;

/// Processes callbacks until none is due or a step fails.
async fn process_callbacks(cloud: &Cloud) {
    while matches!(workers::callbacks::step(&cloud.server.deps).await, Ok(worked) if worked > 0) {}
}

/// Lets ten minutes pass, and processes callbacks every ten seconds.
async fn ten_minutes(cloud: &Cloud) {
    for _ in 0..60 {
        cloud.advance(SECOND * 10);
        process_callbacks(cloud).await;
    }
}

/// Asserts that the message from the outage has arrived once, and that nothing waits to be
/// processed.
async fn has_arrived(cloud: &Cloud) {
    cloud.advance_by(4, SECOND * 10).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 1, "{history:?}");
    assert_eq!(history[0]["text"], "Is it open today?");
    assert!(cloud.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inbound_message_outlives_a_locked_table_on_postgres() {
    // Given a PostgreSQL table of messages that is locked, as by `CREATE INDEX`,
    let mut database = Database::postgres().await;
    database.url.push_str("?options=-c%20lock_timeout%3D100ms");
    let cloud = Cloud::on(database, &[]).await;
    let mut other = cloud.beside().await;
    other.execute("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE").await;
    // when a message whose callback was answered with 200 cannot be stored for ten minutes,
    cloud.report(&from_person("wamid.A").text("Is it open today?")).await;
    ten_minutes(&cloud).await;
    other.execute("ROLLBACK").await;
    // then it is stored afterwards.
    has_arrived(&cloud).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inbound_message_outlives_a_locked_table_on_sqlite() {
    let cloud = Cloud::on(Database::migrated_sqlite(), &[]).await;
    let mut other = cloud.beside().await;
    cloud.report(&from_person("wamid.A").text("Is it open today?")).await;
    // Given an SQLite file that another process has locked,
    other.execute("BEGIN EXCLUSIVE").await;
    process_callbacks(&cloud).await;
    other.execute("COMMIT").await;
    // and then a table that rejects inserts for ten minutes,
    let refuse = "SELECT RAISE(ABORT, 'database table is locked')";
    let trigger = format!("CREATE TRIGGER locked BEFORE INSERT ON messages BEGIN {refuse}; END");
    other.execute(&trigger).await;
    ten_minutes(&cloud).await;
    other.execute("DROP TRIGGER locked").await;
    // then the message is stored afterwards.
    has_arrived(&cloud).await;
}

/// Posts a callback body as it is, and lets the workers process it.
async fn post_callback_bytes(cloud: &Cloud, body: &str) {
    let answer = cloud.report_bytes(body, &[&signature(APP_SECRET, body)]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.text, "");
    cloud.settle().await;
}

async fn half_a_surrogate_pair_does_not_cost_the_message(cloud: Cloud) {
    // Given messages with unpaired UTF-16 surrogates,
    for (index, (written, read)) in [
        (r"Hi \ud83d there", "Hi \u{fffd} there"),
        (r"\uDE00", "\u{fffd}"),
        (r"\ud83d\ude00 \ud83d\u0041", "\u{1f600} \u{fffd}A"),
        (r"\\ud83d", "\\ud83d"),
    ]
    .into_iter()
    .enumerate()
    {
        // when they are received, then a replacement character stands for each unpaired
        // surrogate.
        let callback = from_person(&format!("wamid.{index}")).text("TEXT").to_string();
        post_callback_bytes(&cloud, &callback.replace("TEXT", written)).await;
        let history = cloud.history(PERSON).await;
        assert_eq!(history.len(), index + 1, "{written}");
        assert_eq!(history[index]["text"], read, "{written}");
    }
}

/// Lists the dead letters with the command line.
async fn dead_letters(cloud: &Cloud) -> Vec<Value> {
    let listed = admin(cloud.database_url(), &["callback", "list", "--limit", "1000"]).await;
    assert_eq!(listed["has_more"], false);
    listed["data"].as_array().unwrap().clone()
}

/// Returns the kind and reason of each dead letter, in order.
fn reasons(letters: &[Value]) -> Vec<(&str, &str)> {
    letters
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect()
}

/// Builds a callback with one change of a field.
fn callback_with_change(field: &str, value: &Value) -> Value {
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "changes": [{"field": field, "value": value}]}],
    })
}

/// Builds a change on our number with these items in the array `list`.
fn on_number(list: &str, items: &Value) -> Value {
    let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
    let contacts = json!([
        {
            "profile": {"name": "Jessica", "username": "@realjessica"},
            "user_id": "US.13491208655302741918",
        },
    ]);
    callback_with_change(
        "messages",
        &json!({
            "messaging_product": "whatsapp",
            "metadata": metadata,
            "contacts": contacts,
            (list): items,
        }),
    )
}

/// Builds a message whose sender cannot be identified.
fn from_nobody(id: &str) -> Value {
    on_number(
        "messages",
        &json!([
            {
                "from_user_id": "US",
                "id": id,
                "timestamp": "1795262400",
                "type": "text",
                "text": {"body": "Does it come in another color?"},
            },
        ]),
    )
}

async fn a_message_without_a_sender_becomes_a_dead_letter(cloud: Cloud) {
    // Given a message that names neither a number nor a user id,
    let callback = from_nobody("wamid.U");
    // when it is reported twice, as Meta does after a lost response,
    cloud.post_callback(&callback).await;
    cloud.post_callback(&callback).await;

    // then it is kept once, with everything that is needed to process it later,
    let letters = dead_letters(&cloud).await;
    assert_eq!(reasons(&letters), [("message", "no_phone_number")]);
    let id = letters[0]["id"].as_str().unwrap();
    let shown = admin(cloud.database_url(), &["callback", "show", id]).await;
    let payload: Value = serde_json::from_str(shown["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload, callback);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&shown), @r#"
    {
      "id": "cbk_1",
      "channel": "cloud_api",
      "kind": "message",
      "reason": "no_phone_number",
      "detail": "the message names neither a phone number nor a user id",
      "bytes": 477,
      "attempts": 1,
      "received_at": "2026-11-21T12:00:00.000Z",
      "kept_at": "2026-11-21T12:00:00.000Z",
      "payload": "{\"object\":\"whatsapp_business_account\",\"entry\":[{\"id\":\"102290129340398\",\"changes\":[{\"field\":\"messages\",\"value\":{\"messaging_product\":\"whatsapp\",\"metadata\":{\"display_phone_number\":\"15550783881\",\"phone_number_id\":\"106540352242922\"},\"contacts\":[{\"profile\":{\"name\":\"Jessica\",\"username\":\"@realjessica\"},\"user_id\":\"US.13491208655302741918\"}],\"messages\":[{\"from_user_id\":\"US\",\"id\":\"wamid.U\",\"timestamp\":\"1795262400\",\"type\":\"text\",\"text\":{\"body\":\"Does it come in another color?\"}}]}}]}]}"
    }
    "#);
    // and nothing waits to be processed.
    assert!(cloud.is_idle().await);

    // If a replay fails again, the dead letter is kept again.
    assert_eq!(
        admin(cloud.database_url(), &["callback", "replay", id]).await,
        json!({"replayed": 1})
    );
    assert_eq!(dead_letters(&cloud).await, Vec::<Value>::new());
    cloud.settle().await;
    let again = dead_letters(&cloud).await;
    assert_eq!(reasons(&again), [("message", "no_phone_number")]);
    assert_ne!(again[0]["id"], id);
    let deleted = admin(
        cloud.database_url(),
        &["callback", "delete", again[0]["id"].as_str().unwrap(), "--yes"],
    )
    .await;
    assert_eq!(deleted, json!({"deleted": 1}));
    assert_eq!(dead_letters(&cloud).await, Vec::<Value>::new());
}

async fn a_status_of_a_person_with_a_username_moves_its_message_on(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let status = |wamid: &str| {
        json!({
            "id": wamid,
            "status": "delivered",
            "timestamp": "1795262400",
            "recipient_user_id": "US.13491208655302741918",
        })
    };
    // Given statuses without a recipient's number, one of them about a message that is not
    // ours,
    cloud
        .post_callback(&on_number("statuses", &json!([status(&wamid), status("wamid.foreign")])))
        .await;
    // then our message is updated,
    assert_eq!(cloud.status(&id).await, "delivered");
    // and the other status is looked up a few times, and then becomes a dead letter.
    assert_eq!(dead_letters(&cloud).await, Vec::<Value>::new());
    cloud.advance_by(10, SECOND * 10).await;
    assert_eq!(reasons(&dead_letters(&cloud).await), [("status", "unknown_message")]);
    assert!(cloud.is_idle().await);
}

async fn unknown_parts_become_dead_letters_and_the_others_are_processed(cloud: Cloud) {
    // Given a callback with one part of each kind that cannot be processed, mixed with good
    // parts,
    let parts = [
        from_nobody("wamid.1"),
        from_person("wamid.2").text("Good"),
        on_number("statuses", &json!([{"id": "wamid.3", "status": "melted"}])),
        on_number("errors", &json!([{"code": 131_000, "title": "Something went wrong"}])),
        on_number("polls", &json!([{"id": 1}])),
        callback_with_change("smb_message_echoes", &json!({"message_echoes": [{"id": "wamid.4"}]})),
        callback_with_change(
            "user_preferences",
            &json!({"user_preferences": [{"wa_id": "1", "value": "stop"}]}),
        ),
        callback_with_change("account_update", &json!({"event": "ACCOUNT_RESTRICTION"})),
        callback_with_change("phone_number_quality_update", &json!({"event": "FLAGGED"})),
        callback_with_change("template_category_update", &json!({"new_category": "MARKETING"})),
        callbacks::template_status(BUSINESS, "77", "a", "en", "QUARANTINED", None),
        callbacks::template_status(BUSINESS, "77", "a", "en", "APPROVED", None),
        callbacks::template_status("999", "77", "a", "en", "APPROVED", None),
        Inbound::new("999", PERSON_THERE, "wamid.5", NOON).text("Hello"),
        callback_with_change("something_new", &json!(7)),
        // Calls and groups are neither processed nor kept.
        callback_with_change("calls", &json!({"calls": [{"id": "c"}]})),
        callback_with_change("group_lifecycle_update", &json!({"groups": []})),
        on_number(
            "messages",
            &json!([
                {
                    "id": "wamid.6",
                    "from": PERSON_THERE,
                    "group_id": "g",
                    "type": "text",
                    "text": {"body": "In a group"},
                },
            ]),
        ),
        from_person("wamid.7").text("Last"),
    ];
    // when the callback is posted,
    let mut all = callbacks::merge(parts.to_vec());
    all["entry"].as_array_mut().unwrap().extend([json!(7), json!({"id": "1", "messaging": []})]);
    cloud.post_callback(&all).await;
    cloud.advance(SECOND);
    cloud.post_callback(&json!("no callback at all")).await;

    // then the good parts are processed,
    let history = cloud.history(PERSON).await;
    assert_eq!(history.iter().map(|it| &it["text"]).collect::<Vec<_>>(), ["Good", "Last"]);
    // and each other part becomes its own dead letter.
    assert_eq!(
        reasons(&dead_letters(&cloud).await),
        [
            ("message", "no_phone_number"),
            ("status", "not_understood"),
            ("error", "not_understood"),
            ("unknown", "not_understood"),
            ("echo", "unreadable"),
            ("person", "unreadable"),
            ("phone_number", "not_understood"),
            ("template", "unreadable"),
            ("template_status", "not_understood"),
            ("template_status", "unknown_template"),
            ("template_status", "unknown_account"),
            ("message", "unknown_account"),
            ("something_new", "not_understood"),
            ("unreadable", "unreadable"),
            ("unknown", "unreadable"),
            ("unreadable", "unreadable"),
        ]
    );
    assert!(cloud.is_idle().await);
}

async fn a_field_that_is_not_known_is_kept_under_its_own_name(cloud: Cloud) {
    let database = cloud.database_url();
    // Given changes of fields that this version does not know, one with a name that cannot be a
    // field's,
    for (field, value) in [
        ("reminders", json!({"reminders": []})),
        ("payment_plan_update", json!({"type": "control_passed"})),
        ("account_mood_update", json!({"event": "GLAD"})),
        ("a field", json!(1)),
        ("message", json!(1)),
    ] {
        cloud.post_callback(&callback_with_change(field, &value)).await;
        cloud.advance(SECOND);
    }
    // then each is kept under its field's name, which the detail tells,
    let letters = dead_letters(&cloud).await;
    let kinds: Vec<&str> = reasons(&letters).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        ["reminders", "payment_plan_update", "account_mood_update", "unknown", "unknown"]
    );
    for (letter, field) in letters.iter().zip([
        "reminders",
        "payment_plan_update",
        "account_mood_update",
        "a field",
        "message",
    ]) {
        assert!(
            letter["detail"].as_str().unwrap().contains(&format!("the field {field:?}")),
            "{letter}"
        );
    }
    // and is listed under that name and among all unknown kinds.
    let listed = async |kind: &str| {
        admin(database, &["callback", "list", "--kind", kind]).await["data"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(listed("reminders").await, 1);
    assert_eq!(listed("unknown").await, 5);
    assert_eq!(listed("message").await, 0);
    assert_eq!(listed("nothing_such").await, 0);
    assert_eq!(
        admin(database, &["callback", "replay", "--kind", "reminders"]).await,
        json!({"replayed": 1})
    );
    cloud.settle().await;
    assert_eq!(
        admin(database, &["callback", "delete", "--kind", "reminders", "--yes"]).await,
        json!({"deleted": 1})
    );
    assert_eq!(
        admin(database, &["callback", "delete", "--kind", "unknown", "--yes"]).await,
        json!({"deleted": 4})
    );
}

async fn reports_without_effect_are_not_kept(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let status = |word: &str| {
        on_number(
            "statuses",
            &json!([
                {
                    "id": wamid,
                    "status": word,
                    "timestamp": "1795262400",
                    "recipient_id": PERSON_THERE,
                },
            ]),
        )
    };
    let system = |kind: &str| {
        on_number(
            "messages",
            &json!([
                {
                    "id": "wamid.S",
                    "from": PERSON_THERE,
                    "timestamp": "1795262400",
                    "type": "system",
                    "system": {
                        "type": kind,
                        "body": "Jessica has another phone",
                        "identity": "abc",
                        "customer": PERSON_THERE,
                    },
                },
            ]),
        )
    };
    // Given reports that the recipient deleted a message and has another device,
    for callback in [
        status("delivered"),
        status("deleted"),
        status("warning"),
        system("customer_identity_changed"),
        system("user_identity_changed"),
    ] {
        cloud.post_callback(&callback).await;
    }
    assert_eq!(cloud.status(&id).await, "delivered");
    assert_eq!(cloud.history(PERSON).await.len(), 1);
    // A voice message that was played counts as read; a failed payment is not a failed message.
    cloud.post_callback(&status("played")).await;
    let message = cloud.message(&id).await;
    assert_eq!(message["status"], "read");
    assert!(message["read_at"].is_string());
    let other = cloud.text(PERSON, "Pay here").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&other)[0].wamid.clone();
    cloud
        .post_callback(&on_number(
            "statuses",
            &json!([
                {
                    "id": wamid,
                    "status": "failed",
                    "type": "payment",
                    "timestamp": "1795262400",
                    "recipient_id": PERSON_THERE,
                },
            ]),
        ))
        .await;
    assert_eq!(cloud.status(&other).await, "queued");
    // None of these is a dead letter, nor is what Meta documents for accounts, numbers and
    // templates.
    for (field, value) in [
        ("account_review_update", json!({"decision": "APPROVED"})),
        ("account_settings_update", json!({"type": "phone_number_settings"})),
        (
            "account_alerts",
            json!({
                "entity_type": "BUSINESS",
                "alert_info": {
                    "alert_severity": "INFORMATIONAL",
                    "alert_status": "NONE",
                    "alert_type": "OBA_APPROVED",
                },
            }),
        ),
        ("business_capability_update", json!({"max_phone_numbers_per_waba": 20})),
        (
            "security",
            json!({
                "display_phone_number": "12025550180",
                "event": "PIN_CHANGED",
                "requester": "1",
            }),
        ),
        (
            "phone_number_quality_update",
            json!({
                "display_phone_number": "12025550180",
                "event": "THROUGHPUT_UPGRADE",
                "current_limit": "TIER_UNLIMITED",
            }),
        ),
        (
            "template_category_update",
            json!({
                "message_template_id": 1,
                "message_template_name": "a",
                "message_template_language": "en",
                "correct_category": "MARKETING",
            }),
        ),
    ] {
        cloud.post_callback(&callback_with_change(field, &value)).await;
    }
    assert_eq!(dead_letters(&cloud).await, Vec::<Value>::new());
}

async fn messages_to_a_number_that_is_connected_later_are_replayed(cloud: Cloud) {
    // Given a message for a number that is not connected, among other parts that cannot be
    // processed,
    let later = "106540352242924";
    cloud.post_callback(&from_nobody("wamid.U")).await;
    cloud
        .post_callback(&Inbound::new(later, PERSON_THERE, "wamid.A", NOON).text("Anybody there?"))
        .await;
    assert_eq!(reasons(&dead_letters(&cloud).await).len(), 2);
    // when the number is connected, and the operator replays all messages,
    let (_, key) = cloud.other("+12025550182", later).await;
    let replayed = admin(cloud.database_url(), &["callback", "replay", "--kind", "message"]).await;
    assert_eq!(replayed, json!({"replayed": 2}));
    cloud.settle().await;
    // then the message is in the history with its original time,
    let path = "/api/v1/conversations/history?phone_number=%2B16505551234";
    let history = cloud.get(path, &key).await;
    assert_eq!(history.body["data"][0]["text"], "Anybody there?");
    assert_eq!(history.body["data"][0]["created_at"], "2026-11-21T12:00:00.000Z");
    // and what still cannot be processed is kept again.
    assert_eq!(reasons(&dead_letters(&cloud).await), [("message", "no_phone_number")]);
}

async fn two_concurrent_replays_deliver_each_message_once(cloud: Cloud) {
    // Given messages for a number that is connected later,
    let later = "106540352242924";
    for number in 0..20 {
        let wamid = format!("wamid.{number}");
        cloud.post_callback(&Inbound::new(later, PERSON_THERE, &wamid, NOON).text(&wamid)).await;
    }
    assert_eq!(reasons(&dead_letters(&cloud).await).len(), 20);
    let (_, key) = cloud.other("+12025550182", later).await;
    // when two operators replay them at the same time, while the server processes what is due,
    let replay =
        async || admin(cloud.database_url(), &["callback", "replay", "--kind", "message"]).await;
    let (one, two, ()) = tokio::join!(replay(), replay(), cloud.settle());
    let replayed = [one, two].map(|it| it["replayed"].as_u64().unwrap());
    assert_eq!(replayed.iter().sum::<u64>(), 20, "{replayed:?}");
    cloud.settle().await;
    // then each message arrives exactly once.
    let path = "/api/v1/conversations/history?phone_number=%2B16505551234&limit=100";
    let history = cloud.get(path, &key).await;
    assert_eq!(history.body["data"].as_array().unwrap().len(), 20, "{}", history.text);
    assert_eq!(reasons(&dead_letters(&cloud).await), Vec::<(&str, &str)>::new());
}

async fn half_a_surrogate_pair_is_kept_as_it_came(cloud: Cloud) {
    let body = from_nobody("wamid.U").to_string().replace("another color", r"\ud83d");
    post_callback_bytes(&cloud, &body).await;
    let letters = dead_letters(&cloud).await;
    let shown =
        admin(cloud.database_url(), &["callback", "show", letters[0]["id"].as_str().unwrap()])
            .await;
    assert!(shown["payload"].as_str().unwrap().contains(r"Does it come in \ud83d?"), "{shown}");
}

async fn json_as_deep_as_it_may_be_is_kept_and_takes_nothing_with_it(cloud: Cloud) {
    // Given a callback with two messages, one of which has JSON nested 100,000 levels deep,
    let good = from_person("wamid.A").text("Good");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = callbacks::merge(vec![on_number("messages", &json!(["DEEP"])), good]).to_string();
    post_callback_bytes(&cloud, &body.replace("\"DEEP\"", &deep)).await;
    // then the other one arrives, and the nested one becomes a dead letter.
    assert_eq!(cloud.history(PERSON).await.len(), 1);
    assert_eq!(reasons(&dead_letters(&cloud).await), [("message", "unreadable")]);
    assert!(cloud.is_idle().await);
}

async fn dead_letters_are_listed_by_pages_and_forgotten_after_ninety_days(cloud: Cloud) {
    // Given more dead letters than one sweep deletes in a batch,
    let statuses: Vec<Value> =
        (0..1_200).map(|it| json!({"id": format!("wamid.{it}"), "status": "melted"})).collect();
    cloud.post_callback(&on_number("statuses", &json!(statuses))).await;
    let page = admin(cloud.database_url(), &["callback", "list", "--limit", "1000"]).await;
    assert_eq!(page["data"].as_array().unwrap().len(), 1000);
    assert_eq!(page["has_more"], json!(true));
    let after = page["next_after"].as_str().unwrap();
    let page =
        admin(cloud.database_url(), &["callback", "list", "--limit", "1000", "--after", after])
            .await;
    assert_eq!(page["data"].as_array().unwrap().len(), 200);
    assert_eq!(page["has_more"], json!(false));
    // when 89 days have passed, they still exist; after 91 days they do not.
    let deps = &cloud.server.deps;
    cloud.advance(SECOND * 86_400 * 89);
    workers::housekeeping::step(deps, true).await.unwrap();
    assert_eq!(deps.db.operator().count_dead_callbacks().await.unwrap(), 1_200);
    cloud.advance(SECOND * 86_400 * 2);
    workers::housekeeping::step(deps, true).await.unwrap();
    assert_eq!(deps.db.operator().count_dead_callbacks().await.unwrap(), 0);
}

/// The metrics count parts by kind and outcome, and their labels never contain the channel's texts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callbacks_are_counted_by_kind_and_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let environment = [("SWITCHBOARD_GRAPH_APP_SECRET", APP_SECRET)];
    let process = Process::serve_with(&url, free_port(), &environment).await;
    let http = crate::world::client();
    for callback in [
        from_nobody("wamid.U"),
        callback_with_change("calls", &json!({})),
        callback_with_change("brand_new", &json!(1)),
    ] {
        let body = callback.to_string();
        let request = http.post(format!("{}{WEBHOOK}", process.base));
        let request = request.header("x-hub-signature-256", signature(APP_SECRET, &body));
        assert_eq!(request.body(body).send().await.unwrap().status(), 200);
    }
    let expected = [
        r#"switchboard_callback_parts_total{kind="message",outcome="dead_lettered"} 1"#,
        r#"switchboard_callback_parts_total{kind="call",outcome="ignored"} 1"#,
        r#"switchboard_callback_parts_total{kind="unknown",outcome="dead_lettered"} 1"#,
        "switchboard_dead_callbacks 2",
        "switchboard_waiting_callbacks 0",
        "switchboard_callbacks_oldest_age_seconds 0",
    ];
    let mut shown = String::new();
    for _ in 0..300 {
        shown = Answer::of(http.get(format!("http://{}/metrics", process.metrics))).await.text;
        if expected.iter().all(|line| shown.contains(line)) {
            assert!(!shown.contains("brand_new"), "{shown}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process counts
    }
    panic!("{shown}");
}

on_both_clouds! {
    half_a_surrogate_pair_does_not_cost_the_message,
    a_message_without_a_sender_becomes_a_dead_letter,
    a_status_of_a_person_with_a_username_moves_its_message_on,
    unknown_parts_become_dead_letters_and_the_others_are_processed,
    a_field_that_is_not_known_is_kept_under_its_own_name,
    reports_without_effect_are_not_kept,
    messages_to_a_number_that_is_connected_later_are_replayed,
    two_concurrent_replays_deliver_each_message_once,
    half_a_surrogate_pair_is_kept_as_it_came,
    json_as_deep_as_it_may_be_is_kept_and_takes_nothing_with_it,
    dead_letters_are_listed_by_pages_and_forgotten_after_ninety_days,
}
