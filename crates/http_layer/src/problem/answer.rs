//! Problems as HTTP responses.

use super::Problem;
use actix_web::HttpResponse;
use actix_web::http::header;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The body of a problem. It is serialized without an intermediate value, so that rejected requests
/// cost little.
struct ProblemBody<'problem> {
    problem: &'problem Problem,
    request_id: &'problem str,
}

impl Serialize for ProblemBody<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let contents = &self.problem.contents;
        let mut body = out.serialize_map(Some(3 + contents.extra.len()))?;
        body.serialize_entry("error", &contents.message)?;
        body.serialize_entry("code", self.problem.code.as_str())?;
        body.serialize_entry("request_id", self.request_id)?;
        for (name, value) in &contents.extra {
            body.serialize_entry(name, value)?;
        }
        body.end()
    }
}

impl Problem {
    /// Returns the message for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.contents.message
    }

    /// Returns the fields that only this kind of problem has.
    #[must_use]
    pub fn details(&self) -> &Map<String, Value> {
        &self.contents.extra
    }

    /// Returns the body as text.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "serializing a map with text keys into memory cannot fail"
    )]
    pub fn body(&self, request_id: &str) -> String {
        serde_json::to_string(&ProblemBody { problem: self, request_id }).unwrap_or_default()
    }

    /// Returns the body as JSON.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "serializing a map with text keys into memory cannot fail"
    )]
    pub fn json(&self, request_id: &str) -> Value {
        serde_json::to_value(ProblemBody { problem: self, request_id }).unwrap_or_default()
    }

    #[must_use]
    pub fn response(&self, request_id: &str) -> HttpResponse {
        let mut response = HttpResponse::build(self.code.status());
        response.insert_header((header::CONTENT_TYPE, "application/json"));
        for (name, value) in &self.contents.headers {
            response.append_header((*name, value.as_str()));
        }
        response.body(self.body(request_id))
    }
}
