//! A stand-in for Meta's Graph API: messages, templates and files of the `WhatsApp` Cloud API.
//!
//! It is strict where Meta is, notes everything that it sees, and fails in the ways that a test
//! plans. It never calls anybody: what Meta would report, [`callbacks`] builds.

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

/// The stand-in. Clones are the same one, which stops when the last of them is dropped.
#[derive(Clone)]
pub struct Graph(Arc<Server>);

/// A request, as a plan sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What stands behind the `?`; empty if nothing does.
    pub query: String,
    /// Null if there was none, a string if it was no JSON.
    pub body: Value,
}

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// What it deserves.
    #[default]
    None,
    /// An answer such as 500 or 503 with an error of Meta's shape.
    Status(u16),
    /// A 429.
    RateLimited {
        /// The seconds of a `Retry-After`.
        retry_after: Option<u64>,
        /// Meta's code, such as 130429 or 80007.
        code: i64,
    },
    /// Any other error of Meta's, such as a definite refusal.
    Error {
        /// Of HTTP.
        status: u16,
        /// Meta's code.
        code: i64,
        /// Meta's second code.
        subcode: Option<i64>,
        /// What it says.
        message: String,
    },
    /// No answer, on a connection that stays open until the client goes away.
    Stall,
    /// The connection closes, and nothing was accepted.
    DropBefore,
    /// The connection closes without an answer, and yet the request was accepted.
    DropAfter,
    /// The request was accepted, and the answer says so with this status and body.
    Accepted {
        /// Of HTTP.
        status: u16,
        /// Its type.
        content_type: String,
        /// Whatever stands in it.
        body: String,
        /// Whether the answer breaks off before its end.
        cut_off: bool,
    },
}

/// A message that was accepted, whether or not the answer arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The number that it leaves from.
    pub phone_number_id: String,
    /// The number or the user id that it goes to, as it was written.
    pub to: String,
    /// `biz_opaque_callback_data`.
    pub ours: Option<String>,
    /// The id that it was given.
    pub wamid: String,
    /// All of it.
    pub body: Value,
}

/// A request that arrived, whatever became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// `GET` or `POST`.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What stands behind the `?`; empty if nothing does.
    pub query: String,
    /// Null if there was none, a string if it was no JSON.
    pub body: Value,
    /// Of the answer; none if there was no answer, or none yet.
    pub status: Option<u16>,
}

/// A template that was created.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTemplate {
    /// The account that it belongs to.
    pub waba_id: String,
    /// The id that it was given: digits.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// All of it.
    pub body: Value,
}

impl Graph {
    /// Listens on a port of its own.
    pub async fn start() -> Self {
        Self(Arc::new(Server::start().await))
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        self.0.state.url.clone()
    }

    /// The bearer token that it accepts.
    pub fn token(&self) -> &'static str {
        self.0.state.token
    }

    /// From now on, `plan` says the result of each request, one after the other in the order in
    /// which they arrived. A plan must not hold a clone of the stand-in, which would then never stop.
    pub fn plan(&self, plan: impl FnMut(&Request) -> Fault + Send + 'static) {
        self.0.state.plan(Box::new(plan));
    }

    /// From now on each answer comes so long after its request has arrived and has been noted.
    pub fn answer_after(&self, delay: Duration) {
        self.0.state.delay.send_replace(delay);
    }

    /// Takes it down, or up again on the same port.
    ///
    /// Once this returns, connections are refused and those that were idle are closed. A request
    /// that was under way is still answered, on a connection that then closes.
    pub async fn down(&self, down: bool) {
        self.0.down(down).await;
    }

    /// What was accepted, in that order, including what was then left without an answer.
    pub fn accepted(&self) -> Vec<Accepted> {
        self.0.state.read(|records| records.accepted.clone())
    }

    /// All requests, in the order in which they arrived.
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.0.state.read(|records| records.calls.clone())
    }

    /// What was wrong with the shape of requests, even of those that a fault met.
    pub fn violations(&self) -> Vec<String> {
        self.0.state.read(|records| records.violations.clone())
    }

    /// The templates that were created, in that order.
    pub fn templates(&self) -> Vec<RecordedTemplate> {
        self.0.state.read(|records| records.templates.iter().map(|it| it.seen.clone()).collect())
    }

    /// Sets what a template's `status` is when it is read: `APPROVED`, `REJECTED`, `PAUSED`...
    pub fn set_template_status(&self, id: &str, status: &str) {
        self.0.state.change(|records| {
            let found = records.templates.iter_mut().find(|it| it.seen.id == id);
            status.clone_into(&mut found.unwrap_or_else(|| panic!("no template {id}")).status);
        });
    }

    /// Makes a file that can be fetched.
    pub fn put_file(&self, media_id: &str, mime_type: &str, bytes: impl Into<Bytes>) {
        let (mime_type, bytes) = (mime_type.to_owned(), bytes.into());
        let file = records::File { mime_type, sha256: None, bytes };
        self.0.state.change(|records| records.files.insert(media_id.to_owned(), file));
    }

    /// Tells this hash of a file, whatever its bytes are.
    pub fn tell_hash(&self, media_id: &str, sha256: &str) {
        self.0.state.change(|records| {
            let file = records.files.get_mut(media_id);
            file.unwrap_or_else(|| panic!("no file {media_id}")).sha256 = Some(sha256.to_owned());
        });
    }

    /// Sets up an app with this secret that hears of a business account, and a number of that.
    pub fn set_up(&self, app_secret: &str, waba_id: &str, phone_number_id: &str, shown: &str) {
        self.0.state.change(|records| {
            app_secret.clone_into(&mut records.app_secret);
            records.heard_of.push(waba_id.to_owned());
            records.numbers.insert(phone_number_id.to_owned(), shown.to_owned());
        });
    }

    /// Has callbacks go there, of these fields; or nowhere, where there are none.
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

    /// The app hears of no business account any more.
    pub fn unsubscribe(&self) {
        self.0.state.change(|records| records.heard_of.clear());
    }

    /// Calls a number by another form of it.
    pub fn call(&self, number: &str, wa_id: &str) {
        let digits = number.trim_start_matches('+').to_owned();
        self.0.state.change(|records| records.wa_ids.insert(digits, wa_id.to_owned()));
    }

    /// Gives every message from now on this one id.
    pub fn name_all(&self, wamid: &str) {
        self.0.state.change(|records| records.only_wamid = Some(wamid.to_owned()));
    }

    /// Takes a file away: it has expired.
    pub fn remove_file(&self, media_id: &str) {
        self.0.state.change(|records| records.files.remove(media_id));
    }

    /// Waits until `ready` says so, which is asked again whenever something happened here.
    pub async fn until(&self, mut ready: impl FnMut(&Self) -> bool) {
        let mut changes = self.0.state.changes.subscribe();
        while !ready(self) {
            changes.changed().await.expect("its sender is in `self`");
        }
    }
}
