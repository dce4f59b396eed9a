//! Messages on their way to the channel while a server is stopped or killed, while PostgreSQL
//! restarts, with a slow channel, and with a long queue in one conversation.

mod accepting;
mod backlog;
mod idle;
mod organizations;
mod postgres_restart;
pub mod private_postgres;
mod queues;
mod stopping;
mod takeover;

use crate::cloud_inbound::{ENVIRONMENT, connect};
use crate::credentials::with_credentials;
use crate::operators::prepare;
use crate::world::graph::{Accepted, Graph};
use crate::world::{Pair, Process, free_port};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// An organization with an account on a stand-in for the channel, which several servers use.
struct Shop {
    graph: Graph,
    url: String,
    key: Pair,
    http: reqwest::Client,
}

fn person(of: usize) -> String {
    format!("+1202556{of:04}")
}

impl Shop {
    /// Prepares this database.
    async fn on(url: &str) -> Self {
        let graph = Graph::start().await;
        let key = prepare(url).await;
        connect(url).await;
        Self { graph, url: url.to_owned(), key, http: crate::world::client() }
    }

    async fn serve(&self) -> Process {
        let graph = self.graph.url();
        let channel =
            [("SWITCHBOARD_GRAPH_URL", graph.as_str()), ("SWITCHBOARD_GRAPH_TIMEOUT", "12")];
        Process::serve_with(&self.url, free_port(), &[&ENVIRONMENT[..], &channel].concat()).await
    }

    /// Sends a text. Returns its id if the server accepted it.
    async fn text(&self, base: &str, to: &str, text: &str) -> Option<String> {
        let body = json!({"type": "text", "phone_number": to, "text": text});
        let request = self.http.post(format!("{base}/api/v1/messages")).json(&body);
        let answer = with_credentials(request, &self.key).send().await.ok()?;
        let taken = answer.status() == 201;
        let body: Value = answer.json().await.ok()?;
        taken.then(|| body["id"].as_str().expect("an id").to_owned())
    }

    /// Sends `each` texts to each of `people` contacts. Returns the ids in order, by recipient.
    async fn queue(&self, base: &str, people: usize, each: usize) -> BTreeMap<String, Vec<String>> {
        let queued = (0..people).map(|of| async move {
            let (to, mut ids) = (person(of), Vec::new());
            for number in 0..each {
                let id = self.text(base, &to, &number.to_string()).await;
                ids.push(id.expect("the server takes the message"));
            }
            (to, ids)
        });
        join_all(queued).await.into_iter().collect()
    }

    /// Waits until `many` different messages have reached the channel.
    async fn until_arrived(&self, many: usize, within: Duration) {
        let arrived = self.graph.until(|graph| by_id(&graph.accepted()).len() >= many);
        let arrived = tokio::time::timeout(within, arrived).await;
        let there = by_id(&self.graph.accepted()).len();
        assert!(arrived.is_ok(), "{there} of {many} messages have arrived within {within:?}");
    }

    /// Returns the ids of the messages at the channel, by recipient, in the order of their first
    /// arrival.
    fn arrived(&self) -> BTreeMap<String, Vec<String>> {
        let (mut arrived, mut seen) = (BTreeMap::<String, Vec<String>>::new(), BTreeSet::new());
        for Accepted { to, ours, .. } in self.graph.accepted() {
            let ours = ours.expect("our id");
            if seen.insert(ours.clone()) {
                arrived.entry(to).or_default().push(ours);
            }
        }
        arrived
    }

    /// Returns the messages that arrived more than once.
    fn repeated(&self) -> Vec<String> {
        let counts = by_id(&self.graph.accepted());
        counts.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect()
    }
}

/// Counts the arrivals of each message.
fn by_id(accepted: &[Accepted]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for it in accepted {
        *counts.entry(it.ours.clone().expect("our id")).or_insert(0) += 1;
    }
    counts
}
