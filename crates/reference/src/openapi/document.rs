//! The parts of `OpenAPI` 3.1 that this reference has, as types, so that the document cannot drift from the code.

pub use wire::schema::PREFIX;

use schemars::Schema;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The content type of everything but files.
pub const JSON: &str = "application/json";

/// A map in the order in which it was filled.
#[derive(Debug)]
pub struct Ordered<V>(pub Vec<(String, V)>);

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Ordered<V> {
    /// With one more entry.
    pub fn add(&mut self, name: impl Into<String>, value: V) {
        self.0.push((name.into(), value));
    }

    /// The entry of that name, made if there is none.
    pub fn entry(&mut self, name: &str) -> Option<&mut V>
    where
        V: Default,
    {
        if !self.0.iter().any(|(known, _)| known == name) {
            self.add(name, V::default());
        }
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The version of the specification.
    pub openapi: &'static str,
    /// What this is.
    pub info: Info,
    /// Where the service is.
    pub servers: Vec<Server>,
    /// The groups of operations.
    pub tags: Vec<Tag>,
    /// The operations, by path and method.
    pub paths: Ordered<Ordered<Operation>>,
    /// What we call, by event.
    pub webhooks: Ordered<Ordered<Operation>>,
    /// What others refer to.
    pub components: Components,
}

/// What this is.
#[derive(Debug, Serialize)]
pub struct Info {
    /// Its name.
    pub title: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// More about it.
    pub description: String,
    /// Under which terms.
    pub license: License,
}

/// The terms.
#[derive(Debug, Serialize)]
pub struct License {
    /// Their name.
    pub name: &'static str,
    /// The same as SPDX writes it.
    pub identifier: &'static str,
}

/// An address of the service.
#[derive(Debug, Serialize)]
pub struct Server {
    /// The address.
    pub url: String,
}

/// A group of operations.
#[derive(Debug, Serialize)]
pub struct Tag {
    /// Its name.
    pub name: String,
}

/// An operation, or a call of ours.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Its name.
    pub operation_id: String,
    /// The group it is in.
    pub tags: Vec<String>,
    /// What it is for.
    pub summary: String,
    /// More about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Which credentials it takes.
    pub security: Vec<Value>,
    /// The scope that the key needs.
    #[serde(rename = "x-required-scope", skip_serializing_if = "Option::is_none")]
    pub required_scope: Option<&'static str>,
    /// What stands in its path, query and headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Its body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<RequestBody>,
    /// Its answers, by status.
    pub responses: Ordered<Response>,
}

/// A parameter.
#[derive(Debug, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// `path`, `query` or `header`.
    #[serde(rename = "in")]
    pub place: &'static str,
    /// What it is for.
    pub description: String,
    /// Whether it must be there.
    pub required: bool,
    /// Its values.
    pub schema: Schema,
    /// One of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// A body that is sent.
#[derive(Debug, Serialize)]
pub struct RequestBody {
    /// Whether it must be there.
    pub required: bool,
    /// What it is, by content type.
    pub content: Ordered<Content>,
}

/// A body of one content type.
#[derive(Debug, Serialize)]
pub struct Content {
    /// Its values.
    pub schema: Schema,
    /// One of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    /// Several of them, by name.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub examples: Ordered<NamedExample>,
}

/// A value with its name.
#[derive(Debug, Serialize)]
pub struct NamedExample {
    /// When it comes.
    pub summary: &'static str,
    /// The value.
    pub value: Value,
}

/// An answer.
#[derive(Debug, Serialize)]
pub struct Response {
    /// What it means.
    pub description: String,
    /// What its head says.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub headers: Ordered<Header>,
    /// What it says, by content type.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub content: Ordered<Content>,
}

/// A header of an answer.
#[derive(Debug, Serialize)]
pub struct Header {
    /// Its meaning.
    pub description: &'static str,
    /// Whether it is always there.
    pub required: bool,
    /// Its values.
    pub schema: Schema,
}

/// What others refer to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// Schemas.
    pub schemas: serde_json::Map<String, Value>,
    /// Credentials.
    pub security_schemes: Ordered<SecurityScheme>,
}

/// A credential.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub enum SecurityScheme {
    /// In a header of its own.
    #[serde(rename = "apiKey")]
    Header {
        /// Always a header.
        #[serde(rename = "in")]
        place: &'static str,
        /// The header's name.
        name: &'static str,
        /// What it is.
        description: &'static str,
    },
    /// In `Authorization`.
    #[serde(rename = "http")]
    Http {
        /// The scheme.
        scheme: &'static str,
        /// What it is.
        description: &'static str,
    },
}
