//! What the reviewer is known to reject in a template (`docs/contract.md#lint`).

use crate::template_creation::{TEMPLATES, plain_template};
use crate::world::{World, on_both_databases};
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

on_both_databases! {
    a_template_is_answered_with_what_the_reviewer_rejects,
    a_dry_run_creates_nothing,
}
