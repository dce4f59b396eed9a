//! Objects with fields that may be left out.

use serde_json::Value;

/// Adds a field, if there is something to say.
pub fn set(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Value::Object(object), Some(value)) = (object, value) {
        object.insert(name.to_owned(), value);
    }
}
