//! The declaration of an operation. Routing, checks, the reference and tests all use this one
//! declaration.

#![warn(missing_docs)]

mod answer;
mod call;
mod example;
mod slot;

pub use answer::{Answer, FileAnswer, write};
pub use call::Call;
pub use example::{
    EXAMPLE_BASE_URL, Example, ExampleOf, SampleOf, Variant, WrittenExample, written,
};
pub use slot::IdempotencySlot;

use crate::admission::{Admit, Required};
use crate::input::Input;
use actix_web::http::{Method, StatusCode};
use http_layer::problem::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};

/// The content type of JSON.
pub const JSON: &str = "application/json";

/// An operation: one REST endpoint.
pub trait Operation: Sized + 'static {
    /// The name in the reference, such as `send_message`.
    const ID: &'static str;
    /// A summary of one sentence.
    const SUMMARY: &'static str;
    /// A description in Markdown, of one or more paragraphs.
    const DESCRIPTION: &'static str;
    /// The HTTP method.
    const METHOD: Method;
    /// The path, with `{parameters}`.
    const PATH: &'static str;
    /// The requirement on the caller.
    const ACCESS: Required<Self::Caller>;
    /// The status of the usual answer.
    const SUCCESS: StatusCode;
    /// The errors that the operation can return, besides those that every operation can.
    const PROBLEMS: &'static [Code];
    /// Whether the body may be omitted. An empty body then counts as omitted.
    const BODY_OPTIONAL: bool = false;
    /// The content type of the successful answer. With another type than JSON the answer is a file.
    const CONTENT_TYPE: &'static str = JSON;
    /// Whether the answer contains a secret that is shown once. An answer that is stored for
    /// `Idempotency-Key` is then sealed.
    const SHOWS_SECRET: bool = false;
    /// The type of the caller, which runs the checks of the headers.
    type Caller: Admit;
    /// The path parameters.
    type Path: DeserializeOwned + Serialize + JsonSchema;
    /// The body, or the query if the method is GET. All fields are optional, so that missing fields
    /// are reported together with invalid ones.
    type Input: Input;
    /// The successful answer.
    type Reply: Serialize + JsonSchema;

    /// Returns an example request and its answer.
    fn example() -> ExampleOf<Self>;

    /// Returns further example requests, if one is not enough.
    #[must_use]
    fn variants() -> Vec<Variant<SampleOf<Self>>> {
        Vec::new()
    }

    /// Returns the schemas of the successful answers, with their status.
    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        vec![(Self::SUCCESS, schemas.subschema_for::<Self::Reply>())]
    }

    /// Performs the operation.
    fn handle(call: Call<Self>) -> impl Future<Output = Result<Answer<Self::Reply>, Problem>>;
}

/// A collection that is built from all operations: the routes of a server, or the reference.
pub(crate) trait OperationList: Default {
    /// Adds an operation.
    #[must_use]
    fn with<O: Operation>(self) -> Self;
}

/// The type of inputs and path parameters that are empty.
#[derive(Debug, Default, Serialize, serde::Deserialize, JsonSchema)]
pub struct Nothing {}
