//! What the stand-in remembers.

use super::{Accepted, Fault, RecordedCall, RecordedTemplate, Request};
use bytes::Bytes;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// What a test decided about requests to come.
pub type Plan = Box<dyn FnMut(&Request) -> Fault + Send>;

/// All that was seen, made and put.
#[derive(Default)]
pub struct Records {
    pub calls: Vec<RecordedCall>,
    pub accepted: Vec<Accepted>,
    pub violations: Vec<String>,
    pub templates: Vec<Template>,
    pub files: HashMap<String, File>,
    /// Numbers that can be looked up, as people write them.
    pub numbers: HashMap<String, String>,
    /// The business accounts that the app hears of.
    pub heard_of: Vec<String>,
    /// The app's secret, and where its callbacks go.
    pub app_secret: String,
    pub webhooks: Vec<Value>,
    /// What numbers are called that people write in another form, by their digits.
    pub wa_ids: HashMap<String, String>,
    /// The id that every message gets, where they are not told apart.
    pub only_wamid: Option<String>,
}

/// A template and the result of it.
pub struct Template {
    pub seen: RecordedTemplate,
    pub status: String,
}

/// A file that can be fetched.
#[derive(Clone)]
pub struct File {
    pub mime_type: String,
    /// The event of its hash; nothing is the truth.
    pub sha256: Option<String>,
    pub bytes: Bytes,
}

/// How many connections there are, and on how many of them a request is under way.
#[derive(Clone, Copy, Default)]
pub struct ConnectionCounts {
    pub open: usize,
    pub busy: usize,
}

/// What all connections share.
pub struct State {
    pub url: String,
    /// The bearer token that is accepted.
    pub token: &'static str,
    /// Told whenever something happened.
    pub changes: watch::Sender<()>,
    pub tally: watch::Sender<ConnectionCounts>,
    records: Mutex<Records>,
    // Apart from the records, which a plan may thus read.
    plan: Mutex<Plan>,
    /// How long each answer takes, from when its request arrived.
    pub delay: watch::Sender<Duration>,
}

impl State {
    pub fn new(url: String) -> Self {
        Self {
            url,
            token: "EAAG-test-token",
            changes: watch::Sender::default(),
            tally: watch::Sender::default(),
            records: Mutex::default(),
            plan: Mutex::new(Box::new(|_| Fault::None)),
            delay: watch::Sender::default(),
        }
    }

    pub fn plan(&self, plan: Plan) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = plan;
    }

    /// Notes that a request arrived, and asks the plan about it. One at a time: the plan sees
    /// requests in the order in which they are noted.
    pub fn arrived(&self, request: &Request) -> (usize, Fault) {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let Request { method, path, query, body } = request.clone();
        let call = self.change(|records| {
            records.calls.push(RecordedCall { method, path, query, body, status: None });
            records.calls.len() - 1
        });
        (call, plan(request))
    }

    pub fn read<T>(&self, look: impl FnOnce(&Records) -> T) -> T {
        look(&self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn change<T>(&self, how: impl FnOnce(&mut Records) -> T) -> T {
        let made = how(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner));
        self.changes.send_replace(());
        made
    }
}
