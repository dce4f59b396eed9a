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
