//! The examples in the reference match real requests and responses.

use super::example_world::ExampleWorld;
use crate::world::{Answer, document};
use reference::Reference;
use serde_json::Value;

/// Collects every example in the document with the schema that it must match.
fn examples(at: &str, value: &Value, found: &mut Vec<(String, Value, Value)>) {
    let Value::Object(fields) = value else {
        if let Value::Array(entries) = value {
            for (index, entry) in entries.iter().enumerate() {
                examples(&format!("{at}[{index}]"), entry, found);
            }
        }
        return;
    };
    if let Some(schema) = fields.get("schema") {
        let one = fields.get("example").into_iter().cloned();
        let several = fields.get("examples").and_then(Value::as_object).into_iter().flatten();
        let all = one.chain(several.map(|(_, example)| example["value"].clone()));
        found.extend(all.map(|example| (at.to_owned(), schema.clone(), example)));
    }
    for (name, inner) in fields {
        examples(&format!("{at}/{name}"), inner, found);
    }
}

#[test]
fn every_example_fits_its_schema() {
    let document =
        Reference::new("https://api.example.com", "https://example.com/upgrade").openapi();
    let mut found = Vec::new();
    examples("", &document["paths"], &mut found);
    examples("", &document["webhooks"], &mut found);
    assert!(found.len() > 100, "the document has examples: {}", found.len());
    for (at, schema, example) in found {
        let faults = document::faults(&at, &schema, &example);
        assert!(faults.is_empty(), "{at}: {faults:?} in {example}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_example_is_answered_as_it_says() {
    let stage = ExampleWorld::start().await;
    for specification in api::registry().specifications() {
        // Given the request of an example, when it is sent, then
        let answer = Answer::of(stage.request(specification)).await;

        // the response has the status and the fields of the example's response.
        let id = specification.id;
        assert_eq!(answer.status, specification.success.as_u16(), "{id}: {}", answer.text);
        if specification.answers_with_file() {
            assert_eq!(answer.header("content-type"), specification.content_type, "{id}");
            continue;
        }
        let reported: Value = serde_json::from_str(&specification.example.reply).unwrap();
        have_same_fields(id, &reported, &answer.body);
    }
}

/// Asserts that both values have the same fields at every level. A null may stand for a value.
fn have_same_fields(at: &str, reported: &Value, real: &Value) {
    match (reported, real) {
        (Value::Object(reported), Value::Object(real)) => {
            let (names, real_names): (Vec<_>, Vec<_>) =
                (reported.keys().collect(), real.keys().collect());
            assert_eq!(names, real_names, "{at}");
            for (name, value) in reported {
                have_same_fields(&format!("{at}.{name}"), value, &real[name]);
            }
        }
        (Value::Array(reported), Value::Array(real)) => {
            if let (Some(reported), Some(real)) = (reported.first(), real.first()) {
                have_same_fields(&format!("{at}[]"), reported, real);
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (reported, real) => {
            assert_eq!(std::mem::discriminant(reported), std::mem::discriminant(real), "{at}");
        }
    }
}
