//! Meta's Cloud API (`docs/contract.md#channel`): what is asked of it, what its answers mean, and how it calls us.
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

pub use adapter::{CloudNumber, check_ids};
pub use answer::GraphResponse;
pub(crate) use codes::{account_fault, delivery_error};
pub use receiver::WebhookReceiver;

use crate::request::{Authorization, Body, Request};
use serde_json::Value;
use std::fmt;
use template::Said;

/// Where callbacks come in.
pub const WEBHOOK: &str = "/channel/cloud/webhook";

/// How the Cloud API is reached, and what proves that it calls.
#[derive(Clone)]
pub struct Settings {
    /// The Graph API, with its version, without a slash at its end.
    pub graph: String,
    /// What signs callbacks.
    pub app_secret: Option<String>,
    /// What Meta says when the callback address is set up.
    pub verify_token: Option<String>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Settings({})", self.graph)
    }
}

impl Settings {
    /// A request with a token.
    #[must_use]
    pub fn request(&self, asked: GraphRequest, token: &str) -> Request {
        let GraphRequest { path, body } = asked;
        Request {
            url: format!("{}/{path}", self.graph),
            body: body.map_or(Body::Empty, Body::Json),
            authorization: Authorization::Bearer(token.to_owned()),
        }
    }
}

/// Something that is asked of the Graph API.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRequest {
    /// The path behind address and version, with its query.
    pub path: String,
    /// What is sent; nothing is a GET.
    pub body: Option<Value>,
}

impl GraphRequest {
    fn get(path: String) -> Self {
        Self { path, body: None }
    }

    fn post(path: String, body: Value) -> Self {
        Self { path, body: Some(body) }
    }
}
