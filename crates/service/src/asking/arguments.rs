//! Checks the arguments of a tool call against the JSON schema that the business wrote. Only these
//! keywords are checked: `type`, `enum`, `properties`, `required`, `additionalProperties: false`,
//! `items`, `maxLength` and `maxItems`. Other keywords only tell the model what to write.

use serde_json::{Map, Value};

/// Maximum depth of a schema that is checked.
const MAX_DEPTH: usize = 16;

/// Returns the arguments of a call. Most servers send them as a text, some as an object.
pub(super) fn arguments(call: &Value) -> Option<Value> {
    match call.pointer("/function/arguments") {
        Some(Value::String(text)) if text.trim().is_empty() => Some(Value::Object(Map::new())),
        Some(Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        None | Some(Value::Null) => Some(Value::Object(Map::new())),
        Some(other) => Some(other.clone()).filter(Value::is_object),
    }
}

/// Returns the first mismatch between a value and a schema, in words.
pub(super) fn mismatch(schema: &Value, value: &Value) -> Option<String> {
    check(schema, value, "arguments", 0).err()
}

fn check(schema: &Value, value: &Value, at: &str, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{at} is nested too deeply"));
    }
    if !has_type(schema.get("type"), value) {
        return Err(format!("{at} has the wrong type"));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(format!("{at} is not one of the allowed values"));
    }
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    match value {
        Value::String(text) => {
            let length = domain::number::saturating(text.chars().count(), u64::MAX);
            if number("maxLength").is_some_and(|most| length > most) {
                return Err(format!("{at} is too long"));
            }
        }
        Value::Array(items) => {
            let count = domain::number::saturating(items.len(), u64::MAX);
            if number("maxItems").is_some_and(|most| count > most) {
                return Err(format!("{at} has too many items"));
            }
            if let Some(of_item) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(of_item, item, &format!("{at}[{index}]"), depth + 1)?;
                }
            }
        }
        Value::Object(fields) => {
            let required = schema.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                if !fields.contains_key(name) {
                    return Err(format!("{at}.{name} is missing"));
                }
            }
            let properties = schema.get("properties").and_then(Value::as_object);
            let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            for (name, field) in fields {
                match properties.and_then(|it| it.get(name)) {
                    Some(of_field) => check(of_field, field, &format!("{at}.{name}"), depth + 1)?,
                    None if is_closed => return Err(format!("{at}.{name} does not exist")),
                    None => {}
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn has_type(wanted: Option<&Value>, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => true,
    };
    match wanted {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_read_tolerantly() {
        let of = |it: Value| arguments(&json!({"function": {"arguments": it}}));
        assert_eq!(of(json!(r#"{"a": 1}"#)), Some(json!({"a": 1})));
        assert_eq!(of(json!({"a": 1})), Some(json!({"a": 1})));
        assert_eq!(of(json!("  ")), Some(json!({})));
        assert_eq!(of(Value::Null), Some(json!({})));
        for bad in [json!("not JSON"), json!("[1]"), json!(7)] {
            assert_eq!(of(bad), None);
        }
    }

    #[test]
    fn arguments_are_checked() {
        let schema = json!({
            "type": "object",
            "properties": {
                "order": {"type": "string", "maxLength": 5},
                "kind": {"enum": ["a", "b"]},
                "lines": {"type": "array", "items": {"type": ["integer", "null"]}, "maxItems": 2},
            },
            "required": ["order"],
            "additionalProperties": false,
        });
        let wrong = |it: Value| mismatch(&schema, &it).unwrap_or_default();
        assert_eq!(wrong(json!({"order": "1047", "kind": "a", "lines": [1, null]})), "");
        assert_eq!(wrong(json!({})), "arguments.order is missing");
        assert_eq!(wrong(json!({"order": 7})), "arguments.order has the wrong type");
        assert_eq!(wrong(json!({"order": "123456"})), "arguments.order is too long");
        assert_eq!(wrong(json!({"order": "1", "x": 1})), "arguments.x does not exist");
        assert_eq!(
            wrong(json!({"order": "1", "kind": "c"})),
            "arguments.kind is not one of the allowed values"
        );
        assert_eq!(
            wrong(json!({"order": "1", "lines": ["1"]})),
            "arguments.lines[0] has the wrong type"
        );
        assert_eq!(
            wrong(json!({"order": "1", "lines": [1, 2, 3]})),
            "arguments.lines has too many items"
        );
    }
}
