//! Looking at JSON strictly: every field is known, of its type and within its bounds.

use serde_json::{Map, Value};
use std::fmt::Display;

/// How the names of fields begin that a later version of the API knows.
const LATER: &str = "later_";

/// What was found, or what is wrong and where.
pub type Checked<T = ()> = Result<T, String>;

/// A value and where it stands.
pub struct Located<'a> {
    pub value: &'a Value,
    path: String,
}

/// An object's fields.
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Located<'a> {
    /// The whole of a body.
    pub const fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// Says that something is wrong here.
    pub fn wrong<T>(&self, what: impl Display) -> Checked<T> {
        let path = if self.path.is_empty() { "the body" } else { &self.path };
        Err(format!("{path}: {what}"))
    }

    /// An object whose fields may have any name.
    pub fn fields(&self) -> Checked<Fields<'a>> {
        match self.value {
            Value::Object(map) => Ok(Fields { map, path: self.path.clone() }),
            _ => self.wrong("must be an object"),
        }
    }

    /// An object with no other fields than these, and those of a later time.
    pub fn object(&self, known: &[&str]) -> Checked<Fields<'a>> {
        let fields = self.fields()?;
        let is_unknown = |key: &&String| !known.contains(&key.as_str()) && !key.starts_with(LATER);
        match fields.map.keys().find(is_unknown) {
            Some(unknown) => fields.at(unknown).wrong("no such field"),
            None => Ok(fields),
        }
    }

    /// The entries of an array.
    pub fn list(&self, least: usize, most: usize) -> Checked<Vec<Self>> {
        let Value::Array(entries) = self.value else { return self.wrong("must be an array") };
        if !(least..=most).contains(&entries.len()) {
            return self.wrong(format!("must have {least} to {most} entries"));
        }
        let place = |(index, value)| Self { value, path: format!("{}[{index}]", self.path) };
        Ok(entries.iter().enumerate().map(place).collect())
    }

    /// A text of so many characters.
    pub fn text(&self, least: usize, most: usize) -> Checked<&'a str> {
        let Value::String(text) = self.value else { return self.wrong("must be a string") };
        if !(least..=most).contains(&text.chars().count()) {
            return self.wrong(format!("must have {least} to {most} characters"));
        }
        Ok(text)
    }

    /// One of some words.
    pub fn word(&self, words: &[&'static str]) -> Checked<&'static str> {
        let given = self.text(0, usize::MAX)?;
        let found = words.iter().copied().find(|word| *word == given);
        found.map_or_else(|| self.wrong(format!("must be one of {}", words.join(", "))), Ok)
    }

    /// A text that looks right.
    pub fn text_like(&self, most: usize, like: fn(&str) -> bool, what: &str) -> Checked<&'a str> {
        let text = self.text(1, most)?;
        if like(text) { Ok(text) } else { self.wrong(format!("must be {what}")) }
    }

    /// True or false.
    pub fn flag(&self) -> Checked<bool> {
        self.value.as_bool().map_or_else(|| self.wrong("must be true or false"), Ok)
    }

    /// The address of something on the web.
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

    /// A field, if it is there.
    pub fn may(&self, key: &str) -> Option<Located<'a>> {
        self.map.get(key).map(|value| Located { value, path: join(&self.path, key) })
    }

    /// A field that must be there.
    pub fn need(&self, key: &str) -> Checked<Located<'a>> {
        self.may(key).map_or_else(|| self.at(key).wrong("is required"), Ok)
    }

    /// Checks a field, if it is there.
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

/// Says so if two of some texts are the same.
pub fn all_differ(texts: &[&str], at: &Located<'_>) -> Checked {
    let twice = texts.iter().enumerate().find(|(index, text)| texts[..*index].contains(text));
    twice.map_or(Ok(()), |(_, text)| at.wrong(format!("has {text:?} twice")))
}
