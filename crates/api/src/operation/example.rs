//! Requests as a caller would make them, and what comes back.

use super::Operation;
use crate::input::Input;
use serde::Serialize;
use serde_json::Value;
use wire::json;

/// The address of the service in examples; the reference shows the service's own in its place.
pub const EXAMPLE_BASE_URL: &str = "https://api.example.com";

/// A request as a caller would make it, and what comes back.
#[derive(Clone, Debug)]
pub struct Example<P, I, R> {
    /// The parameters in its path.
    pub path: P,
    /// Its body, or the parameters of its query; none for a request without.
    pub input: Option<I>,
    /// The body of its answer.
    pub reply: R,
}

/// The example of an operation.
pub type ExampleOf<O> = Example<<O as Operation>::Path, SampleOf<O>, <O as Operation>::Reply>;

/// What a caller of an operation writes.
pub type SampleOf<O> = <<O as Operation>::Input as Input>::Sample;

/// Another request of the same operation; its answer has the status of the first.
#[derive(Clone, Debug)]
pub struct Variant<I> {
    /// Its name for machines, unlike the others of the operation.
    pub name: &'static str,
    /// What it does, as a heading.
    pub title: &'static str,
    /// Its body.
    pub input: I,
}

/// An example as JSON: shown in the reference, and sent by a test.
#[derive(Clone, Debug)]
pub struct WrittenExample {
    /// The parameters in its path: name and value.
    pub path: Vec<(String, String)>,
    /// Its body, or the parameters of its query, as a JSON object; empty for none.
    pub input: String,
    /// The body of its answer.
    pub reply: String,
}

impl<P: Serialize, I: Serialize, R: Serialize> Example<P, I, R> {
    /// Writes it out.
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

/// An input as a caller writes it: fields that are not given are left out.
pub fn written(input: &impl Serialize) -> String {
    let mut value = json::value(input);
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    format!("{value:#}")
}
