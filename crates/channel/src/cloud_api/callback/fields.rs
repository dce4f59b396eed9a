//! The fields of a JSON object, with unparsed values.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// All fields of an object, in order, including repeated ones.
pub struct JsonFields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> JsonFields<'a> {
    /// Returns the first field with this name that is not null.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        let mut found = self.0.iter().filter(|(it, value)| it == name && value.get() != "null");
        found.next().map(|(_, value)| *value)
    }

    pub fn all(&self) -> &[(Cow<'a, str>, &'a RawValue)] {
        &self.0
    }

    /// Returns the items of all lists with this name, or `None` if there is no such list.
    pub fn lists(&self, name: &str) -> Result<Option<Vec<&'a RawValue>>, serde_json::Error> {
        let mut all: Option<Vec<&'a RawValue>> = None;
        for (_, value) in self.0.iter().filter(|(it, _)| it == name) {
            if let Some(items) = list(value)? {
                all.get_or_insert_default().extend(items);
            }
        }
        Ok(all)
    }
}

/// Returns the items of a list, or `None` for null.
pub fn list(json: &RawValue) -> Result<Option<Vec<&RawValue>>, serde_json::Error> {
    serde_json::from_str(json.get())
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl<'de> Visitor<'de> for All {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(FieldName(name)) = map.next_key()? {
                    fields.push((name, map.next_value()?));
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(All).map(Self)
    }
}

/// A field name, borrowed if it contains no escapes.
#[derive(serde::Deserialize)]
struct FieldName<'a>(#[serde(borrow)] Cow<'a, str>);
