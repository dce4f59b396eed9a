//! Helpers for JSON objects with optional fields.

use serde_json::Value;

/// Sets a field of an object, if there is a value.
pub fn set(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Value::Object(object), Some(value)) = (object, value) {
        object.insert(name.to_owned(), value);
    }
}
