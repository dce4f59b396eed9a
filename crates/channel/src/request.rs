//! Requests of an adapter and the answers to them, as values: whoever drives an adapter transports them.

use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// A request to the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The whole address.
    pub url: String,
    /// What is sent; with nothing it is a GET, else a POST.
    pub body: Body,
    /// What proves who asks.
    pub authorization: Authorization,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None: a GET.
    Empty,
    /// `application/json`.
    Json(Value),
    /// `application/x-www-form-urlencoded`, as it is written.
    Form(String),
}

/// What proves who asks.
#[derive(Clone, PartialEq, Eq)]
pub enum Authorization {
    /// A bearer token.
    Bearer(String),
    /// A user with a password.
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
}

/// What the network answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// `Retry-After`, if there was one.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer, or a sentence that says why there is none.
pub type Answer = Result<Response, String>;

/// What an adapter does next in an operation of one or more requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<T> {
    /// This has to be asked; the operation goes on with the answer.
    Ask(Request),
    /// It is finished.
    Done(T),
}

impl<T> Step<T> {
    /// The same with another result.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Ask(request) => Step::Ask(request),
            Self::Done(done) => Step::Done(to(done)),
        }
    }
}

impl Request {
    /// A GET.
    #[must_use]
    pub const fn get(url: String, authorization: Authorization) -> Self {
        Self { url, body: Body::Empty, authorization }
    }

    /// A POST of JSON.
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
