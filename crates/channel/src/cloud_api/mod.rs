//! Meta's Cloud API (`docs/contract.md#channel`): what is asked of it, and what its answers mean.
//!
//! <https://developers.facebook.com/docs/whatsapp/cloud-api>

mod answer;
mod file;
mod message;
pub mod setup;
mod template;

pub use answer::{GraphResponse, read_submitted_message, unreachable};
pub use file::{FileAt, file, read_file};
pub use message::submit_message;
pub use template::{find, read_found, read_submission, submit, verdict};

use serde_json::Value;

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
