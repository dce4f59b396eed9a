//! The variables of templates: their syntax, their places and their examples
//! (`docs/contract.md#templates`). The database does not matter here, so SQLite alone is enough.

use crate::template_creation::{post_template, template_with};
use crate::template_input::{all_are_made, all_are_refused, body, text_and};
use crate::world::World;
use serde_json::{Value, json};

/// Builds a text header whose variable has an example.
fn header(text: &str) -> Value {
    text_and(json!({
        "type": "HEADER",
        "format": "TEXT",
        "text": text,
        "example": {"header_text": ["x"]},
    }))
}

/// Builds a body with named variables, and an example for each name.
fn named(text: &str, names: &[&str]) -> Value {
    let examples: Vec<Value> =
        names.iter().map(|name| json!({"param_name": name, "example": "x"})).collect();
    let part =
        json!({"type": "BODY", "text": text, "example": {"body_text_named_params": examples}});
    let mut whole = template_with("named", &json!([part]));
    whole["parameter_format"] = json!("named");
    whole
}

#[tokio::test]
async fn variables_are_numbered_without_gaps_and_stand_within() {
    let world = World::on_sqlite().await;
    let gaps = [
        body("Dear {{1}} and {{3}}!", 2),
        body("Dear {{2}}!", 1),
        body("Dear {{0}} and {{1}}!", 2),
        body("Dear {{1}}, {{2}} and {{4}}!", 3),
    ];
    let ends = [
        body("{{1}} is here.", 1),
        body("Here is {{1}}", 1),
        body("{{1}}", 1),
        body("{{1}} and {{2}}", 2),
    ];
    let braces = [
        body("Dear {{1} there!", 0),
        body("Dear {{1 there!", 0),
        body("Dear {{}} there!", 0),
        body("Dear {{ }} there!", 0),
        body("Dear {{first_name}} there!", 1),
        body("Dear {{-1}} there!", 1),
        body("Dear {{1.5}} there!", 1),
        body("Dear {{99999999999999999999}} there!", 1),
    ];
    for bodies in [gaps.as_slice(), &ends, &braces] {
        all_are_refused(&world, "components[0].text", "invalid_format", bodies).await;
    }
    let right = vec![
        body("Dear {{1}}!", 1),
        body("Dear {{1}}, {{2}} and {{3}}!", 3),
        body("There is {nothing} here.", 0),
    ];
    all_are_made(&world, right).await;
}

#[tokio::test]
async fn names_of_variables_are_identifiers() {
    let world = World::on_sqlite().await;
    let wrong = [
        named("{{name}} is here.", &["name"]),
        named("Here is {{name}}", &["name"]),
        named("Dear {{First Name}}!", &["First Name"]),
        named("Dear {{first-name}}!", &["first-name"]),
        named("Dear {{name}!", &["name"]),
        named("Dear {{}}!", &[]),
    ];
    all_are_refused(&world, "components[0].text", "invalid_format", &wrong).await;
    let right = vec![
        named("Dear {{name}}!", &["name"]),
        named("Dear {{first_name}}, {{order_2}} is here.", &["first_name", "order_2"]),
    ];
    all_are_made(&world, right).await;
}

#[tokio::test]
async fn a_header_has_one_variable_and_a_footer_none() {
    let world = World::on_sqlite().await;
    let footer = |text: &str| text_and(json!({"type": "FOOTER", "text": text}));
    let wrong = [
        header("Order {{1}} of {{2}} here"),
        header("Order {{2}} here"),
        header("{{1}} here"),
        footer("By {{1}} of Acme"),
    ];
    all_are_refused(&world, "components[1].text", "invalid_format", &wrong).await;
    all_are_made(&world, vec![header("Order {{1}} is here")]).await;
}

#[tokio::test]
async fn each_variable_has_an_example() {
    let world = World::on_sqlite().await;
    let text = "Dear {{1}}, order {{2}} is here.";
    for example in [json!(null), json!({})] {
        let mut part = json!({"type": "BODY", "text": text});
        if example.is_object() {
            part["example"] = example;
        }
        let answer = post_template(&world, &template_with("example", &json!([part]))).await;
        answer.has_faults(&[("components[0].example.body_text", "required")]);
    }
    let mut line = header("Order {{1}} is here");
    line["components"][1].as_object_mut().unwrap().remove("example");
    let answer = post_template(&world, &line).await;
    answer.has_faults(&[("components[1].example.header_text", "required")]);
    for (part, field) in [(0, "body_text_named_params"), (1, "header_text_named_params")] {
        let mut body = template_with(
            "example",
            &json!([
                {"type": "BODY", "text": "Dear all!"},
                {"type": "HEADER", "format": "TEXT", "text": "For all here"},
            ]),
        );
        body["parameter_format"] = json!("named");
        body["components"][part]["text"] = json!("For {{name}} here");
        let field = format!("components[{part}].example.{field}");
        post_template(&world, &body).await.has_faults(&[(field.as_str(), "required")]);
    }
    // Each variable needs an example with its name.
    let few =
        [body(text, 1), named("Dear {{name}}!", &["nmae"]), named("Dear {{a}} and {{b}}!", &["a"])];
    for body in few {
        let answer = post_template(&world, &body).await;
        answer.is_problem(422, "validation_failed");
        let details = answer.body["details"].as_array().unwrap();
        let at = |it: &Value| it["field"].as_str().unwrap().starts_with("components[0].example");
        assert!(details.iter().all(at), "{body}: {}", answer.text);
    }
}
