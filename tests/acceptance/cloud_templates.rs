//! Templates in review at the Cloud API (`docs/contract.md#templates` and
//! `docs/contract.md#channel`): how they are submitted and how verdicts change them. Neither a
//! submission nor a verdict gets lost.

use crate::cloud::{BUSINESS, Cloud, MINUTE, PERSON, SECOND, SEND, on_both_clouds, refusal};
use crate::events::{events, kinds};
use crate::operators::admin;
use crate::template_creation::{create_template, order_update, plain_template, template_with};
use crate::world::graph::{Fault, callbacks};
use domain::keyword::Keyword as _;
use serde_json::{Value, json};

const TEMPLATES: &str = "/api/v1/templates";

/// Returns the present state of a template from the API.
async fn read_template(cloud: &Cloud, template: &Value) -> Value {
    let path = format!("{TEMPLATES}/{}", template["id"].as_str().unwrap());
    let answer = cloud.get(&path, &cloud.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Creates a template that the reviewer has received, and returns it.
async fn create_pending_template(cloud: &Cloud, name: &str) -> Value {
    let template = create_template(cloud, &plain_template(name)).await;
    cloud.settle().await;
    let template = read_template(cloud, &template).await;
    assert_eq!(template["status"], "pending", "{template}");
    template
}

/// Builds a callback with the reviewer's verdict on a template.
fn verdict_callback(template: &Value, event: &str, reason: Option<&str>) -> Value {
    let text = |field: &str| template[field].as_str().unwrap();
    let (external, name) = (text("external_id"), text("name"));
    callbacks::template_status(BUSINESS, external, name, "en", event, reason)
}

/// Returns all recorded verdicts on a template, and whether each changed the template.
async fn recorded_verdicts(cloud: &Cloud, template: &Value) -> Vec<(&'static str, bool)> {
    let id = template["id"].as_str().unwrap().parse().unwrap();
    let said =
        cloud.server.deps.db.organization(cloud.organization).list_verdicts(id).await.unwrap();
    said.iter().map(|it| (it.verdict.as_str(), it.took_effect)).collect()
}

/// Asserts that a send with this template is rejected without a request to the channel.
async fn is_not_sendable(cloud: &Cloud, template: &Value, reason: Value) {
    let calls = cloud.graph.calls().len();
    let body = json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": template["name"],
        "language": "en",
    });
    let answer = cloud.post(SEND, &cloud.key, &body).await;
    answer.is_problem(422, "template_not_approved");
    assert_eq!(answer.body["template_status"], template["status"]);
    assert_eq!(answer.body.get("rejection_reason"), Some(&reason), "{}", answer.text);
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), calls);
    assert_eq!(cloud.graph.accepted().len(), 0);
}

/// Returns how often the reviewer was asked to create a template.
fn count_submissions(cloud: &Cloud) -> usize {
    count_requests(cloud, "POST")
}

/// Returns how often the reviewer was asked for its templates.
fn count_listings(cloud: &Cloud) -> usize {
    count_requests(cloud, "GET")
}

fn count_requests(cloud: &Cloud, method: &str) -> usize {
    cloud.graph.calls().iter().filter(|call| call.method == method).count()
}

async fn a_template_is_submitted_in_metas_shape_and_pending(cloud: Cloud) {
    // Given templates of either parameter format,
    let named = json!([
        {
            "type": "BODY",
            "text": "Hello {{first_name}}, welcome.",
            "example": {"body_text_named_params": [{"param_name": "first_name", "example": "Ada"}]},
        },
    ]);
    let mut body = template_with("welcome", &named);
    (body["parameter_format"], body["category"], body["language"]) =
        (json!("named"), json!("marketing"), json!("en_US"));
    for (body, format, category, language) in [
        (template_with("order_update", &order_update()), "POSITIONAL", "UTILITY", "en"),
        (body, "NAMED", "MARKETING", "en_US"),
    ] {
        // when one is created, then it is submitted at once in Meta's format,
        let template = create_template(&cloud, &body).await;
        assert_eq!(template["status"], "draft");
        cloud.settle().await;
        let seen = cloud.graph.templates().pop().unwrap();
        let expected = json!({
            "name": body["name"],
            "language": language,
            "category": category,
            "parameter_format": format,
            "components": body["components"],
        });
        assert_eq!(seen.body, expected);
        assert_eq!(seen.waba_id.as_str(), BUSINESS);

        // and becomes `pending`, with the reviewer's id.
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], "pending");
        assert_eq!(template["external_id"], json!(seen.id));
        assert_eq!(template["submitted_at"], "2026-11-21T12:00:00.000Z");
        assert_eq!(template["reviewed_at"], json!(null));
        assert_eq!(recorded_verdicts(&cloud, &template).await, [("pending", true)]);
    }
    cloud.advance_by(5, MINUTE).await;
    assert_eq!(count_submissions(&cloud), 2);
    assert_eq!(count_listings(&cloud), 0);
    cloud.all_in_shape();
}

async fn an_approved_template_is_paused_and_reinstated(cloud: Cloud) {
    let template = create_pending_template(&cloud, "sale").await;
    is_not_sendable(&cloud, &template, json!(null)).await;
    cloud.advance(SECOND * 5);
    for (event, status) in [
        ("APPROVED", "approved"),
        ("PAUSED", "paused"),
        ("REINSTATED", "approved"),
        ("PAUSED", "paused"),
        ("APPROVED", "approved"),
    ] {
        cloud.post_callback(&verdict_callback(&template, event, None)).await;
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], json!(status));
        assert_eq!(template["rejection_reason"], json!(null));
        // The time is the one in the reviewer's callback, which has a precision of one second.
        assert_eq!(template["reviewed_at"], "2026-11-21T12:00:00.999Z");
        if status == "paused" {
            is_not_sendable(&cloud, &template, json!(null)).await;
        }
    }
    let id = cloud
        .send(&json!({
            "type": "template",
            "phone_number": PERSON,
            "template_name": "sale",
            "language": "en",
        }))
        .await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&id).len(), 1);

    cloud.post_callback(&verdict_callback(&template, "DISABLED", None)).await;
    let disabled = read_template(&cloud, &template).await;
    assert_eq!(disabled["status"], "disabled");
    cloud.all_in_shape();
}

async fn a_rejected_one_says_why_and_is_not_sent(cloud: Cloud) {
    let reasons = [
        ("ABUSIVE_CONTENT", json!("abusive_content")),
        ("INCORRECT_CATEGORY", json!("incorrect_category")),
        ("INVALID_FORMAT", json!("invalid_format")),
        ("PROMOTIONAL", json!("promotional")),
        ("SCAM", json!("scam")),
        ("TAG_CONTENT_MISMATCH", json!("tag_content_mismatch")),
        ("NONE", json!(null)),
    ];
    for (reason, expected) in reasons {
        let template =
            create_pending_template(&cloud, &format!("sale_{}", reason.to_lowercase())).await;
        let mut callback = verdict_callback(&template, "REJECTED", Some(reason));
        let info = json!({"reason": "It has two spaces.", "recommendation": "Take one."});
        callback["entry"][0]["changes"][0]["value"]["rejection_info"] = info;
        cloud.post_callback(&callback).await;
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], "rejected");
        assert_eq!(template["rejection_reason"], expected);
        assert_eq!(template["rejection_detail"], "It has two spaces. Take one.");
        is_not_sendable(&cloud, &template, expected).await;
    }
}

async fn each_verdict_replaces_the_previous_one(cloud: Cloud) {
    // Given a template under review, when Meta reports these events,
    let template = create_pending_template(&cloud, "sale").await;
    let steps = [
        ("PAUSED", "paused", true),
        ("DISABLED", "disabled", true),
        ("REINSTATED", "approved", true),
        ("APPROVED", "approved", false),
        ("REJECTED", "rejected", true),
        ("REJECTED", "rejected", false),
        ("APPROVED", "approved", true),
        ("PENDING", "pending", true),
        ("REJECTED", "rejected", true),
        ("PENDING", "pending", true),
        ("APPROVED", "approved", true),
        ("DISABLED", "disabled", true),
        ("DELETED", "deleted", true),
        ("DELETED", "deleted", false),
        ("APPROVED", "approved", true),
        ("PENDING_DELETION", "deleted", true),
    ];
    let mut expected = vec![("pending", true)];
    for (event, status, is_new) in steps {
        let before = read_template(&cloud, &template).await;
        cloud.post_callback(&verdict_callback(&template, event, Some("SCAM"))).await;
        // then the template has the new status and can be sent only if it is approved,
        let after = read_template(&cloud, &template).await;
        assert_eq!(after["status"], status, "{event}");
        let reason = if status == "rejected" { json!("scam") } else { Value::Null };
        assert_eq!(after["rejection_reason"], reason, "{event}");
        if status != "approved" {
            is_not_sendable(&cloud, &after, reason).await;
        }
        // and a repeat changes nothing.
        assert_eq!(after == before, !is_new, "{event}");
        expected.push((status, is_new));
    }
    // Every report is in the log, and every change is an event.
    let mut log = recorded_verdicts(&cloud, &template).await;
    log.sort_unstable();
    expected.sort_unstable();
    assert_eq!(log, expected);
    let told = events(&cloud, &cloud.key).await;
    let told: Vec<&str> =
        kinds(&told).into_iter().filter(|it| it.starts_with("template.")).collect();
    assert_eq!(
        told,
        [
            "template.submitted",
            "template.paused",
            "template.disabled",
            "template.approved",
            "template.rejected",
            "template.approved",
            "template.submitted",
            "template.rejected",
            "template.submitted",
            "template.approved",
            "template.disabled",
            "template.deleted",
            "template.approved",
            "template.deleted",
        ]
    );
    assert_eq!(
        cloud.get(&format!("{TEMPLATES}?status=deleted"), &cloud.key).await.body["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(cloud.is_idle().await);
    cloud.all_in_shape();
}

async fn the_later_of_two_verdicts_applies(cloud: Cloud) {
    cloud.advance(MINUTE);
    let at = |template: &Value, event: &str, second: i64| {
        let mut callback = verdict_callback(template, event, Some("SCAM"));
        callback["entry"][0]["time"] = json!(callbacks::TEMPLATE_TIME + second);
        callback
    };
    // Given a rejected template whose appeal is granted, with both reports in the wrong order
    // and twice,
    let template = create_pending_template(&cloud, "appealed").await;
    for (event, second, expected) in [
        ("APPROVED", 20, "approved"),
        ("REJECTED", 10, "approved"),
        ("APPROVED", 20, "approved"),
        ("REJECTED", 10, "approved"),
        ("PENDING", 5, "approved"),
        // (a later repeat counts as well)
        ("APPROVED", 40, "approved"),
        ("PAUSED", 30, "approved"),
        ("PAUSED", 41, "paused"),
    ] {
        cloud.post_callback(&at(&template, event, second)).await;
        assert_eq!(read_template(&cloud, &template).await["status"], expected, "{event} {second}");
    }
    // Several reports in one callback, in any order, have the same result.
    let template = create_pending_template(&cloud, "reinstated").await;
    let all = [("REINSTATED", 30), ("APPROVED", 10), ("DISABLED", 20)];
    cloud
        .post_callback(&callbacks::merge(
            all.iter().map(|(event, second)| at(&template, event, *second)).collect(),
        ))
        .await;
    cloud.advance_by(2, SECOND * 5).await;
    let shown = read_template(&cloud, &template).await;
    assert_eq!(shown["status"], "approved");
    assert_eq!(shown["reviewed_at"], "2026-11-21T12:00:30.999Z");
    // The reviewer's clock may be behind ours.
    let template = create_pending_template(&cloud, "behind").await;
    cloud.post_callback(&at(&template, "APPROVED", -30)).await;
    assert_eq!(read_template(&cloud, &template).await["status"], "approved");
    assert!(cloud.is_idle().await);
}

async fn an_unarchived_template_has_its_earlier_status(cloud: Cloud) {
    for (event, status, reason) in
        [("APPROVED", "approved", Value::Null), ("REJECTED", "rejected", json!("scam"))]
    {
        let template = create_pending_template(&cloud, &format!("sale_{status}")).await;
        cloud.post_callback(&verdict_callback(&template, event, Some("SCAM"))).await;
        cloud.post_callback(&verdict_callback(&template, "ARCHIVED", None)).await;
        let archived = read_template(&cloud, &template).await;
        assert_eq!(archived["status"], "archived");
        assert_eq!(archived["rejection_reason"], Value::Null);
        is_not_sendable(&cloud, &archived, Value::Null).await;
        cloud.post_callback(&verdict_callback(&template, "UNARCHIVED", None)).await;
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], json!(status));
        assert_eq!(template["rejection_reason"], reason);
    }
    let told = events(&cloud, &cloud.key).await;
    assert_eq!(kinds(&told).into_iter().filter(|it| *it == "template.archived").count(), 2);
}

async fn each_event_that_meta_documents_is_understood(cloud: Cloud) {
    let template = create_pending_template(&cloud, "sale").await;
    cloud.post_callback(&verdict_callback(&template, "APPROVED", None)).await;
    let approved = read_template(&cloud, &template).await;
    // Reports that do not affect sending change nothing and are not kept as dead letters.
    for event in ["FLAGGED", "IN_APPEAL", "LIMIT_EXCEEDED", "LOCKED", "UNLOCKED"] {
        cloud.post_callback(&verdict_callback(&template, event, None)).await;
        assert_eq!(read_template(&cloud, &template).await, approved, "{event}");
    }
    // The title of a lock or unlock says whether it is about a pause.
    for (event, title, status) in [
        ("LOCKED", "FIRST_PAUSE", "paused"),
        ("UNLOCKED", "UNPAUSE", "approved"),
        ("LOCKED", "DISABLED", "disabled"),
    ] {
        let mut callback = verdict_callback(&template, event, None);
        callback["entry"][0]["changes"][0]["value"]["other_info"] =
            json!({"title": title, "description": "Your template."});
        cloud.post_callback(&callback).await;
        assert_eq!(read_template(&cloud, &template).await["status"], status, "{event} {title}");
    }
    for event in [
        "APPROVED",
        "ARCHIVED",
        "UNARCHIVED",
        "PAUSED",
        "UNPAUSED",
        "DISABLED",
        "REINSTATED",
        "REJECTED",
        "PENDING",
        "DELETED",
        "PENDING_DELETION",
    ] {
        cloud.post_callback(&verdict_callback(&template, event, None)).await;
    }
    let all = cloud.server.deps.db.operator();
    assert_eq!(all.count_dead_callbacks().await.unwrap(), 0);
    // An unknown word changes nothing, is kept for a later version, and raises no alert.
    let before = read_template(&cloud, &template).await;
    cloud.post_callback(&verdict_callback(&template, "QUARANTINED", None)).await;
    assert_eq!(read_template(&cloud, &template).await, before);
    let listed =
        admin(cloud.database_url(), &["callback", "list", "--kind", "template_status"]).await;
    let letter = &listed["data"][0];
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_eq!(letter["reason"], "not_understood");
    assert!(letter["detail"].as_str().unwrap().contains("QUARANTINED"), "{letter}");
    assert_eq!(all.count_dead_callbacks().await.unwrap(), 1);
    assert_eq!(all.count_alarming_dead_callbacks().await.unwrap(), 0);
    // A report on a template that was created in the channel's console is kept and raises none.
    let elsewhere = callbacks::template_status(BUSINESS, "99", "elsewhere", "en", "APPROVED", None);
    cloud.post_callback(&elsewhere).await;
    assert_eq!(all.count_dead_callbacks().await.unwrap(), 2);
    assert_eq!(all.count_alarming_dead_callbacks().await.unwrap(), 0);
    assert!(cloud.is_idle().await);
}

async fn a_reviewer_that_is_away_is_asked_again(cloud: Cloud) {
    // Given a reviewer that has temporary faults, and is then down,
    let faults = [Fault::Status(500), Fault::Status(503), Fault::DropBefore, Fault::Stall];
    cloud.faults(
        faults.into_iter().chain([Fault::RateLimited { retry_after: Some(60), code: 80_007 }]),
    );
    let template = create_template(&cloud, &plain_template("sale")).await;
    cloud.settle().await;
    cloud.advance_by(4, SECOND * 5).await;
    assert_eq!(count_submissions(&cloud), 5);
    // (the last fault's `Retry-After` of one minute is respected)
    cloud.advance_by(11, SECOND * 5).await;
    assert_eq!(count_submissions(&cloud), 5);
    cloud.graph.down(true).await;
    cloud.advance_by(36, MINUTE * 5).await;
    assert_eq!(read_template(&cloud, &template).await["status"], "draft");

    // when the reviewer is back, then it gets the template, once.
    cloud.graph.down(false).await;
    cloud.advance_by(1, MINUTE * 5).await;
    assert_eq!(read_template(&cloud, &template).await["status"], "pending");
    assert_eq!(cloud.graph.templates().len(), 1);
    assert_eq!(count_submissions(&cloud), 6);
    assert_eq!(count_listings(&cloud), 0);
    assert_eq!(recorded_verdicts(&cloud, &template).await, [("pending", true)]);
}

async fn a_submission_without_an_answer_is_found_again(cloud: Cloud) {
    // Given a template with the same name in another language, and one whose name begins with
    // it,
    for (name, language) in [("sale", "de"), ("sale_2", "en")] {
        let mut body = plain_template(name);
        body["language"] = json!(language);
        create_template(&cloud, &body).await;
        cloud.settle().await;
    }
    // when a template is accepted without a response,
    cloud.faults([Fault::DropAfter]);
    let template = create_template(&cloud, &plain_template("sale")).await;
    cloud.settle().await;
    assert_eq!(read_template(&cloud, &template).await["status"], "draft");
    cloud.advance_by(1, SECOND).await;

    // then it is found by its name and language, and is `pending`.
    let found = read_template(&cloud, &template).await;
    let seen = cloud.graph.templates().pop().unwrap();
    assert_eq!(seen.name.as_str(), "sale");
    assert_eq!(seen.language.as_str(), "en");
    assert_eq!(cloud.graph.templates().len(), 3);
    assert_eq!(found["status"], "pending");
    assert_eq!(found["external_id"], json!(seen.id));
    cloud.all_in_shape();
    cloud.post_callback(&verdict_callback(&found, "APPROVED", None)).await;
    assert_eq!(read_template(&cloud, &template).await["status"], "approved");
}

/// The reviewer's list also contains the verdict so far.
async fn a_template_found_again_has_the_reviewers_status(cloud: Cloud) {
    for (status, expected) in [
        ("APPROVED", "approved"),
        ("REJECTED", "rejected"),
        ("PENDING", "pending"),
        ("IN_APPEAL", "pending"),
        ("ARCHIVED", "archived"),
        ("PENDING_DELETION", "deleted"),
    ] {
        cloud.faults([Fault::DropAfter]);
        let template =
            create_template(&cloud, &plain_template(&format!("sale_{}", status.to_lowercase())))
                .await;
        cloud.settle().await;
        let id = cloud.graph.templates().pop().unwrap().id;
        cloud.graph.set_template_status(&id, status);
        cloud.advance_by(1, SECOND).await;
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], json!(expected));
        assert_eq!(template["external_id"], json!(id));
    }
}

async fn a_refused_submission_is_rejected_with_the_reviewers_reason(cloud: Cloud) {
    let sentence = "Message templates cannot have two spaces.";
    cloud.faults([
        Fault::Error {
            status: 400,
            code: 100,
            subcode: Some(2_388_299),
            message: sentence.to_owned(),
        },
        refusal(400, 192, "Other"),
    ]);
    let template = create_template(&cloud, &plain_template("sale")).await;
    cloud.settle().await;
    let template = read_template(&cloud, &template).await;
    assert_eq!(template["status"], "rejected");
    assert_eq!(template["rejection_reason"], "invalid_format");
    assert_eq!(template["rejection_detail"], json!(sentence));
    assert_eq!(template["external_id"], json!(null));
    assert_eq!(recorded_verdicts(&cloud, &template).await, [("pending", true), ("rejected", true)]);
    is_not_sendable(&cloud, &template, json!("invalid_format")).await;
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(count_submissions(&cloud), 1);
    assert_eq!(count_listings(&cloud), 0);
}

async fn a_verdict_that_overtakes_the_answer_is_not_lost(cloud: Cloud) {
    for (event, reason, expected) in
        [("APPROVED", None, "approved"), ("REJECTED", Some("SCAM"), "rejected")]
    {
        // Given a template that is accepted without a response,
        cloud.faults([Fault::DropAfter]);
        let name = format!("sale_{expected}");
        let template = create_template(&cloud, &plain_template(&name)).await;
        cloud.settle().await;

        // when the verdict comes while the template is still a draft here,
        let id = cloud.graph.templates().pop().unwrap().id;
        cloud
            .post_callback(&callbacks::template_status(BUSINESS, &id, &name, "en", event, reason))
            .await;
        assert_eq!(read_template(&cloud, &template).await["status"], "draft");

        // then it takes effect once the reviewer's id of the template is known.
        cloud.advance_by(4, SECOND * 5).await;
        let template = read_template(&cloud, &template).await;
        assert_eq!(template["status"], json!(expected));
        assert_eq!(template["external_id"], json!(id));
        assert_eq!(template["rejection_reason"], json!(reason.map(str::to_lowercase)));
        assert!(cloud.is_idle().await);
    }
}

on_both_clouds! {
    a_template_is_submitted_in_metas_shape_and_pending,
    an_approved_template_is_paused_and_reinstated,
    a_rejected_one_says_why_and_is_not_sent,
    each_verdict_replaces_the_previous_one,
    the_later_of_two_verdicts_applies,
    an_unarchived_template_has_its_earlier_status,
    each_event_that_meta_documents_is_understood,
    a_reviewer_that_is_away_is_asked_again with [("graph_timeout", "1")],
    a_submission_without_an_answer_is_found_again,
    a_template_found_again_has_the_reviewers_status,
    a_refused_submission_is_rejected_with_the_reviewers_reason,
    a_verdict_that_overtakes_the_answer_is_not_lost,
}
