//! Clients that send messages and record when each was accepted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::chance::Chance;
use super::operator::{Organization, client};
use super::order::Accepted;
use bench::client::{Answer, Client};
use servers::clock::Stopwatch;
use servers::interrupt;

/// A message that was answered with 201.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The index of the message's organization in the load's list.
    pub organization: usize,
    /// The sender's reference: the `client_ref` and the `Idempotency-Key`.
    pub reference: String,
    pub id: String,
    /// The time span in which the message was accepted.
    pub accepted: Accepted,
    /// The duration of the request that was answered with 201.
    pub took: Duration,
}

/// Counts of failures, by description.
pub type Tally = BTreeMap<String, u64>;

/// The senders' reaction to a failed request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// Senders repeat the request with the same `Idempotency-Key`, as callers should.
    Repeat,
    /// Senders record the failure and continue with the next message.
    Note,
}

pub struct Load<'a> {
    /// The port of the server that the senders use.
    pub port: u16,
    /// The organizations. The senders use them in turn.
    pub organizations: &'a [Organization],
    pub senders: usize,
    /// The pause between a sender's messages in milliseconds; it is up to twice as long.
    pub pause: u64,
    /// The senders' reaction to a failed request.
    pub failed: Failed,
    /// The stopwatch by which all times are measured.
    pub watch: Stopwatch,
}

#[derive(Clone, Debug)]
pub struct Failure {
    /// The time before the request that failed.
    pub begun: Duration,
    /// The time of the failure.
    pub ended: Duration,
    /// The status of the answer, or `None` if there was no answer.
    pub status: Option<u16>,
    /// The failure in words.
    pub what: String,
    /// Whether the answer said when to retry.
    pub says_when: bool,
}

/// The result of a load.
#[derive(Default)]
pub struct Outcome {
    /// The accepted messages, each sender's in order.
    pub sent: Vec<Sent>,
    pub failed: Vec<Failure>,
}

impl Outcome {
    /// Formats counts of all failures.
    pub fn failures(&self) -> String {
        let mut tally = Tally::new();
        for failure in &self.failed {
            *tally.entry(failure.what.clone()).or_default() += 1;
        }
        let each = tally.iter().map(|(what, count)| format!("{what}: {count}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Returns the longest time from the first request for a message to its 201.
    pub fn longest_wait(&self) -> Duration {
        let waits = self.sent.iter().map(|it| it.accepted.acked.saturating_sub(it.accepted.begun));
        waits.max().unwrap_or_default()
    }
}

/// Returns the recipient: one of two contacts of the sender, or one of two contacts that all
/// senders of the organization share.
fn person(sender: usize, turn: u64) -> String {
    match turn % 4 {
        0 => format!("+12026{sender:03}001"),
        1 => format!("+12026{sender:03}002"),
        2 => "+12026999001".to_owned(),
        _ => "+12026999002".to_owned(),
    }
}

/// Returns the contacts of every `step`-th sender, beginning with sender `first`.
pub fn people(first: usize, step: usize, senders: usize) -> Vec<String> {
    let mut people: Vec<String> = (first..senders)
        .step_by(step)
        .flat_map(|sender| (0..4).map(move |turn| person(sender, turn)))
        .collect();
    people.sort_unstable();
    people.dedup();
    people
}

impl Load<'_> {
    /// Sends messages while `work` runs.
    pub fn during(&self, work: impl FnOnce() -> Result<()>) -> Result<Outcome> {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let stop = &stop;
            let senders: Vec<_> = (0..self.senders)
                .map(|number| scope.spawn(move || self.sender(number, stop)))
                .collect();
            let worked = work();
            stop.store(true, Ordering::Relaxed);
            let mut all = Outcome::default();
            for sender in senders {
                let Ok(outcome) = sender.join() else { bail!("a sender panicked") };
                let outcome = outcome?;
                all.sent.extend(outcome.sent);
                all.failed.extend(outcome.failed);
            }
            worked.map(|()| all)
        })
    }

    fn sender(&self, number: usize, stop: &AtomicBool) -> Result<Outcome> {
        let organization = number % self.organizations.len();
        let of = self.organizations.get(organization).context("no organization")?;
        let mut client = client(self.port, &of.key);
        let (mut chance, mut outcome) = (Chance::new(number as u64), Outcome::default());
        for turn in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            interrupt::check()?;
            let (to, reference) = (person(number, turn), format!("{number}-{turn}"));
            let begun = self.watch.elapsed();
            if let Some((id, took)) =
                self.send(&mut client, &to, &reference, &mut outcome.failed)?
            {
                let accepted = Accepted { begun, acked: self.watch.elapsed() };
                outcome.sent.push(Sent { organization, reference, id, accepted, took });
            }
            thread::sleep(chance.millis(self.pause, self.pause));
        }
        Ok(outcome)
    }

    /// Sends a message. Returns its id and the duration of the last request, or `None` if it failed
    /// and is not repeated.
    fn send(
        &self,
        client: &mut Client,
        to: &str,
        reference: &str,
        failed: &mut Vec<Failure>,
    ) -> Result<Option<(String, Duration)>> {
        const AGAIN: Duration = Duration::from_millis(50);
        const PATIENCE: Duration = Duration::from_mins(6);
        let watch = Stopwatch::start();
        loop {
            interrupt::check()?;
            let begun = self.watch.elapsed();
            let (status, what, says_when) = match text(client, to, reference) {
                Ok(answer) if answer.status == 201 => {
                    return id(&answer).map(|id| Some((id, answer.took)));
                }
                Ok(answer) => {
                    let what = format!("{} {}", answer.status, code(&answer)).trim().to_owned();
                    (Some(answer.status), what, answer.header("retry-after").is_some())
                }
                Err(error) => (None, format!("no answer ({})", error.root_cause()), false),
            };
            let said = what.clone();
            failed.push(Failure { begun, ended: self.watch.elapsed(), status, what, says_when });
            if self.failed == Failed::Note {
                return Ok(None);
            }
            if watch.elapsed() > PATIENCE {
                bail!("a message was not accepted within {} s: {said}", PATIENCE.as_secs());
            }
            thread::sleep(AGAIN);
        }
    }
}

/// Sends a text without repeating a failed request.
pub fn text(client: &mut Client, to: &str, reference: &str) -> Result<Answer> {
    let body =
        json!({"type": "text", "phone_number": to, "text": reference, "client_ref": reference});
    let key = [("Idempotency-Key", reference)];
    client.ask_once("POST", "/api/v1/messages", &key, &body.to_string())
}

/// Returns the id that an answer contains.
pub fn id(answer: &Answer) -> Result<String> {
    let body: Value = serde_json::from_str(&answer.body)?;
    let id = body.get("id").and_then(Value::as_str).map(str::to_owned);
    id.with_context(|| format!("an answer without an id: {}", answer.body))
}

/// Returns the error code of an answer. Returns an empty text if the answer is not from the server.
pub fn code(answer: &Answer) -> String {
    // A proxy's answer is not JSON.
    let body: Option<Value> = serde_json::from_str(&answer.body).ok();
    let body = body.unwrap_or_default();
    body.get("code").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_person_is_listed_once() {
        let people = people(1, 2, 4);
        assert_eq!(people.len(), 2 * 2 + 2);
        assert!(people.contains(&person(3, 1)) && people.contains(&person(0, 2)), "{people:?}");
        assert!(!people.contains(&person(2, 0)));
    }
}
