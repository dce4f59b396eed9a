//! The sandbox's reviewer decides on templates (`docs/contract.md#templates` and
//! `docs/contract.md#channel`), and sends respect its verdicts.

use crate::template_creation::{
    TEMPLATES, create_template, create_template_with_key, order_update, plain_template,
    post_template, read_template, template_names, template_with,
};
use crate::world::{Answer, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::template::RejectionReason;
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages/template";
const PERSON: &str = "+12025550110";
const ECHO: &str = "+12025550100";
const MOMENT: Duration = Duration::from_millis(500);
const SECOND: Duration = Duration::from_secs(1);

/// Returns the present state of a template.
async fn read_present(world: &World, record: &Value) -> Value {
    let answer = read_template(world, &world.key, record["id"].as_str().unwrap()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Creates a template, and returns its state two seconds later.
async fn create_reviewed_template(world: &World, body: &Value) -> Value {
    let record = create_template(world, body).await;
    world.live_through(SECOND * 2).await;
    read_present(world, &record).await
}

async fn send(world: &World, name: &str, components: &Value) -> Answer {
    let body =
        json!({"to": PERSON, "template_name": name, "language": "en", "components": components});
    world.post(SEND, &world.key, &body).await
}

fn text_parameters(kind: &str, words: &[&str]) -> Value {
    let parameters: Vec<Value> =
        words.iter().map(|it| json!({"type": "text", "text": it})).collect();
    json!({"type": kind, "parameters": parameters})
}

/// Returns the parameters of `order_update`.
fn right_parameters() -> Value {
    let mut button = text_parameters("button", &["1024"]);
    (button["sub_type"], button["index"]) = (json!("url"), json!(1));
    json!([text_parameters("body", &["Ada", "1024"]), button])
}

/// Asserts that a send with the template is rejected with this status and reason, and that nothing
/// is sent.
async fn is_not_sendable(world: &World, name: &str, status: &str, reason: Value) {
    let answer = send(world, name, &json!([])).await;
    answer.is_problem(422, "template_not_approved");
    assert_eq!(answer.body["template_status"], status);
    assert_eq!(answer.body.get("rejection_reason"), Some(&reason), "{}", answer.text);
    world.live_through(SECOND).await;
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
}

#[track_caller]
fn time_of(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_else(|| panic!("{field} in {record}")).to_owned()
}

async fn a_template_is_submitted_at_once_and_approved_after_a_second(world: World) {
    // Given a template,
    let draft = create_template(&world, &template_with("order_update", &order_update())).await;

    // when half a second has passed, then it has been submitted,
    world.live_through(MOMENT).await;
    let pending = read_present(&world, &draft).await;
    assert_eq!(pending["status"], "pending");
    assert!(time_of(&pending, "created_at") <= time_of(&pending, "submitted_at"), "{pending}");
    assert_eq!(pending["reviewed_at"], json!(null));
    assert_eq!(pending["rejection_reason"], json!(null));

    // and after more than a second it is approved,
    world.live_through(SECOND + MOMENT).await;
    let approved = read_present(&world, &draft).await;
    assert_eq!(approved["status"], "approved");
    assert!(!time_of(&approved, "external_id").is_empty());
    assert_eq!(approved["rejection_reason"], json!(null));
    assert_eq!(approved["rejection_detail"], json!(null));
    let times = ["created_at", "submitted_at", "reviewed_at", "updated_at"]
        .map(|field| time_of(&approved, field));
    assert!(times.is_sorted() && times[0] == time_of(&draft, "created_at"), "{times:?}");
    assert_eq!(approved["submitted_at"], pending["submitted_at"]);
    assert!(
        times[2].as_str() > "2026-11-21T12:00:00.900Z"
            && times[2].as_str() <= "2026-11-21T12:00:02.000Z",
        "{times:?}"
    );

    // with everything else as it was created.
    for field in
        ["id", "name", "language", "category", "parameter_format", "components", "account_id"]
    {
        assert_eq!(approved[field], draft[field], "{field}");
    }
    world.live_through(SECOND * 3).await;
    assert_eq!(read_present(&world, &draft).await, approved);
}

async fn a_rejected_one_says_why_and_is_not_sent(world: World) {
    let reasons = || RejectionReason::ALL.iter().map(|it| it.as_str());
    let mut drafts = Vec::new();
    for reason in reasons() {
        drafts.push(
            create_template(&world, &plain_template(&format!("sale_rejected_{reason}"))).await,
        );
    }
    world.live_through(SECOND * 2).await;
    for (reason, draft) in reasons().zip(&drafts) {
        let record = read_present(&world, draft).await;
        assert_eq!(record["status"], "rejected");
        assert_eq!(record["rejection_reason"], json!(reason));
        assert!(record["rejection_detail"].as_str().is_some_and(|it| !it.is_empty()), "{record}");
        assert!(time_of(&record, "submitted_at") < time_of(&record, "reviewed_at"));
        is_not_sendable(&world, record["name"].as_str().unwrap(), "rejected", json!(reason)).await;
    }
    assert_eq!(
        template_names(&world, &world.key, "status=rejected").await.len(),
        RejectionReason::ALL.len()
    );
}

async fn a_template_without_a_special_name_ending_is_approved(world: World) {
    for name in [
        "sale_rejected_scam_2",
        "rejected",
        "sale_rejected",
        "pending_sale",
        "paused",
        "disabled_",
        "xrejected_scamx",
    ] {
        create_template(&world, &plain_template(name)).await;
    }
    world.live_through(SECOND * 2).await;
    let page = world.get(TEMPLATES, &world.key).await;
    for record in page.body["data"].as_array().unwrap() {
        assert_eq!(record["status"], "approved", "{record}");
        assert_eq!(record["rejection_reason"], json!(null), "{record}");
    }
}

async fn other_name_endings_set_other_statuses(world: World) {
    for status in ["pending", "paused", "disabled"] {
        let name = format!("sale_{status}");
        let record = create_reviewed_template(&world, &plain_template(&name)).await;
        assert_eq!(record["status"], json!(status));
        assert_eq!(record["rejection_reason"], json!(null));
        assert!(!time_of(&record, "submitted_at").is_empty());
        assert_eq!(record["reviewed_at"].is_null(), status == "pending", "{record}");
        is_not_sendable(&world, &name, status, json!(null)).await;
        world.live_through(SECOND * 3).await;
        assert_eq!(read_present(&world, &record).await, record);
    }
}

async fn an_unreviewed_one_is_not_sent(world: World) {
    let draft = create_template(&world, &template_with("order_update", &order_update())).await;
    let answer = send(&world, "order_update", &right_parameters()).await;
    answer.is_problem(422, "template_not_approved");
    assert!(
        ["draft", "pending"].contains(&answer.text_of("template_status").as_str()),
        "{}",
        answer.text
    );

    world.live_through(MOMENT).await;
    assert_eq!(read_present(&world, &draft).await["status"], "pending");
    let answer = send(&world, "order_update", &right_parameters()).await;
    assert_eq!(answer.is_problem(422, "template_not_approved").body["template_status"], "pending");
    assert_eq!(answer.body["rejection_reason"], json!(null));
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
}

async fn an_approved_one_can_be_sent_at_once_and_its_parameters_are_checked(world: World) {
    create_reviewed_template(&world, &template_with("order_update", &order_update())).await;

    // All parameters of its components are required;
    let (mut few, mut many, mut none) =
        (right_parameters(), right_parameters(), right_parameters());
    few[0] = text_parameters("body", &["Ada"]);
    many[0] = text_parameters("body", &["Ada", "1024", "x"]);
    none.as_array_mut().unwrap().remove(1);
    for (components, expected, received) in
        [(few, 2, 1), (many, 2, 3), (none, 1, 0), (json!([]), 2, 0)]
    {
        let answer = send(&world, "order_update", &components).await;
        answer.is_problem(422, "template_params_mismatch");
        assert_eq!(answer.body["expected"], json!(expected), "{}", answer.text);
        assert_eq!(answer.body["received"], json!(received), "{}", answer.text);
    }
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());

    // then the message is sent,
    let answer = send(&world, "order_update", &right_parameters()).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(answer.body["warnings"], json!([]), "{}", answer.text);
    world.live_through(SECOND).await;
    assert_eq!(world.history(PERSON).await[0]["status"], "delivered");

    // and reads as the template was created.
    let body = json!({
        "to": ECHO,
        "template_name": "order_update",
        "language": "en",
        "components": right_parameters(),
    });
    assert_eq!(world.post(SEND, &world.key, &body).await.status, 201);
    world.live_through(SECOND).await;
    let history = world.history(ECHO).await;
    assert_eq!(history[1]["text"], "Your order\nHello Ada, your order 1024 is on its way.\nAcme");
}

async fn named_variables_are_filled_in_by_name(world: World) {
    let example = json!({
        "body_text_named_params": [
            {"param_name": "first_name", "example": "Ada"},
            {"param_name": "order", "example": "1024"},
        ],
    });
    let parts = json!([
        {
            "type": "body",
            "text": "Hello {{first_name}}, order {{order}} is here.",
            "example": example,
        },
    ]);
    let mut body = template_with("named", &parts);
    body["parameter_format"] = json!("named");
    assert_eq!(create_reviewed_template(&world, &body).await["status"], "approved");

    let by_name = |names: [&str; 2]| {
        let parameters = names.map(
            |name| json!({"type": "text", "parameter_name": name, "text": format!("<{name}>")}),
        );
        json!([{"type": "body", "parameters": parameters}])
    };
    send(&world, "named", &by_name(["first_name", "ordre"]))
        .await
        .is_problem(422, "template_params_mismatch");
    let mut dry = json!({
        "to": PERSON,
        "template_name": "named",
        "language": "en",
        "components": by_name(["order", "first_name"]),
    });
    dry["dry_run"] = json!(true);
    let answer = world.post(SEND, &world.key, &dry).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        answer.body["rendered"], "Hello <first_name>, order <order> is here.",
        "{}",
        answer.text
    );
    assert_eq!(send(&world, "named", &by_name(["order", "first_name"])).await.status, 201);
}

async fn a_picture_above_the_text_has_to_come_with_each_message(world: World) {
    let parts =
        json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "See above."}]);
    create_reviewed_template(&world, &template_with("picture", &parts)).await;
    send(&world, "picture", &json!([])).await.is_problem(422, "template_params_mismatch");
    let image = json!([
        {
            "type": "header",
            "parameters": [{"type": "image", "image": {"link": "https://example.com/a.jpg"}}],
        },
    ]);
    let answer = send(&world, "picture", &image).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

/// A verdict in one language or organization has no effect on another.
async fn each_language_and_each_organization_is_reviewed_by_itself(world: World) {
    let mut german = plain_template("sale_rejected_scam");
    german["language"] = json!("de");
    create_template(&world, &german).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550192").await;
    let key = world.key_of(other).await;
    create_template_with_key(&world, &key, &plain_template("sale_paused")).await;
    world.live_through(SECOND * 2).await;
    // The English template is unknown here, and so are those of the other organization: they
    // are left to the channel to check.
    for name in ["sale_rejected_scam", "sale_paused"] {
        assert_eq!(send(&world, name, &json!([])).await.status, 201, "{name}");
    }
    let body = json!({"to": PERSON, "template_name": "sale_rejected_scam", "language": "de"});
    world.post(SEND, &world.key, &body).await.is_problem(422, "template_not_approved");
    let body = json!({"to": PERSON, "template_name": "sale_paused", "language": "en"});
    world.post(SEND, &key, &body).await.is_problem(422, "template_not_approved");
}

async fn many_templates_are_all_reviewed(world: World) {
    let bodies: Vec<Value> =
        (0..60).map(|number| plain_template(&format!("template_{number}"))).collect();
    let answers =
        futures_util::future::join_all(bodies.iter().map(|body| post_template(&world, body))).await;
    assert!(answers.iter().all(|it| it.status == 201));
    world.live_through(SECOND * 2).await;
    assert_eq!(template_names(&world, &world.key, "status=approved&limit=100").await.len(), 60);
    let page = world.get(&format!("{TEMPLATES}?limit=100"), &world.key).await;
    let mut outside: Vec<&str> = page.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["external_id"].as_str().unwrap())
        .collect();
    outside.sort_unstable();
    outside.dedup();
    assert_eq!(outside.len(), 60, "each has its own id with the reviewer");
}

/// A review whose time passed while no worker ran is made up for.
async fn a_missed_review_is_recovered(world: World) {
    let record = create_template(&world, &plain_template("hello")).await;
    world.advance(Duration::from_hours(1));
    world.live_through(SECOND * 2).await;
    assert_eq!(read_present(&world, &record).await["status"], "approved");
}

on_both_databases! {
    a_template_is_submitted_at_once_and_approved_after_a_second,
    a_rejected_one_says_why_and_is_not_sent,
    a_template_without_a_special_name_ending_is_approved,
    other_name_endings_set_other_statuses,
    an_unreviewed_one_is_not_sent,
    an_approved_one_can_be_sent_at_once_and_its_parameters_are_checked,
    named_variables_are_filled_in_by_name,
    a_picture_above_the_text_has_to_come_with_each_message,
    each_language_and_each_organization_is_reviewed_by_itself,
    many_templates_are_all_reviewed,
    a_missed_review_is_recovered,
}
