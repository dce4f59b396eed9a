//! Held accounts (`docs/contract.md#health-of-a-number`): an account that can send does not stay
//! held, no message waits forever, and other known facts about the account are kept.

use crate::cloud::{BUSINESS, Cloud, MINUTE, NUMBER, PERSON, SECOND, on_both_clouds, refusal};
use crate::world::World;
use crate::world::graph::{Fault, callbacks};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

const HOUR: Duration = Duration::from_hours(1);
/// The channel's error code for an expired access token.
const EXPIRED: i64 = 190;
const NONE: i64 = -1;

fn phone_number(of: usize) -> String {
    format!("+1202557{of:04}")
}

/// Returns the health of a key's account from `GET /me`.
async fn health(world: &World) -> Value {
    let me = world.get("/api/v1/me", &world.key).await;
    me.body["account"]["health"].clone()
}

/// Lets the channel refuse everything with the returned code, until it is [`NONE`].
fn refuse_messages(cloud: &Cloud, code: i64) -> Arc<AtomicI64> {
    let code = Arc::new(AtomicI64::new(code));
    let current = code.clone();
    cloud.graph.plan(move |_| match current.load(Ordering::Relaxed) {
        NONE => Fault::None,
        code => refusal(400, code, "No"),
    });
    code
}

/// A report about our business account.
fn account_callback(field: &str, value: &Value) -> Value {
    let change = json!({"field": field, "value": value});
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "time": 1, "changes": [change]}],
    })
}

/// Builds a status of the message that the channel accepted last.
fn status_of_last(cloud: &Cloud, state: &str, failure: Option<(i64, &str)>) -> Value {
    let last = cloud.graph.accepted().pop().expect("a message");
    let (wamid, ours) = (last.wamid.as_str(), last.ours.as_deref());
    let mut callback = callbacks::status(NUMBER, wamid, ours, state, cloud.second(), failure);
    let status = &mut callback["entry"][0]["changes"][0]["value"]["statuses"][0];
    status["recipient_id"] = json!(last.to.trim_start_matches('+'));
    callback
}

async fn younger_messages_are_tried_once_older_ones_are_given_up(cloud: Cloud) {
    // Given a held account with messages to thirty contacts, and twenty hours later messages to
    // some others,
    let code = refuse_messages(&cloud, EXPIRED);
    for of in 0..30 {
        cloud.text(&phone_number(of), "old").await;
    }
    cloud.settle().await;
    cloud.advance_by(20, HOUR).await;
    for of in 30..33 {
        cloud.text(&phone_number(of), "young").await;
    }
    cloud.settle().await;
    // when the first messages have failed after their day, and the token is valid again,
    cloud.advance_by(25, MINUTE * 10).await;
    code.store(NONE, Ordering::Relaxed);
    let tried = cloud.graph.calls().len();
    // then the others are sent within minutes.
    cloud.advance_by(8, MINUTE / 2).await;
    assert_eq!(cloud.texts(), ["young"; 3], "{} calls since", cloud.graph.calls().len() - tried);
    assert_eq!(health(&cloud).await["state"], "ok");
}

async fn messages_to_a_refused_country_do_not_delay_others(cloud: Cloud) {
    // Given a channel that refuses messages to one country,
    cloud.graph.plan(|request| {
        if request.body["to"].as_str().is_some_and(|to| to.starts_with("+7")) {
            refusal(403, 130_497, "Not in this country")
        } else {
            Fault::None
        }
    });
    let barred = cloud.text("+79161234567", "Hello").await;
    cloud.settle().await;
    assert_eq!(health(&cloud).await["reason"], "country_restricted");
    // when a message to another country has been sent,
    let first = cloud.text(PERSON, "Hello").await;
    cloud.advance_by(3, MINUTE).await;
    assert_eq!(cloud.accepted(&first).len(), 1);
    // then messages to other contacts are sent at once, however often the refused one is
    // retried,
    let mut late = 0;
    for of in 0..20 {
        let id = cloud.text(&phone_number(of), "Hello").await;
        cloud.advance_by(1, SECOND * 40).await;
        late += usize::from(cloud.accepted(&id).is_empty());
    }
    assert_eq!(late, 0, "of 20 waited");
    // also when there are more messages to that country,
    let other = cloud.text("+79161234568", "Hello").await;
    cloud.settle().await;
    let id = cloud.text(PERSON, "Hello again").await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);
    // and those messages wait.
    assert_eq!(cloud.status(&barred).await, "queued");
    assert_eq!(cloud.status(&other).await, "queued");
    let shown = health(&cloud).await;
    assert_eq!(shown["state"], "restricted");
    assert_eq!(shown["reason"], "country_restricted");
}

async fn a_failed_status_of_the_account_holds_the_number(cloud: Cloud) {
    // Given a message that the channel accepts, and then reports as failed because of a payment
    // issue,
    let first = cloud.text(PERSON, "1").await;
    cloud.settle().await;
    cloud.advance(SECOND * 5);
    let failed =
        status_of_last(&cloud, "failed", Some((131_042, "Business eligibility payment issue")));
    cloud.post_callback(&failed).await;
    // then that message has failed, and the account is held.
    assert_eq!(cloud.status(&first).await, "failed");
    insta::assert_compact_json_snapshot!(health(&cloud).await, @r#"
    {
      "state": "held",
      "reason": "payment_required",
      "message": "Business eligibility payment issue (131042)",
      "since": "2026-11-21T12:00:05.000Z",
      "quality": null,
      "limit": null,
      "pace": null
    }
    "#);
    for of in 0..10 {
        cloud.text(&phone_number(of), "2").await;
    }
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 1);
    // The account stays held when the channel accepts a message,
    cloud.advance_by(1, MINUTE).await;
    assert_eq!(cloud.graph.accepted().len(), 2);
    assert_eq!(health(&cloud).await["state"], "held");
    let failed =
        status_of_last(&cloud, "failed", Some((131_042, "Business eligibility payment issue")));
    cloud.post_callback(&failed).await;
    cloud.advance_by(1, MINUTE).await;
    assert_eq!(cloud.graph.accepted().len(), 3);
    // until the channel reports a message as sent.
    cloud.advance(SECOND * 5);
    cloud.post_callback(&status_of_last(&cloud, "sent", None)).await;
    assert_eq!(cloud.graph.accepted().len(), 11);
    assert_eq!(health(&cloud).await["state"], "ok");
    // An older report that comes late or again does not hold the account.
    cloud.post_callback(&failed).await;
    assert_eq!(health(&cloud).await["state"], "ok");
}

async fn a_spam_limit_passes(cloud: Cloud) {
    let code = refuse_messages(&cloud, 131_048);
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.status(&id).await, "queued");
    code.store(NONE, Ordering::Relaxed);
    cloud.advance_by(4, MINUTE).await;
    assert_eq!(cloud.accepted(&id).len(), 1);
}

async fn an_access_token_in_a_sentence_is_masked(cloud: Cloud) {
    let token = cloud.graph.token().to_owned();
    let sentences = [
        format!("Malformed access token {token}"),
        "Error validating access token: EAAGm0PX4ZCpsBAKZA9pQ".to_owned(),
    ];
    for sentence in sentences {
        let said = sentence.clone();
        cloud.graph.plan(move |_| refusal(401, EXPIRED, &said));
        let id = cloud.text(PERSON, "Hello").await;
        cloud.settle().await;
        let shown = health(&cloud).await["message"].to_string();
        assert!(!shown.contains(&token) && !shown.contains("EAAGm0"), "{shown}");
        assert!(shown.contains("access token") && shown.contains("(190)"), "{shown}");
        cloud.graph.plan(|_| Fault::None);
        cloud.advance_by(2, MINUTE).await;
        assert_eq!(cloud.accepted(&id).len(), 1);
    }
}

async fn a_notice_does_not_hide_why_a_number_is_held(cloud: Cloud) {
    refuse_messages(&cloud, EXPIRED);
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let alert = json!({
        "alert_severity": "INFORMATIONAL",
        "alert_status": "NONE",
        "alert_type": "OBA_APPROVED",
        "alert_description": "Well done.",
    });
    cloud.post_callback(&account_callback("account_alerts", &alert)).await;
    assert_eq!(health(&cloud).await["message"], "No (190)");
}

async fn a_restriction_outlasts_a_hold_and_ends_in_its_time(cloud: Cloud) {
    // Given an account that Meta has restricted for two days,
    let until = cloud.second() + 2 * 24 * 3600;
    let limited = json!({"event": "ACCOUNT_RESTRICTION", "restriction_info": [
        {"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": until}]});
    cloud.post_callback(&account_callback("account_update", &limited)).await;
    assert_eq!(health(&cloud).await["state"], "restricted");
    // when its token is refused, and then valid again,
    let code = refuse_messages(&cloud, EXPIRED);
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(health(&cloud).await["reason"], "token_refused");
    code.store(NONE, Ordering::Relaxed);
    cloud.advance_by(2, MINUTE).await;
    // then the account is still restricted,
    let shown = health(&cloud).await;
    assert_eq!(shown["state"], "restricted");
    assert_eq!(shown["reason"], "account_restricted");
    // until the two days are over.
    cloud.advance(HOUR * 49);
    assert_eq!(health(&cloud).await["state"], "ok");
    workers::housekeeping::step(&cloud.server.deps, true).await.unwrap();
    let reported = crate::events::events(&cloud, &cloud.key).await;
    let states: Vec<&str> = reported
        .iter()
        .filter(|it| it["type"] == "account.updated")
        .map(|it| it["data"]["health"]["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["restricted", "held", "restricted", "ok"]);
}

async fn a_reinstatement_does_not_release_an_account_with_an_expired_token(cloud: Cloud) {
    refuse_messages(&cloud, EXPIRED);
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    for reinstated in [
        json!({"event": "ACCOUNT_REINSTATED"}),
        json!({"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": ["REINSTATE"]}}),
    ] {
        cloud.post_callback(&account_callback("account_update", &reinstated)).await;
    }
    assert_eq!(health(&cloud).await["reason"], "token_refused");
    assert_eq!(cloud.graph.calls().len(), 1);
}

async fn a_refusal_that_is_not_recorded_is_not_repeated_at_once(cloud: Cloud) {
    // Given a database that rejects the update by which the account becomes held,
    let refuse = if cloud.database_url().starts_with("postgres") {
        "ALTER TABLE accounts ADD CONSTRAINT never_held CHECK (health <> 'held')"
    } else {
        "CREATE TRIGGER never_held BEFORE UPDATE ON accounts \
         WHEN NEW.health = 'held' BEGIN SELECT RAISE(FAIL, 'no'); END"
    };
    cloud.beside().await.execute(refuse).await;
    refuse_messages(&cloud, EXPIRED);
    let id = cloud.text(PERSON, "Hello").await;
    // when the worker runs again and again, then there is a wait between two attempts.
    for _ in 0..20 {
        workers::send::step(&cloud.server.deps).await.unwrap();
    }
    assert_eq!(cloud.graph.calls().len(), 1);
    assert_eq!(cloud.status(&id).await, "queued");
    cloud.advance(SECOND);
    for _ in 0..20 {
        workers::send::step(&cloud.server.deps).await.unwrap();
    }
    assert_eq!(cloud.graph.calls().len(), 2);
}

async fn housekeeping_finishes_an_interrupted_release(cloud: Cloud) {
    // Given a held account with messages to forty contacts,
    refuse_messages(&cloud, EXPIRED);
    for of in 0..40 {
        cloud.text(&phone_number(of), "Hello").await;
    }
    cloud.settle().await;
    cloud.graph.plan(|_| Fault::None);
    // when the server that releases the account dies right after it recorded the account's
    // health,
    let (deps, now) = (&cloud.server.deps, cloud.clock.now());
    let theirs = deps.db.organization(cloud.organization);
    let outcome = theirs
        .report_health(cloud.account, domain::account::HealthReport::Reconnected, None, now)
        .await
        .unwrap();
    assert!(outcome.lets_go);
    let part = theirs.release_waiting(cloud.account, 10).await.unwrap();
    assert_eq!(part.released, 10);
    assert!(part.left);
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 10);
    // then housekeeping releases the remaining messages, and the outbox is empty in the end.
    workers::housekeeping::step(deps, false).await.unwrap();
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 40);
    assert_eq!(
        cloud.beside().await.number("SELECT count(*) AS number FROM outbox_conversations").await,
        0
    );
}

async fn housekeeping_names_what_is_tried_where_nothing_is(cloud: Cloud) {
    // Given a held account for which no message is marked as the next one to try,
    let code = refuse_messages(&cloud, EXPIRED);
    for of in 0..3 {
        cloud.text(&phone_number(of), "Hello").await;
    }
    cloud.settle().await;
    let lost =
        "UPDATE outbox_conversations SET due_at = (SELECT max(due_at) FROM outbox_conversations)";
    cloud.beside().await.execute(lost).await;
    let calls = cloud.graph.calls().len();
    cloud.advance_by(3, MINUTE).await;
    assert_eq!(cloud.graph.calls().len(), calls);
    // when housekeeping runs, then one message is tried at once, and one every minute after
    // that.
    workers::housekeeping::step(&cloud.server.deps, false).await.unwrap();
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), calls + 1);
    cloud.advance_by(3, MINUTE).await;
    assert_eq!(cloud.graph.calls().len(), calls + 4);
    cloud.beside().await.execute(lost).await;
    code.store(NONE, Ordering::Relaxed);
    cloud.advance(MINUTE);
    workers::housekeeping::step(&cloud.server.deps, false).await.unwrap();
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 3);
}

on_both_clouds! {
    younger_messages_are_tried_once_older_ones_are_given_up,
    messages_to_a_refused_country_do_not_delay_others,
    a_failed_status_of_the_account_holds_the_number,
    a_spam_limit_passes,
    an_access_token_in_a_sentence_is_masked,
    a_notice_does_not_hide_why_a_number_is_held,
    a_restriction_outlasts_a_hold_and_ends_in_its_time,
    a_reinstatement_does_not_release_an_account_with_an_expired_token,
    a_refusal_that_is_not_recorded_is_not_repeated_at_once,
    housekeeping_finishes_an_interrupted_release,
    housekeeping_names_what_is_tried_where_nothing_is,
}
