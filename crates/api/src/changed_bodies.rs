//! Test support: request bodies with a few random changes.

use crate::input::{InputBody, Shape, input};
use domain::violation::Violations;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use std::fmt::Debug;

/// A change of a JSON body: a path from the root, and the new value. Each number of the path
/// selects a field or an element. `None` as the value removes a field, or repeats an element of a
/// list.
pub type Change = (Vec<usize>, Option<Value>);

/// Texts that have a meaning in some field, or are hard to handle.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "text",
    "{{1}}",
    "{{x",
    "\0",
    "+12025550100",
    "https://a",
    "en_US",
    "\u{202e}",
    "e\u{301}\u{301}",
    "👩‍👩‍👧",
    "-1",
    "2026-02-30",
    "msg_0",
    "button",
];
/// Maximum length of a generated text. Some limits are lower.
const LONG: usize = 5_000;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|it| Number::from_f64(it).map_or(Value::Null, Value::Number)),
        prop::sample::select(&TEXTS[..]).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        (0..LONG).prop_map(|length| Value::from("x".repeat(length))),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let names = prop_oneof![
            prop::sample::select(&["type", "text", "id", "parameters"][..]).prop_map(str::to_owned),
            "[a-z_]{1,8}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..4)
                .prop_map(|fields| Value::from(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Generates one to three changes.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change =
        (prop::collection::vec(any::<usize>(), 1..7), prop::option::weighted(0.8, value()));
    prop::collection::vec(change, 1..4)
}

/// Returns the body with these changes.
pub fn changed(mut body: Value, changes: &[Change]) -> Value {
    for (path, to) in changes {
        change(&mut body, path, to.as_ref());
    }
    body
}

fn change(at: &mut Value, path: &[usize], to: Option<&Value>) {
    let (Some((first, rest)), Value::Object(_) | Value::Array(_)) = (path.split_first(), &*at)
    else {
        if let Some(to) = to {
            *at = to.clone();
        }
        return;
    };
    match at {
        Value::Object(fields) => {
            let Some(name) = fields.keys().nth(first % fields.len().max(1)).cloned() else {
                return;
            };
            if let (true, None) = (rest.is_empty(), to) {
                fields.remove(&name);
            } else if let Some(inner) = fields.get_mut(&name) {
                change(inner, rest, to);
            }
        }
        Value::Array(items) => {
            let place = first % items.len().max(1);
            // Appends a copy of the element.
            if let (true, Some(item)) = (to.is_none(), items.get(place).cloned()) {
                items.push(item);
            } else if let Some(inner) = items.get_mut(place) {
                change(inner, rest, to);
            }
        }
        _ => {}
    }
}

/// Decodes and parses a body as an operation does. A rejection must have a reason, and must be the
/// caller's fault.
pub fn is_read_or_refused<T, U>(
    body: &Value,
    parse: impl FnOnce(&T, &mut Violations) -> Option<U>,
) -> Result<(), TestCaseError>
where
    T: DeserializeOwned + JsonSchema + Default + Debug,
{
    match input::<T>(&InputBody::Json(body.to_string().into()), &Shape::new::<T>()) {
        Ok((read, mut faults)) => {
            let parsed = parse(&read, &mut faults);
            prop_assert!(
                parsed.is_some() || !faults.is_empty(),
                "refused without a word: {}",
                body
            );
        }
        Err(problem) => prop_assert!(problem.code.status().is_client_error(), "{:?}", problem),
    }
    Ok(())
}
