//! Sends with a template that the server knows are checked before anything is sent to the channel.

use crate::world::{Answer, World, noon, on_both_databases};
use domain::id::{OrganizationId, TemplateId};
use domain::keyword::Keyword as _;
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use persistence::Document;
use persistence::records::Template;
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const SEND_TEMPLATE: &str = "/api/v1/messages/template";
const PERSON: &str = "+12025550110";

fn order_update() -> Value {
    json!([
        {"type": "HEADER", "format": "TEXT", "text": "Your order"},
        {
            "type": "BODY",
            "text": "Hello {{1}}, your order {{2}} is on its way.",
            "example": {"body_text": [["Ada", "1024"]]},
        },
        {"type": "FOOTER", "text": "Acme"},
    ])
}

/// Creates a template with this status in the database.
async fn insert_template(world: &World, name: &str, status: TemplateStatus, components: Value) {
    insert_template_of(world, world.organization, name, status, components).await;
}

async fn insert_template_of(
    world: &World,
    organization: OrganizationId,
    name: &str,
    status: TemplateStatus,
    components: Value,
) {
    let deps = &world.server.deps;
    let id: TemplateId = deps.id(noon());
    let rejected = status == TemplateStatus::Rejected;
    let row = Template {
        id,
        organization_id: organization,
        account_id: world.account,
        name: name.to_owned(),
        language: "en".to_owned(),
        category: Category::Utility,
        status,
        rejection_reason: rejected.then_some(RejectionReason::Promotional),
        rejection_detail: None,
        parameter_format: ParameterFormat::Positional,
        components: Document(components.to_string()),
        external_id: None,
        submitted_at: None,
        reviewed_at: None,
        created_at: noon(),
        updated_at: noon(),
        submission_due_at: None,
        submission_attempts: 0.into(),
        message_send_ttl_seconds: None,
        quality: None,
    };
    deps.db.insert_template(row).await.unwrap();
}

fn body_parameters(words: &[&str]) -> Value {
    let parameters: Vec<Value> =
        words.iter().map(|it| json!({"type": "text", "text": it})).collect();
    json!({"type": "body", "parameters": parameters})
}

/// Returns requests to both operations that can send a template.
fn both_ways(name: &str, components: &Value, dry_run: bool) -> [(&'static str, Value); 2] {
    let common = json!({
        "template_name": name,
        "language": "en",
        "components": components,
        "dry_run": dry_run,
    });
    let (mut message, mut template) = (common.clone(), common);
    message["type"] = json!("template");
    message["phone_number"] = json!(PERSON);
    template["to"] = json!(PERSON);
    [(SEND, message), (SEND_TEMPLATE, template)]
}

async fn send_both_ways(world: &World, name: &str, components: &Value) -> Vec<Answer> {
    let mut answers = Vec::new();
    for (path, body) in both_ways(name, components, false) {
        answers.push(world.post(path, &world.key, &body).await);
    }
    answers
}

/// Asserts that nothing was sent and nothing waits to be sent.
async fn nothing_leaves(world: &World) {
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
}

async fn is_parameter_mismatch(
    world: &World,
    name: &str,
    components: Value,
    expected: u64,
    received: u64,
) {
    for answer in send_both_ways(world, name, &components).await {
        answer.is_problem(422, "template_params_mismatch");
        assert_eq!(answer.body["expected"], expected, "{}", answer.text);
        assert_eq!(answer.body["received"], received, "{}", answer.text);
    }
}

async fn only_an_approved_template_is_sent(world: World) {
    for status in TemplateStatus::ALL.iter().copied().filter(|it| *it != TemplateStatus::Approved) {
        insert_template(&world, status.as_str(), status, order_update()).await;
        for answer in
            send_both_ways(&world, status.as_str(), &json!([body_parameters(&["Ada", "1024"])]))
                .await
        {
            answer.is_problem(422, "template_not_approved");
            assert_eq!(answer.body["template_status"], status.as_str());
            let reason =
                if status == TemplateStatus::Rejected { json!("promotional") } else { json!(null) };
            assert_eq!(answer.body.get("rejection_reason"), Some(&reason), "{}", answer.text);
        }
    }
    nothing_leaves(&world).await;
}

async fn an_approved_template_is_sent_by_both_ways(world: World) {
    insert_template(&world, "order_update", TemplateStatus::Approved, order_update()).await;
    let components = json!([body_parameters(&["Ada", "1024"])]);
    let answers = send_both_ways(&world, "order_update", &components).await;
    for answer in &answers {
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.body["type"], "template");
        assert_eq!(answer.body["phone_number"], PERSON);
        assert_eq!(answer.body["warnings"], json!([]));
    }
    assert_eq!(answers[0].body["conversation_id"], answers[1].body["conversation_id"]);
    let fields =
        |answer: &Answer| answer.body.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&answers[0]), fields(&answers[1]));
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history(PERSON).await;
    assert_eq!(history.len(), 2);
    for record in &history {
        assert_eq!(record["type"], "template");
        assert_eq!(record["status"], "delivered");
        assert_eq!(
            record["template"],
            json!({"name": "order_update", "language": "en", "components": components})
        );
        assert_eq!(record["text"], json!(null));
    }
}

async fn parameters_of_a_wrong_number_are_refused(world: World) {
    insert_template(&world, "order_update", TemplateStatus::Approved, order_update()).await;
    is_parameter_mismatch(&world, "order_update", json!([]), 2, 0).await;
    is_parameter_mismatch(&world, "order_update", json!([body_parameters(&["Ada"])]), 2, 1).await;
    is_parameter_mismatch(
        &world,
        "order_update",
        json!([body_parameters(&["Ada", "1", "2"])]),
        2,
        3,
    )
    .await;
    let header = json!({"type": "header", "parameters": [{"type": "text", "text": "x"}]});
    is_parameter_mismatch(
        &world,
        "order_update",
        json!([header, body_parameters(&["Ada", "1"])]),
        0,
        1,
    )
    .await;
    nothing_leaves(&world).await;
}

async fn a_picture_above_the_text_is_a_parameter_of_its_own(world: World) {
    let parts =
        json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Hello {{1}}!"}]);
    insert_template(&world, "picture", TemplateStatus::Approved, parts).await;
    is_parameter_mismatch(&world, "picture", json!([body_parameters(&["Ada"])]), 1, 0).await;
    for (kind, value) in
        [("text", json!("x")), ("video", json!({"link": "https://example.com/a.mp4"}))]
    {
        let header = json!({"type": "header", "parameters": [{"type": kind, kind: value}]});
        for answer in
            send_both_ways(&world, "picture", &json!([header, body_parameters(&["Ada"])])).await
        {
            answer.is_problem(422, "template_params_mismatch");
        }
    }
    nothing_leaves(&world).await;
    let header = json!({
        "type": "header",
        "parameters": [{"type": "image", "image": {"link": "https://example.com/a.jpg"}}],
    });
    for answer in
        send_both_ways(&world, "picture", &json!([header, body_parameters(&["Ada"])])).await
    {
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let history = world.history(PERSON).await;
    assert_eq!(history[0]["template"]["components"][0], header);
}

async fn a_template_that_is_not_known_here_is_passed_through(world: World) {
    // Templates of another organization or in another language do not count.
    let other = world.organization_on("Other", "Unlimited").await;
    insert_template_of(&world, other, "elsewhere", TemplateStatus::Rejected, order_update()).await;
    insert_template(&world, "only_english", TemplateStatus::Rejected, order_update()).await;
    for answer in
        send_both_ways(&world, "elsewhere", &json!([body_parameters(&["Ada", "1", "2", "3"])]))
            .await
    {
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let german = json!({"to": PERSON, "template_name": "only_english", "language": "de"});
    assert_eq!(world.post(SEND_TEMPLATE, &world.key, &german).await.status, 201);
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history(PERSON).await;
    assert_eq!(history.len(), 3);
    // The message reaches the channel, which refuses it because the template does not exist
    // there.
    assert!(history.iter().all(|it| it["error"]["code"] == "template_not_found"), "{history:?}");
}

async fn a_dry_run_shows_the_template_filled_in(world: World) {
    insert_template(&world, "order_update", TemplateStatus::Approved, order_update()).await;
    insert_template(&world, "paused", TemplateStatus::Paused, order_update()).await;
    let right = json!([body_parameters(&["Ada", "1024"])]);
    for (path, body) in both_ways("order_update", &right, true) {
        let answer = world.post(path, &world.key, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(
            answer.body,
            json!({
                "valid": true,
                "account_id": world.account.to_string(),
                "contact_id": null,
                "conversation_id": null,
                "warnings": [],
                "rendered": "Your order\nHello Ada, your order 1024 is on its way.\nAcme",
                "lint": [],
            })
        );
    }
    for (path, body) in both_ways("paused", &right, true) {
        world.post(path, &world.key, &body).await.is_problem(422, "template_not_approved");
    }
    for (path, body) in both_ways("order_update", &json!([]), true) {
        world.post(path, &world.key, &body).await.is_problem(422, "template_params_mismatch");
    }
    nothing_leaves(&world).await;
}

/// The sandbox contact's echo shows that it received the same text as in a dry run.
async fn a_person_reads_the_template_filled_in(world: World) {
    insert_template(&world, "order_update", TemplateStatus::Approved, order_update()).await;
    let body = json!({
        "to": "1 202 555-0100",
        "template_name": "order_update",
        "language": "en",
        "components": [body_parameters(&["{{2}}", "1024"])],
    });
    assert_eq!(world.post(SEND_TEMPLATE, &world.key, &body).await.status, 201);
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history("+12025550100").await;
    assert_eq!(history[1]["text"], "Your order\nHello {{2}}, your order 1024 is on its way.\nAcme");
}

async fn each_way_has_its_own_field_for_the_number(world: World) {
    let template = json!({"template_name": "hello", "language": "en"});
    let mut body = template.clone();
    body["phone_number"] = json!(PERSON);
    world
        .post(SEND_TEMPLATE, &world.key, &body)
        .await
        .has_faults(&[("to", "required"), ("phone_number", "unknown_field")]);
    body["type"] = json!("template");
    assert_eq!(
        world
            .post(SEND, &world.key, &{
                let mut dry = body.clone();
                dry["dry_run"] = json!(true);
                dry
            })
            .await
            .status,
        200
    );
    let mut body = template;
    body["to"] = json!(PERSON);
    body["type"] = json!("template");
    world
        .post(SEND, &world.key, &body)
        .await
        .has_faults(&[("phone_number", "required"), ("to", "unknown_field")]);
    world.post(SEND_TEMPLATE, &world.key, &body).await.has_faults(&[("type", "unknown_field")]);
    nothing_leaves(&world).await;
}

async fn faults_of_a_template_send_are_all_reported(world: World) {
    let body = json!({
        "to": "me",
        "template_name": "Not A Name",
        "language": "english",
        "components": [
            {"type": "footer"},
            {"type": "body", "parameters": [{"type": "text"}, {"type": "song"}]},
            {"type": "button", "parameters": []},
            {"type": "header", "parameters": [{"type": "image", "image": {"link": "a"}}]},
        ],
    });
    world.post(SEND_TEMPLATE, &world.key, &body).await.has_faults(&[
        ("to", "invalid_format"),
        ("template_name", "invalid_format"),
        ("language", "invalid_format"),
        ("components[0].type", "not_one_of"),
        ("components[1].parameters[0].text", "required"),
        ("components[1].parameters[1].type", "not_one_of"),
        ("components[2].sub_type", "required"),
        ("components[2].index", "required"),
        ("components[3].parameters[0].image.link", "invalid_format"),
    ]);
    world.post(SEND_TEMPLATE, &world.key, &json!({})).await.has_faults(&[
        ("to", "required"),
        ("template_name", "required"),
        ("language", "required"),
    ]);
    nothing_leaves(&world).await;
}

async fn a_template_takes_the_optional_fields_of_every_message(world: World) {
    let body = json!({
        "to": PERSON,
        "template_name": "hello",
        "language": "en",
        "client_ref": "order-1",
        "metadata": {"k": "v"},
    });
    let first = world.post(SEND_TEMPLATE, &world.key, &body).await;
    assert_eq!(first.body["client_ref"], "order-1");
    let mut answering = body.clone();
    answering["reply_to"] = first.body["id"].clone();
    assert_eq!(world.post(SEND_TEMPLATE, &world.key, &answering).await.status, 201);
    answering["reply_to"] = json!("msg_01h2xcejqtf2nbrexx3vqjhp41");
    world.post(SEND_TEMPLATE, &world.key, &answering).await.is_problem(404, "not_found");
    let history = world.history(PERSON).await;
    assert_eq!(history.len(), 2);
    assert_eq!(history[0]["metadata"], json!({"k": "v"}));
    assert_eq!(history[1]["reply_to"], first.body["id"]);
}

on_both_databases! {
    only_an_approved_template_is_sent,
    an_approved_template_is_sent_by_both_ways,
    parameters_of_a_wrong_number_are_refused,
    a_picture_above_the_text_is_a_parameter_of_its_own,
    a_template_that_is_not_known_here_is_passed_through,
    a_dry_run_shows_the_template_filled_in,
    a_person_reads_the_template_filled_in,
    each_way_has_its_own_field_for_the_number,
    faults_of_a_template_send_are_all_reported,
    a_template_takes_the_optional_fields_of_every_message,
}
