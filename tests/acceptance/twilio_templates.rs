//! Templates at Twilio (`docs/contract.md#channel`): they are created with the Content API,
//! submitted for approval, polled until there is a verdict, and sent with their variables.

use crate::events::events;
use crate::template_creation::{
    create_template, create_template_with_key, order_update, plain_template, template_with,
};
use crate::twilio::{Line, MINUTE, PERSON, SEND, on_both_with_twilio};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::time::Duration;

const TEMPLATES: &str = "/api/v1/templates";

/// Returns the present state of a template from the API.
async fn read_template(line: &Line, template: &Value) -> Value {
    let path = format!("{TEMPLATES}/{}", template["id"].as_str().unwrap());
    let answer = line.get(&path, &line.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Returns how often the server polled the status of templates.
fn count_status_polls(line: &Line) -> usize {
    let calls = line.twilio.calls();
    calls.iter().filter(|it| it.starts_with("GET") && it.ends_with("/ApprovalRequests")).count()
}

async fn a_template_is_made_approved_and_sent(line: Line) {
    // When a template is created, then it becomes a resource that is submitted for approval,
    let template = create_template(&line, &template_with("order_update", &order_update())).await;
    line.settle().await;
    let template = read_template(&line, &template).await;
    let contents = line.twilio.contents();
    let types = json!({
        "whatsapp/card": {
            "header_text": "Your order",
            "body": "Hello {{1}}, your order {{2}} is on its way.",
            "footer": "Acme",
            "actions": [
                {"type": "QUICK_REPLY", "title": "Thanks", "id": "Thanks"},
                {"type": "URL", "title": "Track it", "url": "https://example.com/orders/{{3}}"},
                {"type": "PHONE_NUMBER", "title": "Call us", "phone": "+12025550190"},
            ],
        },
    });
    let wanted = json!({
        "friendly_name": template["id"],
        "language": "en",
        "variables": {"1": "Ada", "2": "1024", "3": "1024"},
        "types": types,
    });
    assert_eq!(contents.len(), 1);
    assert_eq!(contents[0].body, wanted);
    assert_eq!(contents[0].request, json!({"name": "order_update", "category": "UTILITY"}));
    assert_eq!(template["status"], "pending");
    assert_eq!(template["external_id"], json!(contents[0].sid));

    // is polled less and less often while there is no verdict,
    line.advance_by(10, MINUTE).await;
    assert_eq!(count_status_polls(&line), 4, "after 1, 3, 6 and 10 minutes");
    assert_eq!(read_template(&line, &template).await["status"], "pending");
    // and is approved when the reviewer approves it.
    line.twilio.review(0, "approved", "");
    line.advance_by(5, MINUTE).await;
    assert_eq!(read_template(&line, &template).await["status"], "approved");

    // A message with the template names the resource and its variables.
    let components = json!([
        {
            "type": "body",
            "parameters": [{"type": "text", "text": "Bob"}, {"type": "text", "text": "7"}],
        },
        {
            "type": "button",
            "sub_type": "url",
            "index": "1",
            "parameters": [{"type": "text", "text": "7?a=b"}],
        },
    ]);
    let body = json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": "order_update",
        "language": "en",
        "components": components,
    });
    let id = line.send(&body).await;
    line.settle().await;
    let accepted = line.accepted(&id).remove(0);
    assert_eq!(accepted.field("ContentSid"), contents[0].sid);
    let variables: Value = serde_json::from_str(accepted.field("ContentVariables")).unwrap();
    assert_eq!(variables, json!({"1": "Bob", "2": "7", "3": "7?a=b"}));
    line.report_status(&accepted, "read", &[]).await;
    assert_eq!(line.message(&id).await["status"], "read");
    line.all_in_shape();
}

async fn a_rejection_a_pause_and_an_end_are_learned(line: Line) {
    let rejected = create_template(&line, &plain_template("rejected")).await;
    line.settle().await;
    let other = create_template(&line, &plain_template("paused")).await;
    line.settle().await;
    line.twilio.review(0, "rejected", "INVALID_FORMAT");
    line.twilio.review(1, "approved", "");
    line.advance_by(2, MINUTE).await;
    let template = read_template(&line, &rejected).await;
    assert_eq!(template["status"], "rejected");
    assert_eq!(template["rejection_reason"], "invalid_format");
    assert_eq!(read_template(&line, &other).await["status"], "approved");
    // An approved template is polled once a day, and a rejected one is not polled.
    let asked = count_status_polls(&line);
    line.twilio.review(1, "paused", "");
    line.advance_by(23, MINUTE * 60).await;
    assert_eq!(count_status_polls(&line), asked);
    line.advance_by(2, MINUTE * 60).await;
    assert_eq!(count_status_polls(&line), asked + 1);
    assert_eq!(read_template(&line, &other).await["status"], "paused");
    line.twilio.review(1, "disabled", "");
    line.advance_by(25, MINUTE * 60).await;
    assert_eq!(read_template(&line, &other).await["status"], "disabled");
    line.advance_by(3, MINUTE * 60 * 24).await;
    assert_eq!(count_status_polls(&line), asked + 2);
}

async fn a_template_is_asked_about_by_where_it_stands_here(line: Line) {
    // Given a template that was submitted after many attempts,
    let template = create_template(&line, &plain_template("order")).await;
    line.beside().await.execute("UPDATE templates SET submission_attempts = 50").await;
    line.settle().await;
    // then polling still begins soon,
    line.advance_by(3, MINUTE).await;
    assert_eq!(count_status_polls(&line), 2);
    // a pause without a previous approval is recorded as approval and pause,
    line.twilio.review(0, "paused", "");
    line.advance_by(3, MINUTE).await;
    assert_eq!(count_status_polls(&line), 3);
    assert_eq!(read_template(&line, &template).await["status"], "paused");
    let kinds: Vec<Value> =
        events(&line, &line.key).await.iter().map(|it| it["type"].clone()).collect();
    assert_eq!(kinds, ["template.submitted", "template.approved", "template.paused"]);
    // and the pause ends when the template is polled a day later.
    line.twilio.review(0, "approved", "");
    line.advance_by(25, MINUTE * 60).await;
    assert_eq!(count_status_polls(&line), 4);
    assert_eq!(read_template(&line, &template).await["status"], "approved");
    // An approved template is polled once a day, whatever status the reviewer reports.
    line.twilio.review(0, "pending", "");
    line.advance_by(50, MINUTE * 60).await;
    assert_eq!(count_status_polls(&line), 6);
    assert_eq!(read_template(&line, &template).await["status"], "approved");
}

async fn a_template_of_another_networks_number_is_refused(line: Line) {
    // Given an organization that also has a sandbox account, and a template that was created
    // for it,
    let sandbox = line.number(line.organization, "+12025550181").await;
    let key = line.key_with(line.organization, Scope::ALL, Some(sandbox), 0).await;
    let template = create_template_with_key(&line, &key, &plain_template("order")).await;
    line.advance_by(5, MINUTE).await;
    assert_eq!(read_template(&line, &template).await["status"], "approved");
    // when the template is sent from the account at Twilio, then the send is rejected before
    // anything is stored,
    let mut body = json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": "order",
        "language": "en",
    });
    for dry_run in [true, false] {
        body["dry_run"] = json!(dry_run);
        let answer = line.post(SEND, &line.key, &body).await;
        let answer = answer.is_problem(422, "not_supported_by_channel");
        assert_eq!(answer.body["unsupported"], "a template of a sandbox number");
    }
    assert!(line.history(PERSON).await.is_empty());
    assert_eq!(line.twilio.calls().len(), 0);
    // and it can be sent from the sandbox account.
    assert_eq!(line.post(SEND, &key, &body).await.status, 201);
}

async fn a_submission_whose_answer_was_lost_makes_nothing_twice(line: Line) {
    // Given a template that was submitted by a server that stopped before it stored the result,
    let template = create_template(&line, &plain_template("again")).await;
    line.settle().await;
    let id = template["id"].as_str().unwrap();
    let mut database = line.beside().await;
    database.execute("UPDATE templates SET status = 'draft', external_id = NULL").await;
    database.execute(due_now(&line)).await;
    // when it is submitted again, then it is found by our id and not created again.
    line.advance_by(1, Duration::from_secs(1)).await;
    assert_eq!(line.twilio.contents().len(), 1);
    assert_eq!(line.twilio.contents()[0].body["friendly_name"], id);
    let posted = line.twilio.calls().iter().filter(|it| it.starts_with("POST")).count();
    assert_eq!(posted, 2, "one resource, one request for approval");
    let template = read_template(&line, &template).await;
    assert_eq!(template["status"], "pending");
    assert_eq!(template["external_id"], json!(line.twilio.contents()[0].sid));
    line.all_in_shape();
}

async fn templates_that_twilio_does_not_support_are_rejected(line: Line) {
    let header = json!([
        {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::aW"]}},
        {"type": "BODY", "text": "We are open again."},
    ]);
    let coupon = json!([
        {"type": "BODY", "text": "We are open again."},
        {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "example": ["SAVE20"]}]},
    ]);
    let mut code = template_with(
        "code",
        &json!([
            {"type": "BODY", "add_security_recommendation": true},
            {
                "type": "BUTTONS",
                "buttons": [{"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code"}],
            },
        ]),
    );
    code["category"] = json!("authentication");
    let unknown = json!([{"type": "BODY", "text": "We are open again."}, {"type": "NEW_PART"}]);
    for (body, unsupported) in [
        (template_with("header", &header), "headers of format IMAGE"),
        (template_with("coupon", &coupon), "buttons of type COPY_CODE"),
        (code, "templates of category authentication"),
        (template_with("unknown", &unknown), "components of type NEW_PART"),
    ] {
        let answer = line.post(TEMPLATES, &line.key, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.is_problem(422, "not_supported_by_channel");
        assert_eq!(answer.body["unsupported"], unsupported);
        assert!(!answer.body["supported"].as_array().unwrap().is_empty());
    }
    let listed = line.get(TEMPLATES, &line.key).await;
    assert_eq!(listed.body["data"], json!([]));
    // The payload of a quick reply is fixed in the template.
    let template = create_template(&line, &template_with("order_update", &order_update())).await;
    line.settle().await;
    line.twilio.review(0, "approved", "");
    line.advance_by(2, MINUTE).await;
    assert_eq!(read_template(&line, &template).await["status"], "approved");
    let components = json!([
        {
            "type": "body",
            "parameters": [{"type": "text", "text": "Bob"}, {"type": "text", "text": "7"}],
        },
        {
            "type": "button",
            "sub_type": "quick_reply",
            "index": "0",
            "parameters": [{"type": "payload", "payload": "x"}],
        },
        {
            "type": "button",
            "sub_type": "url",
            "index": "1",
            "parameters": [{"type": "text", "text": "7"}],
        },
    ]);
    let body = json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": "order_update",
        "language": "en",
        "components": components,
    });
    line.post(SEND, &line.key, &body).await.is_problem(422, "not_supported_by_channel");
}

/// Returns the SQL that makes all templates due.
fn due_now(line: &Line) -> &'static str {
    if line.database_url().starts_with("postgres") {
        "UPDATE templates SET submission_due_at = timestamptz '2026-11-21 12:00:00Z', submission_claimed_by = NULL"
    } else {
        "UPDATE templates SET submission_due_at = 1795262400000000, submission_claimed_by = NULL"
    }
}

on_both_with_twilio! {
    a_template_is_made_approved_and_sent,
    a_rejection_a_pause_and_an_end_are_learned,
    a_template_is_asked_about_by_where_it_stands_here,
    a_template_of_another_networks_number_is_refused,
    a_submission_whose_answer_was_lost_makes_nothing_twice,
    templates_that_twilio_does_not_support_are_rejected,
}
