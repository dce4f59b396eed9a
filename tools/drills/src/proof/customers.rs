//! Customers who write to an organization with an AI agent, and people of the organization who
//! sometimes reply at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;

use super::chance::Chance;
use super::operator::{Organization, client};
use super::sender::{code, id, text};
use bench::client::{Answer, Client};
use servers::clock::Stopwatch;
use servers::interrupt;

const INBOUND: &str = "/api/v1/sandbox/inbound";
/// The number of times that a customer writes in one conversation. If there were five quick answers
/// of the agent, the server would assume a loop between two programs.
const ROUNDS: u64 = 4;
/// A customer writes twice in a row in one of this many rounds.
const TWICE: u64 = 3;
/// A person replies in one of this many rounds.
const REPLIED: u64 = 6;
/// The longest time in milliseconds between a customer's message and a person's reply. It is long
/// enough for replies before, during and after the agent's answer.
const REPLIED_WITHIN: u64 = 400;
/// The longest time in milliseconds between two messages in a row.
const IN_A_ROW: u64 = 80;
const AGAIN: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_mins(6);

/// Customers who write in the sandbox, each in one conversation after the other.
pub struct CustomerLoad {
    /// The port of the server that the customers write to.
    pub port: u16,
    pub organization: Organization,
    /// The number of customers who write at the same time.
    pub customers: usize,
    /// The pause between a customer's messages in milliseconds; it is up to twice as long.
    pub pause: u64,
}

/// The messages that were accepted.
#[derive(Default)]
pub struct CustomerOutcome {
    /// The customers' phone numbers, one for each conversation.
    pub people: Vec<String>,
    /// The ids of the customers' messages that were answered with 201.
    pub written: Vec<String>,
    /// The ids of people's replies that were answered with 201.
    pub replied: Vec<String>,
    /// The number of requests that were repeated.
    pub repeated: u64,
}

impl CustomerOutcome {
    /// Adds the messages of another outcome.
    pub fn add(&mut self, other: Self) {
        self.people.extend(other.people);
        self.written.extend(other.written);
        self.replied.extend(other.replied);
        self.repeated += other.repeated;
    }
}

/// Returns the phone number of a customer in a conversation.
fn person(customer: usize, conversation: u64) -> String {
    format!("+12027{:02}{:04}", customer % 100, conversation % 10_000)
}

impl CustomerLoad {
    /// Lets the customers write while `work` runs.
    pub fn during<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, CustomerOutcome)> {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let stop = &stop;
            let customers: Vec<_> = (0..self.customers)
                .map(|number| scope.spawn(move || self.customer(number, stop)))
                .collect();
            let worked = work();
            stop.store(true, Ordering::Relaxed);
            let mut all = CustomerOutcome::default();
            for customer in customers {
                let Ok(outcome) = customer.join() else { bail!("a customer panicked") };
                all.add(outcome?);
            }
            worked.map(|done| (done, all))
        })
    }

    fn customer(&self, number: usize, stop: &AtomicBool) -> Result<CustomerOutcome> {
        let client = client(self.port, &self.organization.key);
        let (chance, outcome) = (Chance::new(number as u64), CustomerOutcome::default());
        let mut customer = Customer { pause: self.pause, client, chance, outcome };
        for conversation in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            customer.converse(person(number, conversation), stop)?;
        }
        Ok(customer.outcome)
    }
}

/// A customer, and the person who replies to them.
struct Customer {
    pause: u64,
    client: Client,
    chance: Chance,
    outcome: CustomerOutcome,
}

impl Customer {
    /// Holds one conversation. A person's reply pauses the agent, so the conversation ends soon
    /// after such a reply.
    fn converse(&mut self, person: String, stop: &AtomicBool) -> Result<()> {
        for round in 0..ROUNDS {
            self.write(&person, &format!("{round}-0"))?;
            if self.chance.below(TWICE) == 0 {
                thread::sleep(self.chance.millis(0, IN_A_ROW));
                self.write(&person, &format!("{round}-1"))?;
            }
            let is_replied = self.chance.below(REPLIED) == 0;
            if is_replied {
                thread::sleep(self.chance.millis(0, REPLIED_WITHIN));
                self.reply(&person)?;
                // The reply has paused the agent, so the agent must not answer this message.
                self.write(&person, &format!("{round}-2"))?;
            }
            thread::sleep(self.chance.millis(self.pause, self.pause));
            if is_replied || stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.outcome.people.push(person);
        Ok(())
    }

    /// Writes as the customer. Each attempt has a different text, because an attempt without an
    /// answer may have been accepted.
    fn write(&mut self, person: &str, name: &str) -> Result<()> {
        let question = format!("Question {}-{name}", person.trim_start_matches('+'));
        let written = self.until_accepted(|client, attempt| {
            let body = json!({"phone_number": person, "text": format!("{question}-{attempt}")});
            client.ask_once("POST", INBOUND, &[], &body.to_string())
        })?;
        self.outcome.written.push(written);
        Ok(())
    }

    /// Replies as a person of the organization, over the API.
    fn reply(&mut self, person: &str) -> Result<()> {
        let reference = format!("reply-{}", person.trim_start_matches('+'));
        let replied = self.until_accepted(|client, _| text(client, person, &reference))?;
        self.outcome.replied.push(replied);
        Ok(())
    }

    /// Repeats a request, whose attempts are counted from 0, until it is answered with 201. Returns
    /// the id in the answer.
    fn until_accepted(
        &mut self,
        mut request: impl FnMut(&mut Client, u64) -> Result<Answer>,
    ) -> Result<String> {
        let (watch, mut attempt) = (Stopwatch::start(), 0);
        loop {
            interrupt::check()?;
            let said = match request(&mut self.client, attempt) {
                Ok(answer) if answer.status == 201 => return id(&answer),
                Ok(answer) => format!("{} {}", answer.status, code(&answer)),
                Err(error) => format!("no answer ({})", error.root_cause()),
            };
            if watch.elapsed() > PATIENCE {
                bail!("a message was not accepted within {} s: {said}", PATIENCE.as_secs());
            }
            attempt += 1;
            self.outcome.repeated += 1;
            thread::sleep(AGAIN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conversation_has_its_own_number() {
        assert_eq!(person(3, 12), "+12027030012");
        assert_ne!(person(1, 0), person(0, 1));
    }
}
