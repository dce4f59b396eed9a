//! JSON, written out.

use serde::Serialize;

/// A value as JSON. It fails only where a map's key is no text, which no type of this crate has.
pub fn write(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}
