//! Types for the parts of `OpenAPI` 3.1 that this reference uses.

pub use api_types::schema::PREFIX;

use schemars::Schema;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The content type of all bodies except files.
pub const JSON: &str = "application/json";

/// A map that keeps the order of insertion.
#[derive(Debug)]
pub struct Ordered<V>(pub Vec<(String, V)>);

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Ordered<V> {
    pub fn add(&mut self, name: impl Into<String>, value: V) {
        self.0.push((name.into(), value));
    }

    /// Returns the entry of this name, and creates it if it is missing.
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

/// The root of an `OpenAPI` document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenApiDocument {
    /// The version of the `OpenAPI` specification.
    pub openapi: &'static str,
    pub info: Info,
    pub servers: Vec<Server>,
    pub tags: Vec<Tag>,
    /// The operations, by path and method.
    pub paths: Ordered<Ordered<OpenApiOperation>>,
    /// The operations of outgoing webhooks, by event.
    pub webhooks: Ordered<Ordered<OpenApiOperation>>,
    pub components: Components,
}

#[derive(Debug, Serialize)]
pub struct Info {
    pub title: &'static str,
    pub version: &'static str,
    pub summary: &'static str,
    pub description: String,
    pub license: License,
}

#[derive(Debug, Serialize)]
pub struct License {
    pub name: &'static str,
    /// The SPDX identifier.
    pub identifier: &'static str,
}

/// A base URL of the service.
#[derive(Debug, Serialize)]
pub struct Server {
    pub url: String,
}

#[derive(Debug, Serialize)]
pub struct Tag {
    pub name: &'static str,
    pub description: &'static str,
}

/// An operation of the API, or an outgoing webhook.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenApiOperation {
    pub operation_id: String,
    pub tags: Vec<String>,
    pub summary: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub security: Vec<Value>,
    #[serde(rename = "x-required-scope", skip_serializing_if = "Option::is_none")]
    pub required_scope: Option<&'static str>,
    /// The scope that some requests of the operation need instead of the usual one.
    #[serde(rename = "x-other-scope", skip_serializing_if = "Option::is_none")]
    pub other_scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<OpenApiParameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<RequestBody>,
    /// The answers, by status.
    pub responses: Ordered<OpenApiResponse>,
}

#[derive(Debug, Serialize)]
pub struct OpenApiParameter {
    pub name: String,
    /// `path`, `query` or `header`.
    #[serde(rename = "in")]
    pub place: &'static str,
    pub description: String,
    pub required: bool,
    pub schema: Schema,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

#[derive(Debug, Serialize)]
pub struct RequestBody {
    pub required: bool,
    /// The body by content type.
    pub content: Ordered<OpenApiContent>,
}

/// A body of one content type.
#[derive(Debug, Serialize)]
pub struct OpenApiContent {
    pub schema: Schema,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    /// Examples by name; empty if `example` is set.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub examples: Ordered<OpenApiExample>,
}

#[derive(Debug, Serialize)]
pub struct OpenApiExample {
    pub summary: &'static str,
    pub value: Value,
}

#[derive(Debug, Serialize)]
pub struct OpenApiResponse {
    pub description: String,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub headers: Ordered<OpenApiHeader>,
    /// The body by content type.
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    pub content: Ordered<OpenApiContent>,
}

#[derive(Debug, Serialize)]
pub struct OpenApiHeader {
    pub description: &'static str,
    /// Whether the header is always present.
    pub required: bool,
    pub schema: Schema,
}

/// Definitions that other parts of the document refer to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    pub schemas: serde_json::Map<String, Value>,
    pub security_schemes: Ordered<SecurityScheme>,
}

/// A security scheme.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub enum SecurityScheme {
    /// A credential in a header of its own.
    #[serde(rename = "apiKey")]
    Header {
        /// Always `header`.
        #[serde(rename = "in")]
        place: &'static str,
        name: &'static str,
        description: &'static str,
    },
    /// A credential in the `Authorization` header.
    #[serde(rename = "http")]
    Http { scheme: &'static str, description: &'static str },
}
