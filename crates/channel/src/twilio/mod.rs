//! `WhatsApp` through Twilio (`docs/contract.md#channel`). Messages are sent as forms to the
//! Messages API, templates are resources of the Content API, and callbacks are signed forms.
//!
//! <https://www.twilio.com/docs/whatsapp>, <https://www.twilio.com/docs/content>

mod adapter;
mod answer;
mod callback;
mod codes;
mod content;
mod message;
mod receiver;
mod review;
pub mod setup;

pub use adapter::TwilioNumber;
pub use callback::{parse, parts_of};
pub(crate) use codes::account_fault;
pub use receiver::TwilioReceiver;

use crate::capabilities::{Capabilities, MediaFields, TemplateCapabilities, TemplateParts};
use crate::request::{Authorization, Body, Request};
use domain::content::ContentType;
use domain::media::MediaKind;
use domain::template::{ButtonType, Category, ComponentType, HeaderFormat};
use serde_json::Value;
use std::fmt;

/// The path to which Twilio sends callbacks with messages of contacts and statuses of sent messages.
pub const WEBHOOK: &str = "/channel/twilio/webhook";

/// The capabilities. Buttons and lists are missing, because they are resources of the Content API,
/// and creating one would take a request before each message. Replies are missing, because the API
/// has no field for the message that is replied to.
pub const CAPABILITIES: Capabilities = Capabilities {
    content: &[ContentType::Text, ContentType::Media, ContentType::Template],
    max_text: Some(1600),
    replies: false,
    user_ids: false,
    receipts: false,
    media: MediaFields {
        captions: &[MediaKind::Image, MediaKind::Video],
        filenames: false,
        voice: false,
    },
    templates: TemplateCapabilities {
        made_elsewhere: false,
        edits: false,
        parts: Some(TemplateParts {
            categories: &[Category::Utility, Category::Marketing],
            components: &[
                ComponentType::Header,
                ComponentType::Body,
                ComponentType::Footer,
                ComponentType::Buttons,
            ],
            headers: &[HeaderFormat::Text],
            buttons: &[ButtonType::QuickReply, ButtonType::Url, ButtonType::PhoneNumber],
            parameters: &["text", "currency", "date_time"],
        }),
    },
};

/// The addresses of Twilio's APIs, and the account's credentials.
#[derive(Clone)]
pub struct TwilioSettings {
    /// The base URL of the Messages API, without a trailing slash.
    pub url: String,
    /// The base URL of the Content API, without a trailing slash.
    pub content_url: String,
    /// The account SID.
    pub account_sid: Option<String>,
    /// The auth token, which also signs callbacks.
    pub auth_token: Option<String>,
    /// Our own base URL, without a trailing slash.
    pub base_url: String,
}

impl fmt::Debug for TwilioSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Settings({}, {})", self.url, self.content_url)
    }
}

/// Whether a text is a well-formed account SID.
#[must_use]
pub fn is_account_sid(text: &str) -> bool {
    let rest = text.strip_prefix("AC").unwrap_or_default();
    rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns a phone number in the form that Twilio uses, `whatsapp:+…`.
#[must_use]
pub fn address_of(phone_number: &str) -> String {
    format!("{CHANNEL}{phone_number}")
}

/// The prefix of addresses on `WhatsApp`.
const CHANNEL: &str = "whatsapp:";

/// The settings with the account SID and the auth token, which are optional there.
#[derive(Clone)]
struct TwilioAccount {
    settings: TwilioSettings,
    sid: String,
    token: String,
}

impl TwilioAccount {
    fn authorization(&self) -> Authorization {
        Authorization::Basic { user: self.sid.clone(), password: self.token.clone() }
    }

    /// Returns a POST request to the Messages API with a form as its body. `path` is relative to
    /// the URL of the account.
    fn form(&self, path: &str, fields: &[(&str, &str)]) -> Request {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let body = form.extend_pairs(fields).finish();
        Request {
            url: format!("{}/2010-04-01/Accounts/{}/{path}", self.settings.url, self.sid),
            body: Body::Form(body),
            authorization: self.authorization(),
        }
    }

    fn content(&self, path: &str, body: Option<Value>) -> Request {
        let url = format!("{}/{path}", self.settings.content_url);
        match body {
            Some(body) => Request::json(url, body, self.authorization()),
            None => Request::get(url, self.authorization()),
        }
    }

    /// Returns the request that deletes a resource of the Content API.
    fn delete_content(&self, sid: &str) -> Request {
        let url = format!("{}/v1/Content/{sid}", self.settings.content_url);
        Request::delete(url, self.authorization())
    }
}
