//! What the server answered.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// An answer, with its body read as JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Answer {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("the answer is text");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status, headers, text, body }
    }

    /// A header's value; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// A text of the body.
    pub fn text_of(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_else(|| panic!("{field} in {}", self.text)).to_owned()
    }

    /// Asserts an error of the contract's shape.
    #[track_caller]
    pub fn is_problem(&self, status: u16, code: &str) -> &Self {
        assert_eq!(
            (self.status, self.body["code"].as_str()),
            (status, Some(code)),
            "{}",
            self.text
        );
        assert!(self.body["error"].is_string(), "{}", self.text);
        assert_eq!(self.body["request_id"].as_str(), Some(self.header("x-request-id")));
        assert_eq!(self.header("content-type"), "application/json");
        self
    }

    /// Asserts a validation error with exactly these fields and fault codes.
    #[track_caller]
    pub fn has_faults(&self, expected: &[(&str, &str)]) {
        self.is_problem(422, "validation_failed");
        let details = self.body["details"].as_array().expect("details");
        let mut found: Vec<(&str, &str)> = details
            .iter()
            .map(|it| (it["field"].as_str().unwrap(), it["code"].as_str().unwrap()))
            .collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", self.text);
        assert!(details.iter().all(|it| it["message"].is_string()));
    }
}
