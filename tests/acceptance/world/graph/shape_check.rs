//! Strict checks of JSON: each field must be known, of the right type and within its bounds.

use serde_json::{Map, Value};
use std::fmt::Display;

/// The prefix of field names that stand for later versions of the API. They are always allowed.
const LATER: &str = "later_";

/// The result of a check; the error says what is wrong and where.
pub type Checked<T = ()> = Result<T, String>;

/// A JSON value and its path in the body.
pub struct Located<'a> {
    pub value: &'a Value,
    path: String,
}

/// The fields of an object, and its path in the body.
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Located<'a> {
    /// Wraps a whole body.
    pub const fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// Returns an error for this place.
    pub fn wrong<T>(&self, what: impl Display) -> Checked<T> {
        let path = if self.path.is_empty() { "the body" } else { &self.path };
        Err(format!("{path}: {what}"))
    }

    /// Returns the fields of an object that may have fields of any name.
    pub fn fields(&self) -> Checked<Fields<'a>> {
        match self.value {
            Value::Object(map) => Ok(Fields { map, path: self.path.clone() }),
            _ => self.wrong("must be an object"),
        }
    }

    /// Returns the fields of an object that has only the fields in `known`, or fields of later
    /// versions.
    pub fn object(&self, known: &[&str]) -> Checked<Fields<'a>> {
        let fields = self.fields()?;
        let is_unknown = |key: &&String| !known.contains(&key.as_str()) && !key.starts_with(LATER);
        match fields.map.keys().find(is_unknown) {
            Some(unknown) => fields.at(unknown).wrong("no such field"),
            None => Ok(fields),
        }
    }

    /// Returns the elements of an array with `least` to `most` elements.
    pub fn list(&self, least: usize, most: usize) -> Checked<Vec<Self>> {
        let Value::Array(entries) = self.value else { return self.wrong("must be an array") };
        if !(least..=most).contains(&entries.len()) {
            return self.wrong(format!("must have {least} to {most} entries"));
        }
        let place = |(index, value)| Self { value, path: format!("{}[{index}]", self.path) };
        Ok(entries.iter().enumerate().map(place).collect())
    }

    /// Returns a string of `least` to `most` characters.
    pub fn text(&self, least: usize, most: usize) -> Checked<&'a str> {
        let Value::String(text) = self.value else { return self.wrong("must be a string") };
        if !(least..=most).contains(&text.chars().count()) {
            return self.wrong(format!("must have {least} to {most} characters"));
        }
        Ok(text)
    }

    /// Returns a string that is one of `words`.
    pub fn word(&self, words: &[&'static str]) -> Checked<&'static str> {
        let given = self.text(0, usize::MAX)?;
        let found = words.iter().copied().find(|word| *word == given);
        found.map_or_else(|| self.wrong(format!("must be one of {}", words.join(", "))), Ok)
    }

    /// Returns a string of 1 to `most` characters that satisfies `like`.
    pub fn text_like(&self, most: usize, like: fn(&str) -> bool, what: &str) -> Checked<&'a str> {
        let text = self.text(1, most)?;
        if like(text) { Ok(text) } else { self.wrong(format!("must be {what}")) }
    }

    pub fn flag(&self) -> Checked<bool> {
        self.value.as_bool().map_or_else(|| self.wrong("must be true or false"), Ok)
    }

    /// Returns an HTTP or HTTPS URL.
    pub fn link(&self, most: usize) -> Checked<&'a str> {
        self.text_like(most, is_link, "an address that begins with http:// or https://")
    }
}

fn is_link(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty()) && !text.contains(char::is_whitespace)
}

impl<'a> Fields<'a> {
    fn at(&self, key: &str) -> Located<'_> {
        Located { value: &Value::Null, path: join(&self.path, key) }
    }

    /// Returns a field, if it exists.
    pub fn may(&self, key: &str) -> Option<Located<'a>> {
        self.map.get(key).map(|value| Located { value, path: join(&self.path, key) })
    }

    pub fn need(&self, key: &str) -> Checked<Located<'a>> {
        self.may(key).map_or_else(|| self.at(key).wrong("is required"), Ok)
    }

    /// Checks a field, if it exists.
    pub fn if_there<T>(
        &self,
        key: &str,
        check: impl FnOnce(&Located<'a>) -> Checked<T>,
    ) -> Checked {
        self.may(key).map_or(Ok(()), |at| check(&at).map(drop))
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Checks that all texts are different.
pub fn all_differ(texts: &[&str], at: &Located<'_>) -> Checked {
    let twice = texts.iter().enumerate().find(|(index, text)| texts[..*index].contains(text));
    twice.map_or(Ok(()), |(_, text)| at.wrong(format!("has {text:?} twice")))
}
