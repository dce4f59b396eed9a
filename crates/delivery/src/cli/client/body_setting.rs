//! `--set path=value`: a value in the body of a request.

use serde_json::{Map, Value};

/// Maximum index in a path. Without it a typing error could create a huge list.
const MAX_INDEX: usize = 100;

/// A value at a path of a JSON body, such as `metadata.order=A-1042` or `contacts.0.name.first_name=Ada`.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySetting {
    path: Vec<String>,
    value: Value,
}

/// The error for a text that is not a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSetting {
    #[error("write PATH=VALUE, such as metadata.order=A-1042")]
    NoValue,
    #[error("the path {0:?} has an empty part")]
    EmptyPart(String),
}

/// The error for a path that does not fit the body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--set {path}: {part:?} is no {expected}")]
pub struct WrongPlace {
    path: String,
    part: String,
    expected: &'static str,
}

impl BodySetting {
    /// Parses `path=value`. A value that is not valid JSON is a text.
    pub fn parse(text: &str) -> Result<Self, InvalidSetting> {
        let (path, value) = text.split_once('=').ok_or(InvalidSetting::NoValue)?;
        let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
        if parts.iter().any(String::is_empty) {
            return Err(InvalidSetting::EmptyPart(path.to_owned()));
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        Ok(Self { path: parts, value })
    }

    /// Sets the value in a body. Creates the objects and list entries on its path that are missing.
    pub fn apply(&self, body: &mut Value) -> Result<(), WrongPlace> {
        let mut place = body;
        for part in &self.path {
            let wrong =
                |expected| WrongPlace { path: self.path.join("."), part: part.clone(), expected };
            if place.is_null() {
                *place = match part.parse::<usize>() {
                    Ok(_) => Value::Array(Vec::new()),
                    Err(_) => Value::Object(Map::new()),
                };
            }
            place = match place {
                Value::Object(fields) => fields.entry(part.clone()).or_insert(Value::Null),
                Value::Array(entries) => {
                    let index: usize = part.parse().map_err(|_| wrong("place in a list"))?;
                    if index > MAX_INDEX {
                        return Err(wrong("place in a list of at most 100 entries"));
                    }
                    if entries.len() <= index {
                        entries.resize(index + 1, Value::Null);
                    }
                    entries.get_mut(index).ok_or_else(|| wrong("place in a list"))?
                }
                _ => return Err(wrong("field of an object or a list")),
            };
        }
        place.clone_from(&self.value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(body: Value, settings: &[&str]) -> Result<Value, WrongPlace> {
        let mut body = body;
        for setting in settings {
            BodySetting::parse(setting).unwrap().apply(&mut body)?;
        }
        Ok(body)
    }

    #[test]
    fn a_value_is_json_or_a_text() {
        let body = json!({"text": "Hello"});
        let set = ["text=Bye", "client_ref=\"7\"", "preview_url=true", "metadata.order=a=b"];
        let expected = json!({"text": "Bye", "client_ref": "7", "preview_url": true,
            "metadata": {"order": "a=b"}});
        assert_eq!(with(body, &set), Ok(expected));
    }

    #[test]
    fn objects_and_entries_on_the_way_are_created() {
        let set = ["contacts.1.name.first_name=Ada", "contacts.0.name.first_name=Bob"];
        let expected = json!({"contacts": [
            {"name": {"first_name": "Bob"}}, {"name": {"first_name": "Ada"}},
        ]});
        assert_eq!(with(json!({}), &set), Ok(expected));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in ["text", "", "=x", "a..b=1"] {
            assert!(BodySetting::parse(text).is_err(), "{text}");
        }
        assert!(with(json!({"text": "Hello"}), &["text.length=1"]).is_err());
        assert!(with(json!({"list": []}), &["list.first=1"]).is_err());
        assert!(with(json!({"list": []}), &["list.1000=1"]).is_err());
    }
}
