//! Serialization as JSON.

use serde::Serialize;
use serde_json::Value;

/// Serializes a value as JSON.
///
/// # Errors
///
/// Fails only if a map has a key that is not a string, which no type of this crate has.
pub fn write(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

/// Converts a value to a [`Value`] that keeps the order of the fields, for examples and documents
/// of the reference.
#[must_use]
pub fn value(value: &impl Serialize) -> Value {
    #[expect(
        clippy::disallowed_methods,
        reason = "no map of this crate has a key that is not a string"
    )]
    serde_json::to_value(value).unwrap_or_default()
}

/// Converts a value to a [`Value`] without the fields that are null, as a caller writes it.
#[must_use]
pub fn without_nulls(input: &impl Serialize) -> Value {
    let mut written = value(input);
    remove_nulls(&mut written);
    written
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
