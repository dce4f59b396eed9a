//! Example requests and their answers, for the reference.

use super::Operation;
use crate::input::Input;
use api_types::json;
use serde::Serialize;
use serde_json::Value;

/// The base URL in examples. The reference shows the base URL of the service in its place.
pub const EXAMPLE_BASE_URL: &str = "https://api.example.com";

/// An example request and its answer.
#[derive(Clone, Debug)]
pub struct Example<P, I, R> {
    /// The path parameters.
    pub path: P,
    /// The body, or the query parameters; none for a request without them.
    pub input: Option<I>,
    /// The body of the answer.
    pub reply: R,
}

/// The example of an operation.
pub type ExampleOf<O> = Example<<O as Operation>::Path, SampleOf<O>, <O as Operation>::Reply>;

/// The input of an operation, as a caller writes it.
pub type SampleOf<O> = <<O as Operation>::Input as Input>::Sample;

/// Another example request of an operation. Its answer has the same status as the first one's.
#[derive(Clone, Debug)]
pub struct Variant<I> {
    /// The name for machines, unique within the operation.
    pub name: &'static str,
    /// The title, which is used as a heading.
    pub title: &'static str,
    /// The body.
    pub input: I,
}

/// An example as JSON. The reference shows it, and a test sends it.
#[derive(Clone, Debug)]
pub struct WrittenExample {
    /// The path parameters, as pairs of name and value.
    pub path: Vec<(String, String)>,
    /// The body or the query parameters, as a JSON object; empty if there are none.
    pub input: String,
    /// The body of the answer.
    pub reply: String,
}

impl<P: Serialize, I: Serialize, R: Serialize> Example<P, I, R> {
    /// Serializes the example.
    pub fn written(&self) -> WrittenExample {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let path = json::value(&self.path);
        let parameters = path.as_object().into_iter().flatten();
        WrittenExample {
            path: parameters.map(|(name, value)| (name.clone(), text(value))).collect(),
            input: self.input.as_ref().map(written).unwrap_or_default(),
            reply: format!("{:#}", json::value(&self.reply)),
        }
    }
}

/// Serializes an input as a caller writes it: without the fields that are null.
pub fn written(input: &impl Serialize) -> String {
    format!("{:#}", json::without_nulls(input))
}
