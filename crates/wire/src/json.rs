//! JSON, written out.

use serde::Serialize;
use serde_json::Value;

/// A value as JSON. It fails only where a map's key is no text, which no type of this crate has.
pub fn write(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

/// A value as JSON that can be looked into, in the order of its fields: for examples and documents of the reference.
#[must_use]
pub fn value(value: &impl Serialize) -> Value {
    #[expect(clippy::disallowed_methods, reason = "no map of ours has a key that is no text")]
    serde_json::to_value(value).unwrap_or_default()
}
