//! Meta's Cloud API (`docs/contract.md#channel`): requests, answers and callbacks.
//!
//! <https://developers.facebook.com/docs/whatsapp/cloud-api>

mod adapter;
mod answer;
pub mod callback;
mod codes;
mod contacts;
mod file;
mod interactive;
mod json;
mod message;
mod receipt;
mod receiver;
pub mod setup;
mod template;
mod template_parameters;
mod thread_control;

pub use adapter::{CloudNumber, check_ids};
pub use answer::GraphResponse;
pub(crate) use codes::{account_fault, delivery_error};
pub use receiver::CloudReceiver;

use crate::request::{Authorization, Body, Request};
use serde_json::Value;
use std::fmt;
use template::Said;

/// The path to which Meta sends callbacks.
pub const WEBHOOK: &str = "/channel/cloud/webhook";

/// The address of the Cloud API, and the secrets for its callbacks.
#[derive(Clone)]
pub struct CloudSettings {
    /// The base URL of the Graph API with its version, without a trailing slash.
    pub graph: String,
    /// The app secret, which signs callbacks.
    pub app_secret: Option<String>,
    /// The token that Meta sends when the webhook URL is set up.
    pub verify_token: Option<String>,
}

impl fmt::Debug for CloudSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Settings({})", self.graph)
    }
}

impl CloudSettings {
    /// Adds the base URL and an access token to a request.
    #[must_use]
    pub fn request(&self, asked: GraphRequest, token: &str) -> Request {
        let GraphRequest { path, body } = asked;
        Request {
            url: format!("{}/{path}", self.graph),
            body,
            authorization: Authorization::Bearer(token.to_owned()),
        }
    }
}

/// A request to the Graph API.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRequest {
    /// The path after the base URL, with its query.
    pub path: String,
    /// The body, which also decides the method.
    pub body: Body,
}

impl GraphRequest {
    fn get(path: String) -> Self {
        Self { path, body: Body::Empty }
    }

    fn post(path: String, body: Value) -> Self {
        Self { path, body: Body::Json(body) }
    }

    fn delete(path: String) -> Self {
        Self { path, body: Body::Deletion }
    }
}
