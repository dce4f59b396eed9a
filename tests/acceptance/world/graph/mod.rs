//! A stand-in for Meta's Graph API: messages, templates and files of the `WhatsApp` Cloud API.
//!
//!
//! It is as strict as Meta, records each request, and fails in the ways that a test plans. It never
//! calls the server: [`callbacks`] builds the callbacks, and the test sends them.

mod answers;
pub mod callbacks;
mod filled_shapes;
mod interactive_shapes;
mod records;
mod routes;
mod server;
mod shape_check;
mod shapes;
mod template_button_shapes;
mod template_shapes;

#[cfg(test)]
mod callback_tests;
#[cfg(test)]
mod interactive_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use serde_json::Value;
use server::Server;
use std::sync::Arc;
use std::time::Duration;

/// The stand-in. All clones share one listener, which stops when the last clone is dropped.
#[derive(Clone)]
pub struct Graph(Arc<Server>);

/// A request as the test's plan sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The query without the `?`; empty if there is none.
    pub query: String,
    /// Null if there is no body; a string if the body is not JSON.
    pub body: Value,
}

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// The regular response.
    #[default]
    None,
    /// An error with this HTTP status, such as 500 or 503, in Meta's format.
    Status(u16),
    RateLimited {
        /// The value of `Retry-After`, in seconds.
        retry_after: Option<u64>,
        /// Meta's error code, such as 130429 or 80007.
        code: i64,
    },
    /// Any other error of Meta's, for example a permanent failure.
    Error {
        status: u16,
        /// Meta's error code.
        code: i64,
        /// Meta's error subcode.
        subcode: Option<i64>,
        message: String,
    },
    /// No response, on a connection that stays open until the client closes it.
    Stall,
    /// The connection closes without a response, and the request is not accepted.
    DropBefore,
    /// The connection closes without a response, although the request is accepted.
    DropAfter,
    /// The request is accepted, and the response has this status and body.
    Accepted {
        status: u16,
        content_type: String,
        body: String,
        /// Whether the connection closes before the end of the body.
        cut_off: bool,
    },
}

/// An accepted message, whether or not the client received the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The sender.
    pub phone_number_id: String,
    /// The recipient's number or user id, as it stands in the request.
    pub to: String,
    /// The value of `biz_opaque_callback_data`.
    pub ours: Option<String>,
    /// The assigned message id.
    pub wamid: String,
    pub body: Value,
}

/// A request, with whatever result.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// `GET` or `POST`.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The query without the `?`; empty if there is none.
    pub query: String,
    /// Null if there is no body; a string if the body is not JSON.
    pub body: Value,
    /// The status of the response; `None` if there was no response so far.
    pub status: Option<u16>,
}

/// A template that was created.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTemplate {
    /// The business account.
    pub waba_id: String,
    /// The assigned id, which consists of digits.
    pub id: String,
    pub name: String,
    pub language: String,
    pub body: Value,
}

impl Graph {
    /// Starts the stand-in on a free port.
    pub async fn start() -> Self {
        Self(Arc::new(Server::start().await))
    }

    /// Returns the base URL, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        self.0.state.url.clone()
    }

    /// Returns the bearer token that the stand-in accepts.
    pub fn token(&self) -> &'static str {
        self.0.state.token
    }

    /// Sets the function that decides the result of each further request, in order of arrival. The
    /// function must not hold a clone of the stand-in, which would then never stop.
    pub fn plan(&self, plan: impl FnMut(&Request) -> Fault + Send + 'static) {
        self.0.state.plan(Box::new(plan));
    }

    /// Sets the time between the arrival of each further request and its response.
    pub fn answer_after(&self, delay: Duration) {
        self.0.state.delay.send_replace(delay);
    }

    /// Takes the stand-in down, or up again on the same port.
    ///
    ///
    /// When this method returns, connections are refused and idle connections are closed. A request
    /// in progress still gets its response; then its connection closes.
    pub async fn down(&self, down: bool) {
        self.0.down(down).await;
    }

    /// Returns the accepted messages in order, including those whose response was lost.
    pub fn accepted(&self) -> Vec<Accepted> {
        self.0.state.read(|records| records.accepted.clone())
    }

    /// Returns all requests in order of arrival.
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.0.state.read(|records| records.calls.clone())
    }

    /// Returns what was wrong with the fields of the requests so far, including those that met a
    /// planned fault.
    pub fn violations(&self) -> Vec<String> {
        self.0.state.read(|records| records.violations.clone())
    }

    /// Returns the created templates, in order.
    pub fn templates(&self) -> Vec<RecordedTemplate> {
        self.0.state.read(|records| records.templates.iter().map(|it| it.seen.clone()).collect())
    }

    /// Sets a template's `status`: `APPROVED`, `REJECTED`, `PAUSED`...
    pub fn set_template_status(&self, id: &str, status: &str) {
        self.0.state.change(|records| {
            let found = records.templates.iter_mut().find(|it| it.seen.id == id);
            status.clone_into(&mut found.unwrap_or_else(|| panic!("no template {id}")).status);
        });
    }

    pub fn put_file(&self, media_id: &str, mime_type: &str, bytes: impl Into<Bytes>) {
        let (mime_type, bytes) = (mime_type.to_owned(), bytes.into());
        let file = records::File { mime_type, sha256: None, bytes };
        self.0.state.change(|records| records.files.insert(media_id.to_owned(), file));
    }

    /// Reports this hash for a file, whether or not it is right.
    pub fn set_hash(&self, media_id: &str, sha256: &str) {
        self.0.state.change(|records| {
            let file = records.files.get_mut(media_id);
            file.unwrap_or_else(|| panic!("no file {media_id}")).sha256 = Some(sha256.to_owned());
        });
    }

    /// Sets up an app with this secret, subscribes it to a business account, and adds a number.
    pub fn set_up(&self, app_secret: &str, waba_id: &str, phone_number_id: &str, shown: &str) {
        self.0.state.change(|records| {
            app_secret.clone_into(&mut records.app_secret);
            records.heard_of.push(waba_id.to_owned());
            records.numbers.insert(phone_number_id.to_owned(), shown.to_owned());
        });
    }

    /// Registers the callback URL of the app for these webhook fields, or none if there are no
    /// fields.
    pub fn set_webhook(&self, callback_url: &str, fields: &[&str]) {
        let fields: Vec<Value> = fields
            .iter()
            .map(|name| serde_json::json!({"name": name, "version": "v23.0"}))
            .collect();
        let webhook = serde_json::json!({"object": "whatsapp_business_account",
            "callback_url": callback_url, "active": true, "fields": fields});
        let webhooks = if fields.is_empty() { Vec::new() } else { vec![webhook] };
        self.0.state.change(|records| records.webhooks = webhooks);
    }

    /// Removes the app's subscriptions to business accounts.
    pub fn unsubscribe(&self) {
        self.0.state.change(|records| records.heard_of.clear());
    }

    /// Makes the channel name this number by another form.
    pub fn call(&self, number: &str, wa_id: &str) {
        let digits = number.trim_start_matches('+').to_owned();
        self.0.state.change(|records| records.wa_ids.insert(digits, wa_id.to_owned()));
    }

    /// Gives this one id to all further messages.
    pub fn name_all(&self, wamid: &str) {
        self.0.state.change(|records| records.only_wamid = Some(wamid.to_owned()));
    }

    /// Deletes a file, as if it had expired.
    pub fn remove_file(&self, media_id: &str) {
        self.0.state.change(|records| records.files.remove(media_id));
    }

    /// Waits until `ready` returns true. It is called again after each change in the stand-in.
    pub async fn until(&self, mut ready: impl FnMut(&Self) -> bool) {
        let mut changes = self.0.state.changes.subscribe();
        while !ready(self) {
            changes.changed().await.expect("its sender is in `self`");
        }
    }
}
