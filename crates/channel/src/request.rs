//! An adapter's requests, and the answers to them, as values. The adapter's caller sends and
//! receives them.

use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// A request to the channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The full URL.
    pub url: String,
    /// The body, which also determines the HTTP method.
    pub body: Body,
    /// The credentials.
    pub authorization: Authorization,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// No body: a GET request.
    Empty,
    /// No body: a DELETE request.
    Deletion,
    /// A body of type `application/json`.
    Json(Value),
    /// An encoded body of type `application/x-www-form-urlencoded`.
    Form(String),
}

/// The credentials of a request.
#[derive(Clone, PartialEq, Eq)]
pub enum Authorization {
    /// A bearer token.
    Bearer(String),
    /// A user and a password.
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
}

/// The channel's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The value of `Retry-After`, if any.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// A response, or a sentence that says why there was none.
pub type ChannelAnswer = Result<Response, String>;

/// The next step of an operation that takes one or more requests.
#[derive(Clone, Debug, PartialEq)]
pub enum AdapterStep<T> {
    /// A request to send. The operation continues with its answer.
    Ask(Request),
    /// The result of the operation.
    Done(T),
}

impl<T> AdapterStep<T> {
    /// Converts the result of the operation.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> AdapterStep<U> {
        match self {
            Self::Ask(request) => AdapterStep::Ask(request),
            Self::Done(done) => AdapterStep::Done(to(done)),
        }
    }
}

impl Request {
    /// Returns a GET request.
    #[must_use]
    pub const fn get(url: String, authorization: Authorization) -> Self {
        Self { url, body: Body::Empty, authorization }
    }

    /// Returns a DELETE request.
    #[must_use]
    pub const fn delete(url: String, authorization: Authorization) -> Self {
        Self { url, body: Body::Deletion, authorization }
    }

    /// Returns a POST request with JSON.
    #[must_use]
    pub const fn json(url: String, body: Value, authorization: Authorization) -> Self {
        Self { url, body: Body::Json(body), authorization }
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
        })
    }
}
