//! The rules for new templates and the faults for violations (`docs/contract.md#manage-templates`,
//! `POST /templates`). The database does not matter here, so SQLite alone is enough.

use crate::template_creation::{
    create_template, order_update, plain_template, post_template, template_with,
};
use crate::world::{Answer, World};
use serde_json::{Value, json};

fn long_text(count: usize) -> String {
    "é".repeat(count)
}

/// Builds components: a body and one other part.
pub fn text_and(part: Value) -> Value {
    template_with("beside", &Value::Array(vec![json!({"type": "BODY", "text": "Hello."}), part]))
}

fn buttons(buttons: Value) -> Value {
    let mut part = json!({"type": "BUTTONS"});
    part["buttons"] = buttons;
    text_and(part)
}

fn quick_reply(text: &str) -> Value {
    json!({"type": "QUICK_REPLY", "text": text})
}

/// Builds a body, with `examples` example values.
pub fn body(text: &str, examples: usize) -> Value {
    let mut part = json!({"type": "BODY", "text": text});
    if examples > 0 {
        part["example"] = json!({"body_text": [vec!["x"; examples]]});
    }
    template_with("body", &json!([part]))
}

/// Returns the faults of a response except those about examples, which other tests check.
#[track_caller]
fn faults(answer: &Answer) -> Vec<(String, String)> {
    answer.is_problem(422, "validation_failed");
    let details = answer.body["details"].as_array().unwrap().iter();
    let faults =
        details.map(|it| ["field", "code"].map(|key| it[key].as_str().unwrap().to_owned()));
    let faults = faults.filter(|[field, _]| !field.contains(".example"));
    let mut faults: Vec<_> = faults.map(|[field, code]| (field, code)).collect();
    faults.dedup();
    faults
}

pub async fn all_are_refused(world: &World, at: &str, code: &str, bodies: &[Value]) {
    for body in bodies {
        let answer = post_template(world, body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert_eq!(faults(&answer), [(at.to_owned(), code.to_owned())], "{body}");
    }
}

/// Asserts that each template can be created, under a different name.
pub async fn all_are_made(world: &World, bodies: Vec<Value>) {
    for (number, mut body) in bodies.into_iter().enumerate() {
        body["name"] = json!(format!("made_{number}"));
        assert_eq!(create_template(world, &body).await["components"], body["components"]);
    }
}

fn template_with_field(field: &str, value: Value) -> Value {
    let mut body = plain_template("changed");
    body[field] = value;
    body
}

#[tokio::test]
async fn missing_fields_of_a_template_are_named() {
    let world = World::on_sqlite().await;
    let needed = ["name", "language", "category", "components"];
    post_template(&world, &json!({})).await.has_faults(&needed.map(|field| (field, "required")));
    for field in needed {
        let mut body = plain_template("hello");
        body.as_object_mut().unwrap().remove(field);
        post_template(&world, &body).await.has_faults(&[(field, "required")]);
    }
}

#[tokio::test]
async fn each_field_has_its_bounds() {
    let world = World::on_sqlite().await;
    let name = |name: &str| template_with_field("name", json!(name));
    let language = |language: &str| template_with_field("language", json!(language));
    let bad = ["Order", "order-update", "order update", "ördér", "order.update", "a\n", "a\0"];
    all_are_refused(&world, "name", "invalid_format", &bad.map(name)).await;
    all_are_refused(&world, "name", "empty", &[name("")]).await;
    all_are_refused(&world, "name", "too_long", &[name(&"a".repeat(513))]).await;
    let bad = ["EN", "e", "english", "en-US", "en_us", "en_", "_US", "en_US_x", ""];
    all_are_refused(&world, "language", "invalid_format", &bad.map(language)).await;
    let bad = ["UTILITY", "otp", ""].map(|it| template_with_field("category", json!(it)));
    all_are_refused(&world, "category", "not_one_of", &bad).await;
    let bad =
        ["NAMED", "numbered", ""].map(|it| template_with_field("parameter_format", json!(it)));
    all_are_refused(&world, "parameter_format", "not_one_of", &bad).await;

    for name in ["a", "0", "_", "order_update_2", &"a".repeat(512)] {
        assert_eq!(create_template(&world, &plain_template(name)).await["name"], name);
    }
    for (field, values) in [
        ("language", ["de", "pt_BR", "fil"]),
        ("category", ["utility", "marketing", "authentication"]),
    ] {
        for value in values {
            let mut body = template_with_field(field, json!(value));
            body["name"] = json!(format!("{field}_{}", value.to_lowercase()));
            assert_eq!(create_template(&world, &body).await[field], value);
        }
    }
}

#[tokio::test]
async fn fields_of_a_wrong_type_or_that_nobody_knows_are_named() {
    let world = World::on_sqlite().await;
    let body = json!({
        "name": 1,
        "language": ["en"],
        "category": {},
        "parameter_format": false,
        "components": "x",
        "status": "approved",
    });
    post_template(&world, &body).await.has_faults(&[
        ("name", "wrong_type"),
        ("language", "wrong_type"),
        ("category", "wrong_type"),
        ("parameter_format", "wrong_type"),
        ("components", "wrong_type"),
        ("status", "unknown_field"),
    ]);
    // These fields are decided by the reviewer and the key, so a body must not contain them.
    for field in ["id", "status", "account_id", "external_id", "rejection_reason", "created_at"] {
        let answer = post_template(&world, &template_with_field(field, json!("x"))).await;
        answer.has_faults(&[(field, "unknown_field")]);
    }
}

#[tokio::test]
async fn there_is_one_body_and_at_most_one_of_each_other_part() {
    let world = World::on_sqlite().await;
    let part = |kind: &str| match kind {
        "HEADER" => json!({"type": "HEADER", "format": "TEXT", "text": "x"}),
        "BUTTONS" => json!({"type": "BUTTONS", "buttons": [quick_reply("x")]}),
        kind => json!({"type": kind, "text": "x"}),
    };
    let of = |kinds: &[&str]| {
        template_with("parts", &json!(kinds.iter().map(|kind| part(kind)).collect::<Vec<_>>()))
    };
    let without = [of(&["HEADER"]), of(&["FOOTER", "BUTTONS"])];
    all_are_refused(&world, "components", "required", &without).await;
    let none = post_template(&world, &of(&[])).await;
    assert!(faults(&none).iter().all(|(field, _)| field == "components"), "{}", none.text);
    all_are_refused(&world, "components[1]", "duplicate", &[of(&["BODY", "BODY"])]).await;
    for kind in ["HEADER", "FOOTER", "BUTTONS"] {
        let twice = of(&[kind, "BODY", kind]);
        all_are_refused(&world, "components[2]", "duplicate", &[twice]).await;
    }
    all_are_refused(&world, "components[0].type", "empty", &[of(&["", "BODY"])]).await;
    let untyped = template_with("parts", &json!([{"text": "x"}, part("BODY")]));
    all_are_refused(&world, "components[0].type", "required", &[untyped]).await;
    all_are_made(&world, vec![of(&["BODY"]), of(&["BUTTONS", "FOOTER", "BODY", "HEADER"])]).await;
}

/// The bounds are in characters and not in bytes: each character here has two bytes.
#[tokio::test]
async fn texts_have_their_lengths() {
    let world = World::on_sqlite().await;
    let header = |text: String| text_and(json!({"type": "HEADER", "format": "TEXT", "text": text}));
    let footer = |text: String| text_and(json!({"type": "FOOTER", "text": text}));
    let body = |text: String| body(&text, 0);
    let button = |text: String| buttons(json!([quick_reply("a"), quick_reply(&text)]));
    let at = ["components[0].text", "components[1].text", "components[1].buttons[1].text"];
    all_are_refused(&world, at[0], "too_long", &[body(long_text(1025))]).await;
    all_are_refused(&world, at[1], "too_long", &[header(long_text(61)), footer(long_text(61))])
        .await;
    all_are_refused(&world, at[2], "too_long", &[button(long_text(26))]).await;
    let none = String::new;
    all_are_refused(&world, at[0], "empty", &[body(none())]).await;
    all_are_refused(&world, at[1], "empty", &[header(none()), footer(none())]).await;
    all_are_refused(&world, at[2], "empty", &[button(none())]).await;
    let fits = vec![
        body(long_text(1024)),
        header(long_text(60)),
        footer(long_text(60)),
        button(long_text(25)),
    ];
    all_are_made(&world, fits).await;

    let untold = [json!({"type": "FOOTER"}), json!({"type": "HEADER", "format": "TEXT"})];
    all_are_refused(&world, at[1], "required", &untold.map(text_and)).await;
    all_are_refused(
        &world,
        at[0],
        "required",
        &[template_with("untold", &json!([{"type": "BODY"}]))],
    )
    .await;
}

#[tokio::test]
async fn a_header_is_a_line_or_a_file() {
    let world = World::on_sqlite().await;
    let header = |format: Value| text_and(json!({"type": "HEADER", "format": format}));
    let at = "components[1].format";
    all_are_refused(&world, at, "empty", &[header(json!(""))]).await;
    let untold = text_and(json!({"type": "HEADER", "text": "x"}));
    all_are_refused(&world, at, "required", &[untold]).await;
    let formats = ["IMAGE", "VIDEO", "GIF", "DOCUMENT", "LOCATION", "PRODUCT"];
    all_are_made(&world, formats.map(|it| header(json!(it))).into()).await;
}

#[tokio::test]
async fn there_are_at_most_ten_buttons() {
    let world = World::on_sqlite().await;
    let so_many = |count: usize| {
        let all: Vec<Value> = (0..count).map(|it| quick_reply(&format!("Button {it}"))).collect();
        buttons(json!(all))
    };
    let at = "components[1].buttons";
    all_are_refused(&world, at, "too_long", &[so_many(11), so_many(50)]).await;
    all_are_refused(&world, at, "empty", &[so_many(0)]).await;
    let untold = text_and(json!({"type": "BUTTONS"}));
    all_are_refused(&world, at, "required", &[untold]).await;
    all_are_made(&world, vec![so_many(1), so_many(10)]).await;
}

#[tokio::test]
async fn a_button_does_one_thing() {
    let world = World::on_sqlite().await;
    let at = |field: &str| format!("components[1].buttons[0].{field}");
    let one = |button: Value| [buttons(json!([button]))];
    let (kind, text, url, number) = (at("type"), at("text"), at("url"), at("phone_number"));
    all_are_refused(&world, &kind, "empty", &one(json!({"type": "", "text": "x"}))).await;
    all_are_refused(&world, &kind, "required", &one(json!({"text": "x"}))).await;
    all_are_refused(&world, &text, "required", &one(json!({"type": "QUICK_REPLY"}))).await;
    all_are_refused(&world, &url, "required", &one(json!({"type": "URL", "text": "x"}))).await;
    let untold = one(json!({"type": "PHONE_NUMBER", "text": "x"}));
    all_are_refused(&world, &number, "required", &untold).await;
    for address in ["example.com", "javascript:alert(1)", "ftp://example.com", ""] {
        let button = one(json!({"type": "URL", "text": "x", "url": address}));
        let answer = post_template(&world, &button[0]).await;
        assert!(faults(&answer).iter().all(|(field, _)| *field == url), "{}", answer.text);
    }
    let wrong = one(json!({"type": "PHONE_NUMBER", "text": "x", "phone_number": "call me"}));
    all_are_refused(&world, &number, "invalid_format", &wrong).await;

    let variable = json!({"type": "URL", "text": "x", "url": "https://example.com/{{1}}"});
    let answer = post_template(&world, &buttons(json!([variable]))).await;
    answer.has_faults(&[("components[1].buttons[0].example", "required")]);
    let mut right = variable;
    right["example"] = json!(["https://example.com/1"]);
    all_are_made(&world, vec![buttons(json!([right])), template_with("all", &order_update())])
        .await;
}

#[tokio::test]
async fn all_faults_come_in_one_answer() {
    let world = World::on_sqlite().await;
    let many: Vec<Value> = (0..11).map(|it| quick_reply(&it.to_string())).collect();
    let body = json!({
        "name": "Order",
        "language": "english",
        "category": "x",
        "parameter_format": "y",
        "z": 1,
        "components": [
            {"type": "FOOTER", "text": long_text(61)},
            {"type": "HEADER", "format": ""},
            {"type": "BUTTONS", "buttons": many},
            {"type": "FOOTER", "text": "x"},
            {"type": "CAROUSEL"},
        ],
    });
    let answer = post_template(&world, &body).await;
    let found = faults(&answer);
    for (field, code) in [
        ("name", "invalid_format"),
        ("language", "invalid_format"),
        ("category", "not_one_of"),
        ("parameter_format", "not_one_of"),
        ("z", "unknown_field"),
        ("components", "required"),
        ("components[0].text", "too_long"),
        ("components[1].format", "empty"),
        ("components[2].buttons", "too_long"),
        ("components[3]", "duplicate"),
        ("components[4].cards", "required"),
    ] {
        let named = found.iter().any(|it| (it.0.as_str(), it.1.as_str()) == (field, code));
        assert!(named, "{field} {code}: {}", answer.text);
    }
}

/// Inputs with very many faults get a short response.
#[tokio::test]
async fn absurd_templates_are_refused_with_a_short_error() {
    let world = World::on_sqlite().await;
    let parts = vec![json!({"type": "PART"}); 20_000];
    let variables: Vec<String> = (1..20_000).map(|it| format!("x {{{{{it}}}}} ")).collect();
    let variables = variables.concat();
    let braces = "{{".repeat(100_000);
    for body in [
        template_with("absurd", &json!(parts)),
        body(&format!("{variables}."), 0),
        body(&braces, 0),
        buttons(json!(vec![json!({}); 20_000])),
    ] {
        let answer = post_template(&world, &body).await;
        answer.is_problem(422, "validation_failed");
        assert!(answer.text.len() < 100_000, "{}", answer.text.len());
    }
}
