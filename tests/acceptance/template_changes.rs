//! Changing and deleting templates, `PATCH` and `DELETE /templates/{id}`
//! (`docs/contract.md#manage-templates`): the reviewer is asked first, and messages that use the
//! template are judged by what it is then.

use crate::cloud::{BUSINESS, Cloud, PERSON, SECOND, on_both_clouds, refusal};
use crate::events::{events, kinds};
use crate::template_creation::{
    TEMPLATES, create_template, order_update, plain_template, post_template, template_with,
};
use crate::twilio::{Line, MINUTE, on_both_with_twilio};
use crate::world::graph::{Fault, callbacks};
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

const SEND: &str = "/api/v1/messages";
const ECHO: &str = "+12025550102";

fn id_of(template: &Value) -> &str {
    template["id"].as_str().unwrap()
}

async fn patch(world: &World, key: &Pair, template: &Value, body: &Value) -> Answer {
    let path = format!("{TEMPLATES}/{}", id_of(template));
    Answer::of(world.request(Method::PATCH, &path, key).json(body)).await
}

async fn delete(world: &World, key: &Pair, template: &Value) -> Answer {
    let path = format!("{TEMPLATES}/{}", id_of(template));
    Answer::of(world.request(Method::DELETE, &path, key)).await
}

async fn read(world: &World, template: &Value) -> Value {
    let answer = world.get(&format!("{TEMPLATES}/{}", id_of(template)), &world.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Creates a template that the sandbox's reviewer has judged.
async fn create_reviewed(world: &World, name: &str) -> Value {
    let template = create_template(world, &plain_template(name)).await;
    world.live_through(SECOND * 2).await;
    read(world, &template).await
}

fn other_words() -> Value {
    json!({"components": [{"type": "BODY", "text": "We are closed today."}]})
}

fn of_template(name: &str) -> Value {
    json!({"type": "template", "phone_number": ECHO, "template_name": name, "language": "en"})
}

async fn an_approved_one_is_changed_reviewed_again_and_sent(world: World) {
    // Given an approved template,
    let template = create_reviewed(&world, "hours").await;
    assert_eq!(template["status"], "approved");

    // when its components are changed, then it is pending with the new ones,
    let changed = patch(&world, &world.key, &template, &other_words()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.body["status"], "pending");
    assert_eq!(changed.body["components"], other_words()["components"]);
    assert_eq!(changed.body["lint"], json!([]));
    assert_eq!(changed.body["external_id"], template["external_id"]);
    assert_eq!(read(&world, &template).await["components"], other_words()["components"]);

    // cannot be sent until the reviewer approves it,
    let refused = world.post(SEND, &world.key, &of_template("hours")).await;
    refused.is_problem(422, "template_not_approved");
    world.live_through(SECOND * 2).await;
    assert_eq!(read(&world, &template).await["status"], "approved");

    // and each step is an event.
    let all = events(&world, &world.key).await;
    let reviews = kinds(&all).into_iter().filter(|it| it.starts_with("template."));
    let expected = ["submitted", "approved", "submitted", "approved"];
    assert!(reviews.eq(expected.map(|it| format!("template.{it}"))), "{all:?}");
    let sent = world.post(SEND, &world.key, &of_template("hours")).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
}

async fn a_change_is_checked_like_a_new_template(world: World) {
    let template = create_template(&world, &template_with("order", &order_update())).await;
    world.live_through(SECOND * 2).await;
    // A request without a change, an unknown word and a fault of a component are all told.
    let refused = patch(&world, &world.key, &template, &json!({})).await;
    refused.is_problem(422, "validation_failed");
    let body = json!({"category": "gossip", "components": [{"type": "BODY", "text": "{{1}}"}]});
    let refused = patch(&world, &world.key, &template, &body).await;
    refused.is_problem(422, "validation_failed");
    let fields: Vec<_> =
        refused.body["details"].as_array().unwrap().iter().map(|it| &it["field"]).collect();
    assert!(fields.contains(&&json!("category")), "{}", refused.text);
    assert!(fields.contains(&&json!("components[0].text")), "{}", refused.text);
    // A field that cannot be changed is refused,
    let refused = patch(&world, &world.key, &template, &json!({"name": "other"})).await;
    refused.is_problem(422, "validation_failed");
    // and the template is as it was.
    assert_eq!(read(&world, &template).await["status"], "approved");
    assert_eq!(read(&world, &template).await["components"], template["components"]);
}

async fn pending_disabled_and_deleted_templates_cannot_be_changed(world: World) {
    // Given templates that are pending, disabled or deleted,
    let pending = create_reviewed(&world, "one_pending").await;
    let disabled = create_reviewed(&world, "one_disabled").await;
    let deleted = create_reviewed(&world, "one").await;
    assert_eq!(delete(&world, &world.key, &deleted).await.status, 200);
    for (template, status) in [(pending, "pending"), (disabled, "disabled"), (deleted, "deleted")] {
        // when they are changed, then each is a 409 that says its status.
        let refused = patch(&world, &world.key, &template, &other_words()).await;
        refused.is_problem(409, "template_locked");
        assert_eq!(refused.body["template_status"], status);
        assert_eq!(refused.body.get("reviewer_message"), Some(&json!(null)));
    }
    // The sandbox's reviewer keeps Meta's rule for the category of an approved template,
    let approved = create_reviewed(&world, "two").await;
    let body = json!({"category": "marketing"});
    let refused = patch(&world, &world.key, &approved, &body).await;
    refused.is_problem(409, "template_locked");
    assert!(refused.body["reviewer_message"].as_str().unwrap().contains("category"));
    // and lets a paused one have another.
    let paused = create_reviewed(&world, "three_paused").await;
    let changed = patch(&world, &world.key, &paused, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.body["category"], "marketing");
}

async fn a_deleted_template_is_not_sent_and_its_name_is_free(world: World) {
    // Given a template that a scheduled message and a fallback use,
    let template = create_reviewed(&world, "hours").await;
    let later = world.clock.now().plus(SECOND * 60).to_string();
    let mut scheduled = of_template("hours");
    scheduled["send_at"] = json!(later);
    let scheduled = world.post(SEND, &world.key, &scheduled).await.text_of("id");

    // when it is deleted, then it is shown as deleted,
    let deleted = delete(&world, &world.key, &template).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert_eq!(deleted.body["status"], "deleted");
    assert_eq!(read(&world, &template).await["status"], "deleted");
    let again = delete(&world, &world.key, &template).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.body, deleted.body);

    // sends are refused, also as a fallback,
    let refused = world.post(SEND, &world.key, &of_template("hours")).await;
    refused.is_problem(422, "template_not_approved");
    assert_eq!(refused.body["template_status"], "deleted");
    let fallback = json!({"template_name": "hours", "language": "en"});
    let body = json!({"type": "text", "phone_number": "+12025550199", "text": "Hello",
        "fallback_template": fallback});
    world.post(SEND, &world.key, &body).await.is_problem(422, "template_not_approved");

    // the scheduled message fails when its time comes,
    world.live_through(SECOND * 61).await;
    let failed = world.get(&format!("{SEND}/{scheduled}"), &world.key).await;
    assert_eq!(failed.body["status"], "failed");
    assert_eq!(failed.body["error"]["code"], "template_not_approved");

    // one event reports the deletion, and the name can be used again.
    let all = events(&world, &world.key).await;
    let all = kinds(&all);
    assert_eq!(all.iter().filter(|it| **it == "template.deleted").count(), 1, "{all:?}");
    let other = create_reviewed(&world, "hours").await;
    assert_ne!(other["id"], template["id"]);
    assert_eq!(other["status"], "approved");
    post_template(&world, &plain_template("hours")).await.is_problem(409, "template_exists");
    let old = world.get(&format!("{TEMPLATES}/{}", id_of(&template)), &world.key).await;
    old.is_problem(404, "not_found");
}

async fn a_draft_that_nobody_has_submitted_is_deleted(world: World) {
    let template = create_template(&world, &plain_template("hours")).await;
    let deleted = delete(&world, &world.key, &template).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(deleted.body["status"], "deleted");
    world.live_through(SECOND * 3).await;
    assert_eq!(read(&world, &template).await["status"], "deleted");
}

async fn a_waiting_message_fails_when_its_template_is_deleted(world: World) {
    // Given a message that was accepted and has not been handed over,
    let template = create_reviewed(&world, "hours").await;
    let message = world.post(SEND, &world.key, &of_template("hours")).await.text_of("id");
    // when the template is deleted before, then the channel does not have it.
    assert_eq!(delete(&world, &world.key, &template).await.status, 200);
    world.live_through(SECOND).await;
    let failed = world.get(&format!("{SEND}/{message}"), &world.key).await;
    assert_eq!(failed.body["error"]["code"], "template_not_found", "{}", failed.text);
}

async fn a_bound_key_changes_the_templates_of_its_number_only(world: World) {
    let template = create_reviewed(&world, "hours").await;
    let second = world.number(world.organization, "+12025550192").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(second), 0).await;
    patch(&world, &bound, &template, &other_words()).await.is_problem(404, "not_found");
    delete(&world, &bound, &template).await.is_problem(404, "not_found");
    let own = world.key_with(world.organization, Scope::ALL, Some(world.account), 0).await;
    assert_eq!(delete(&world, &own, &template).await.status, 200);
}

async fn one_of_many_concurrent_changes_is_applied(world: World) {
    let template = create_reviewed(&world, "hours").await;
    let all = (0..8).map(async |number| {
        let text = format!("We open at {number}.");
        let body = json!({"components": [{"type": "BODY", "text": text}]});
        patch(&world, &world.key, &template, &body).await
    });
    let answers = join_all(all).await;
    let made: Vec<_> = answers.iter().filter(|it| it.status == 200).collect();
    assert_eq!(made.len(), 1, "{answers:?}");
    for refused in answers.iter().filter(|it| it.status != 200) {
        refused.is_problem(409, "template_locked");
    }
    assert_eq!(read(&world, &template).await["components"], made[0].body["components"]);
}

/// Creates a template that Meta has approved.
async fn create_approved(cloud: &Cloud, name: &str) -> Value {
    let template = create_template(cloud, &plain_template(name)).await;
    cloud.settle().await;
    let template = read(cloud, &template).await;
    let external = template["external_id"].as_str().unwrap();
    cloud.graph.set_template_status(external, "APPROVED");
    report(cloud, &template, "APPROVED").await;
    read(cloud, &template).await
}

async fn report(cloud: &Cloud, template: &Value, event: &str) {
    let (external, name) = (&template["external_id"], template["name"].as_str().unwrap());
    let external = external.as_str().unwrap();
    let callback = callbacks::template_status(BUSINESS, external, name, "en", event, None);
    cloud.post_callback(&callback).await;
}

async fn meta_gets_the_change_and_the_deletion(cloud: Cloud) {
    // Given an approved template in two languages,
    let template = create_approved(&cloud, "hours").await;
    let mut german = plain_template("hours");
    german["language"] = json!("de");
    let german = create_template(&cloud, &german).await;
    cloud.settle().await;

    // when one is changed, then Meta gets only what changed,
    let changed = patch(&cloud, &cloud.key, &template, &other_words()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let call = cloud.graph.calls().pop().unwrap();
    let external = template["external_id"].as_str().unwrap();
    assert_eq!(call.method, "POST");
    assert_eq!(call.body, other_words());
    assert!(call.path.ends_with(&format!("/{external}")), "{}", call.path);
    // and the verdict counts, even in the second of the change.
    assert_eq!(changed.body["status"], "pending");
    report(&cloud, &template, "APPROVED").await;
    assert_eq!(read(&cloud, &template).await["status"], "approved");

    // When it is deleted, then Meta has the other language still,
    assert_eq!(delete(&cloud, &cloud.key, &template).await.status, 200);
    let left: Vec<_> = cloud.graph.templates().into_iter().map(|it| it.language).collect();
    assert_eq!(left, ["de"]);
    // and a template that Meta no longer has can be deleted, too.
    let german = read(&cloud, &german).await;
    cloud.faults([Fault::Error {
        status: 400,
        code: 100,
        subcode: Some(2_593_002),
        message: "not found".to_owned(),
    }]);
    assert_eq!(delete(&cloud, &cloud.key, &german).await.status, 200);
    cloud.all_in_shape();
}

async fn a_fallback_that_is_rejected_before_its_time_is_not_sent(cloud: Cloud) {
    // Given a scheduled message whose fallback template is approved,
    let template = create_approved(&cloud, "hours").await;
    assert_eq!(template["status"], "approved");
    let body = json!({
        "type": "text", "phone_number": PERSON, "text": "Hello",
        "send_at": cloud.clock.now().plus(MINUTE * 60).to_string(),
        "fallback_template": {"template_name": "hours", "language": "en"},
    });
    let id = cloud.send(&body).await;
    // when Meta rejects the template meanwhile,
    report(&cloud, &template, "REJECTED").await;
    cloud.settle().await;
    assert_eq!(read(&cloud, &template).await["status"], "rejected");
    cloud.advance(MINUTE * 60);
    cloud.settle().await;
    // then the message fails at its time, and nothing reaches Meta.
    let failed = cloud.message(&id).await;
    assert_eq!(failed["status"], "failed", "{failed}");
    assert_eq!(failed["error"]["code"], "template_not_approved", "{failed}");
    assert!(cloud.accepted(&id).is_empty());
}

async fn a_change_that_meta_refuses_has_no_effect(cloud: Cloud) {
    let template = create_approved(&cloud, "hours").await;
    // A refusal is passed on in Meta's words,
    cloud.faults([refusal(400, 100, "Only one change in 24 hours")]);
    let refused = patch(&cloud, &cloud.key, &template, &other_words()).await;
    refused.is_problem(409, "template_locked");
    assert_eq!(refused.body["reviewer_message"], "Only one change in 24 hours");
    cloud.faults([refusal(400, 100, "Not now")]);
    delete(&cloud, &cloud.key, &template).await.is_problem(409, "template_locked");
    // an outage is a 503,
    cloud.faults([Fault::Status(503)]);
    patch(&cloud, &cloud.key, &template, &other_words()).await.is_problem(503, "unavailable");
    cloud.faults([Fault::DropBefore]);
    delete(&cloud, &cloud.key, &template).await.is_problem(503, "unavailable");
    // and after both the template is as it was and can be changed at once.
    assert_eq!(read(&cloud, &template).await, template);
    let changed = patch(&cloud, &cloud.key, &template, &other_words()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    // An answer that was lost leaves the change at Meta, and the caller repeats the call.
    report(&cloud, &template, "APPROVED").await;
    let external = template["external_id"].as_str().unwrap();
    cloud.graph.set_template_status(external, "APPROVED");
    cloud.faults([Fault::DropAfter]);
    delete(&cloud, &cloud.key, &template).await.is_problem(503, "unavailable");
    assert_eq!(delete(&cloud, &cloud.key, &template).await.status, 200);
}

async fn a_change_that_was_broken_off_is_forgotten(cloud: Cloud) {
    // Given a server that died while Meta was asked about a change,
    let template = create_approved(&cloud, "hours").await;
    let owner = cloud.server.deps.db.organization(cloud.organization);
    let id = id_of(&template).parse().unwrap();
    let stored = owner.template(id).await.unwrap().unwrap();
    let until = cloud.clock.now().plus(MINUTE);
    let server = cloud.server.deps.claims.instance();
    assert!(owner.reserve_template(id, stored.updated_at, until, server).await.unwrap());
    // when a report comes meanwhile, then it waits,
    report(&cloud, &template, "PAUSED").await;
    assert_eq!(read(&cloud, &template).await["status"], "approved");
    patch(&cloud, &cloud.key, &template, &other_words()).await.is_problem(409, "template_locked");
    // and counts as soon as the reservation is over.
    cloud.advance_by(3, MINUTE).await;
    assert_eq!(read(&cloud, &template).await["status"], "paused");
    let external = template["external_id"].as_str().unwrap();
    cloud.graph.set_template_status(external, "PAUSED");
    let changed = patch(&cloud, &cloud.key, &template, &other_words()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

async fn twilio_deletes_and_does_not_change(line: Line) {
    let template = create_template(&line, &plain_template("hours")).await;
    line.settle().await;
    line.twilio.review(0, "approved", "");
    line.advance_by(2, MINUTE).await;
    let template = read(&line, &template).await;
    assert_eq!(template["status"], "approved");
    let refused = patch(&line, &line.key, &template, &other_words()).await;
    refused.is_problem(422, "not_supported_by_channel");
    let deleted = delete(&line, &line.key, &template).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(deleted.body["status"], "deleted");
    assert_eq!(line.twilio.contents(), []);
    line.advance_by(2, MINUTE * 60 * 24).await;
    assert_eq!(read(&line, &template).await["status"], "deleted");
    assert_eq!(line.twilio.violations(), Vec::<String>::new());
}

on_both_databases! {
    an_approved_one_is_changed_reviewed_again_and_sent,
    a_change_is_checked_like_a_new_template,
    pending_disabled_and_deleted_templates_cannot_be_changed,
    a_deleted_template_is_not_sent_and_its_name_is_free,
    a_draft_that_nobody_has_submitted_is_deleted,
    a_waiting_message_fails_when_its_template_is_deleted,
    a_bound_key_changes_the_templates_of_its_number_only,
    one_of_many_concurrent_changes_is_applied,
}

on_both_clouds! {
    meta_gets_the_change_and_the_deletion,
    a_fallback_that_is_rejected_before_its_time_is_not_sent,
    a_change_that_meta_refuses_has_no_effect,
    a_change_that_was_broken_off_is_forgotten,
}

on_both_with_twilio! {
    twilio_deletes_and_does_not_change,
}
