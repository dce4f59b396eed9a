//! What an endpoint is: declared once, and read by routing, checks, reference and tests.

use crate::call::Call;
use crate::problem::{Code, Problem};
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A key with this scope.
    Key(Scope),
    /// Any key.
    AnyKey,
}

/// An endpoint.
pub trait Operation: Sized + 'static {
    /// Its name in the reference: `send_message`.
    const ID: &'static str;
    /// What it is for, in a sentence.
    const SUMMARY: &'static str;
    /// Its method.
    const METHOD: Method;
    /// Its path, with `{parameters}`.
    const PATH: &'static str;
    /// Who may call it.
    const ACCESS: Access;
    /// The status of its usual answer.
    const SUCCESS: StatusCode;
    /// The errors it can give, beside those that every endpoint can.
    const PROBLEMS: &'static [Code];
    /// The parameters in its path.
    type Path: DeserializeOwned + JsonSchema;
    /// Its body, or its query where the method is GET. All fields optional: what is missing is
    /// judged together with what is wrong.
    type Input: DeserializeOwned + JsonSchema + Default;
    /// Its answer.
    type Reply: Serialize + JsonSchema;

    /// Does it.
    fn handle(call: Call<Self>) -> impl Future<Output = Result<Answer<Self::Reply>, Problem>>;
}

/// An answer, written out.
#[derive(Debug)]
pub struct Answer<R> {
    /// Its status.
    pub status: StatusCode,
    /// Its body.
    pub body: String,
    /// Whether it was given before.
    pub replayed: bool,
    /// Whether it is kept already for a request that comes again.
    pub kept: bool,
    of: PhantomData<R>,
}

impl<R: Serialize> Answer<R> {
    /// An answer that says `reply`.
    pub fn new(status: StatusCode, reply: &R) -> Result<Self, Problem> {
        Ok(Self::written(status, write(reply)?))
    }

    /// An answer that has been written out already.
    #[must_use]
    pub const fn written(status: StatusCode, body: String) -> Self {
        Self { status, body, replayed: false, kept: false, of: PhantomData }
    }

    /// The same, kept in the transaction of what it tells.
    #[must_use]
    pub const fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// The same, given before.
    #[must_use]
    pub const fn replayed(mut self) -> Self {
        self.replayed = true;
        self.kept = true;
        self
    }
}

/// A value as JSON.
pub fn write(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        Problem::internal()
    })
}

/// No path parameters, no input.
#[derive(Debug, Default, serde::Deserialize, JsonSchema)]
pub struct Nothing {}
