//! What an endpoint is: declared once, and read by routing, checks, reference and tests.

#![warn(missing_docs)]

mod answer;
mod call;
mod example;
mod slot;

pub use answer::{Answer, write};
pub use call::Call;
pub use example::{
    EXAMPLE_BASE_URL, Example, ExampleOf, SampleOf, Variant, WrittenExample, written,
};
pub use slot::Slot;

use crate::admission::{Admit, Required};
use crate::input::Input;
use actix_web::http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use web_core::problem::{Code, Problem};

/// An endpoint.
pub trait Operation: Sized + 'static {
    /// Its name in the reference: `send_message`.
    const ID: &'static str;
    /// What it is for, in a sentence.
    const SUMMARY: &'static str;
    /// What else a caller should know, in paragraphs of Markdown.
    const DESCRIPTION: &'static str;
    /// Its method.
    const METHOD: Method;
    /// Its path, with `{parameters}`.
    const PATH: &'static str;
    /// Who may call it: what callers of its type need.
    const ACCESS: Required<Self::Caller>;
    /// The status of its usual answer.
    const SUCCESS: StatusCode;
    /// The errors it can give, beside those that every endpoint can.
    const PROBLEMS: &'static [Code];
    /// Whether it can go without a body: then an empty one is none.
    const BODY_OPTIONAL: bool = false;
    /// Who calls it: lets a call pass, or says why not.
    type Caller: Admit;
    /// The parameters in its path.
    type Path: DeserializeOwned + Serialize + JsonSchema;
    /// Its body, or its query where the method is GET. All fields optional: what is missing is
    /// judged together with what is wrong.
    type Input: Input;
    /// Its answer.
    type Reply: Serialize + JsonSchema;

    /// A request and its answer.
    fn example() -> ExampleOf<Self>;

    /// Further requests, where one does not show what it can do.
    #[must_use]
    fn variants() -> Vec<Variant<SampleOf<Self>>> {
        Vec::new()
    }

    /// Its answers that are no errors, by their status.
    fn replies(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        vec![(Self::SUCCESS, schemas.subschema_for::<Self::Reply>())]
    }

    /// Does it.
    fn handle(call: Call<Self>) -> impl Future<Output = Result<Answer<Self::Reply>, Problem>>;
}

/// What is made of all operations: the routes of a server, or the reference.
pub(crate) trait List: Default {
    /// With one more.
    #[must_use]
    fn with<O: Operation>(self) -> Self;
}

/// No path parameters, no input.
#[derive(Debug, Default, Serialize, serde::Deserialize, JsonSchema)]
pub struct Nothing {}
