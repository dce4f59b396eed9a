//! The state of the stand-in.

use super::{Accepted, Fault, RecordedCall, RecordedTemplate, Request};
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::watch;

/// A test's decision about each further request.
pub type Plan = Box<dyn FnMut(&Request) -> Fault + Send>;

/// All recorded requests, and all objects that requests or the test created.
#[derive(Default)]
pub struct Records {
    pub calls: Vec<RecordedCall>,
    pub accepted: Vec<Accepted>,
    pub violations: Vec<String>,
    pub templates: Vec<Template>,
    pub files: HashMap<String, File>,
    /// The display phone number by phone number id.
    pub numbers: HashMap<String, String>,
    /// The business accounts to which the app is subscribed.
    pub heard_of: Vec<String>,
    pub app_secret: String,
    pub webhooks: Vec<Value>,
    /// The channel's form of numbers that people write differently, by their digits.
    pub wa_ids: HashMap<String, String>,
    /// If set, the id of every message.
    pub only_wamid: Option<String>,
}

/// A template and its review status.
pub struct Template {
    pub seen: RecordedTemplate,
    pub status: String,
}

#[derive(Clone)]
pub struct File {
    pub mime_type: String,
    /// The reported hash, if it is not to be the true one.
    pub sha256: Option<String>,
    pub bytes: Bytes,
}

/// The number of open connections, and of those on which a request is in progress.
#[derive(Clone, Copy, Default)]
pub struct ConnectionCounts {
    pub open: usize,
    pub busy: usize,
}

/// The state that all connections share.
pub struct State {
    pub url: String,
    pub token: &'static str,
    /// Notified after each change.
    pub changes: watch::Sender<()>,
    pub tally: watch::Sender<ConnectionCounts>,
    records: Mutex<Records>,
    // A lock of its own, so that a plan may read the records.
    plan: Mutex<Plan>,
    /// The time from the arrival of a request to its response.
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
        *self.plan.lock() = plan;
    }

    /// Records a request and asks the plan about it. The plan's lock is held for both, so the plan
    /// sees requests in the order in which they are recorded.
    pub fn arrived(&self, request: &Request) -> (usize, Fault) {
        let mut plan = self.plan.lock();
        let Request { method, path, query, body } = request.clone();
        let call = self.change(|records| {
            records.calls.push(RecordedCall { method, path, query, body, status: None });
            records.calls.len() - 1
        });
        (call, plan(request))
    }

    pub fn read<T>(&self, look: impl FnOnce(&Records) -> T) -> T {
        look(&self.records.lock())
    }

    pub fn change<T>(&self, how: impl FnOnce(&mut Records) -> T) -> T {
        let made = how(&mut self.records.lock());
        self.changes.send_replace(());
        made
    }
}
