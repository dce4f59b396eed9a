//! What the reviewer is known to reject in a template (`docs/contract.md#lint`).

use crate::template_creation::{TEMPLATES, plain_template};
use crate::world::{Answer, World, on_both_databases};
use reqwest::Method;
use serde_json::{Value, json};

fn template(text: &str) -> Value {
    json!({
        "name": "greeting", "language": "en_US", "category": "utility",
        "components": [{"type": "BODY", "text": text, "example": {"body_text": [["Ada", "1042"]]}}],
    })
}

async fn a_template_is_answered_with_what_the_reviewer_rejects(world: World) {
    // Given a template that the reviewer would reject, when it is created, then the answer says why
    // and where, and the template is created all the same.
    let body = template("Hello {{1}} {{2}}, our sale begins today, see https://bit.ly/x for it.");
    let made = world.post(TEMPLATES, &world.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let lint = made.body["lint"].as_array().unwrap();
    let found: Vec<(&Value, &Value)> =
        lint.iter().map(|it| (&it["rule"], &it["severity"])).collect();
    assert_eq!(
        found,
        [
            (&json!("promotional_word"), &json!("warning")),
            (&json!("url_shortener"), &json!("error")),
            (&json!("adjacent_variables"), &json!("error")),
        ]
    );
    assert!(lint.iter().all(|it| it["field"] == "components[0].text" && it["message"].is_string()));
    // A template without a fault has none.
    let made = world.post(TEMPLATES, &world.key, &plain_template("hello")).await;
    assert_eq!(made.body["lint"], json!([]), "{}", made.text);
}

async fn a_dry_run_creates_nothing(world: World) {
    let mut body = template("Hello {{1}} {{2}}, your order has left the warehouse today.");
    body["dry_run"] = json!(true);
    let checked = world.post(TEMPLATES, &world.key, &body).await;
    assert_eq!(checked.status, 200, "{}", checked.text);
    assert_eq!(checked.body["valid"], true);
    assert_eq!(checked.body["lint"][0]["rule"], "adjacent_variables");
    assert_eq!(checked.body["warnings"], json!([]));
    assert_eq!(world.get(TEMPLATES, &world.key).await.body["data"], json!([]));
    // What is no template is refused alike.
    body["language"] = json!("english!");
    world.post(TEMPLATES, &world.key, &body).await.is_problem(422, "validation_failed");
}

async fn a_dry_run_finds_a_name_that_is_taken(world: World) {
    // Given a template,
    let made = world.post(TEMPLATES, &world.key, &plain_template("hours")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    // when a template with its name and language is validated, then it gets the error that it would
    // get if it was created.
    let mut again = plain_template("hours");
    again["dry_run"] = json!(true);
    let dry = world.post(TEMPLATES, &world.key, &again).await;
    let dry = dry.is_problem(409, "template_exists");
    let wet = world.post(TEMPLATES, &world.key, &plain_template("hours")).await;
    let wet = wet.is_problem(409, "template_exists");
    assert_eq!(dry.body["error"], wet.body["error"]);
    // Another language is free, and so is the name of a deleted template.
    again["language"] = json!("de");
    assert_eq!(world.post(TEMPLATES, &world.key, &again).await.status, 200);
    world.live_through(std::time::Duration::from_secs(2)).await;
    let path = format!("{TEMPLATES}/{}", made.body["id"].as_str().unwrap());
    let deleted = Answer::of(world.request(Method::DELETE, &path, &world.key)).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    again["language"] = json!("en");
    let free = world.post(TEMPLATES, &world.key, &again).await;
    assert_eq!(free.status, 200, "{}", free.text);
}

async fn a_dry_run_of_a_send_says_what_the_channel_rejects(world: World) {
    // Given a text with a shortened link, and a template with a promotional parameter,
    let body = json!({"name": "order", "language": "en_US", "category": "utility", "components": [
        {"type": "BODY", "text": "Hello {{1}}, your order left.", "example": {"body_text": [["Ada"]]}},
    ]});
    assert_eq!(world.post(TEMPLATES, &world.key, &body).await.status, 201);
    world.live_through(std::time::Duration::from_secs(2)).await;
    let text = json!({"type": "text", "phone_number": "+12025550102", "dry_run": true,
        "text": "See https://bit.ly/x"});
    let parameters = json!([{"type": "text", "text": "10% discount"}]);
    let template = json!({"type": "template", "phone_number": "+12025550102", "dry_run": true,
        "template_name": "order", "language": "en_US",
        "components": [{"type": "body", "parameters": parameters}]});
    for (body, rule, field) in [
        (text, "url_shortener", "text"),
        (template, "promotional_word", "components[0].parameters[0].text"),
    ] {
        // when they are checked, then the answer says so and nothing is refused.
        let checked = world.post("/api/v1/messages", &world.key, &body).await;
        assert_eq!(checked.status, 200, "{}", checked.text);
        assert_eq!(checked.body["valid"], true);
        let lint = checked.body["lint"].as_array().unwrap();
        assert_eq!(lint.len(), 1, "{}", checked.text);
        assert_eq!(lint[0]["rule"], json!(rule));
        assert_eq!(lint[0]["field"], json!(field));
        assert!(lint[0]["severity"].is_string() && lint[0]["message"].is_string());
    }
    let plain = json!({"type": "text", "phone_number": "+12025550102", "dry_run": true,
        "text": "Our sale begins today"});
    let checked = world.post("/api/v1/messages", &world.key, &plain).await;
    assert_eq!(checked.body["lint"], json!([]), "{}", checked.text);
}

on_both_databases! {
    a_dry_run_of_a_send_says_what_the_channel_rejects,
    a_template_is_answered_with_what_the_reviewer_rejects,
    a_dry_run_creates_nothing,
    a_dry_run_finds_a_name_that_is_taken,
}
