//! The actions of a simulation.

use super::life::until_crash;
use super::stage::{ALLOWANCE, Known, Stage};
use crate::cloud::{NOON, NUMBER, TestRng};
use crate::webhooks::receiver::{Answers, Received};
use crate::world::graph::callbacks::{self, Inbound};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::content::{Content, TextContent};
use domain::instance::WorkKind;
use domain::message::{Draft, Recipient};
use domain::time::Timestamp;
use domain::violation::Violations;
use persistence::records::PersonKey;
use platform::Deps;
use serde_json::Value;
use service::callbacks as kept;
use service::sending::{Author, SendError, SendOutcome, Sender, send};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use workers::agents::opening_hours;

/// The number of contacts.
pub const PEOPLE: usize = 3;
/// The statuses of a message, in order.
pub const STATUSES: [&str; 4] = ["queued", "sent", "delivered", "read"];

pub fn number(person: usize) -> String {
    format!("1650555{person:04}")
}

/// Returns whether a step completed, which is false after a crash.
fn done<T>(outcome: Option<persistence::Result<T>>) -> bool {
    outcome.map(Result::unwrap).is_some()
}

impl Stage {
    /// Performs one random action. Returns false if the server crashed during it.
    pub async fn act(&mut self, deps: &Arc<Deps>, chance: &mut TestRng) -> bool {
        let (what, survived) = match chance.roll(21) {
            16 => return self.issue_code(deps, chance).await,
            17 => return self.exchange(deps, chance).await,
            18 | 19 => {
                ("agents::step", done(until_crash(chance, workers::agents::step(deps)).await))
            }
            20 => return self.resume(deps, chance).await,
            0..=3 => return self.send(deps, chance).await,
            4 | 5 => ("send::step", done(until_crash(chance, workers::send::step(deps)).await)),
            6 | 7 => {
                let step = workers::callbacks::step(deps);
                ("callbacks::step", done(until_crash(chance, step).await))
            }
            8 => ("fan_out", done(until_crash(chance, workers::webhook::fan_out(deps)).await)),
            9 => ("webhook::send", done(until_crash(chance, workers::webhook::send(deps)).await)),
            10 => {
                let step = workers::housekeeping::step(deps, true);
                ("housekeeping::step", done(until_crash(chance, step).await))
            }
            11 | 12 => return self.report_status(deps, chance).await,
            13 => return self.write(deps, chance).await,
            14 => {
                let answers = [Answers::With(200), Answers::With(500), Answers::With(302)];
                self.receiver.answer(answers[chance.roll(answers.len())].clone());
                ("the endpoint answers otherwise", true)
            }
            _ => {
                self.jump(chance);
                ("the clock jumps", true)
            }
        };
        self.happened(what, survived);
        survived
    }

    pub fn happened(&mut self, what: &str, survived: bool) {
        let crashed = if survived { "" } else { ", and a crash" };
        self.model.history.push(format!("{} {what}{crashed}", self.clock.now()));
    }

    /// Moves the clock forward, or sets it back as an operator would.
    fn jump(&self, chance: &mut TestRng) {
        let by = Duration::from_secs(u64::try_from(chance.roll(400)).unwrap());
        if by.as_secs().is_multiple_of(8) {
            self.clock.step_back(9 * by);
        } else {
            self.clock.set(self.clock.now().plus(by));
        }
    }

    async fn send(&mut self, deps: &Deps, chance: &mut TestRng) -> bool {
        let person = chance.roll(PEOPLE);
        let text = format!("{person}:{}", self.model.sent.len());
        let to = format!("+{}", number(person));
        let words = TextContent::parse(Some(&text), None, &mut Violations::default());
        let draft = Draft {
            recipient: Recipient::Phone(domain::phone::PhoneNumber::parse(&to).unwrap()),
            content: Content::Text(words.unwrap()),
            reply_to: None,
            client_ref: None,
            metadata: BTreeMap::default(),
            fallback: None,
        };
        let sender = Sender {
            organization: self.organization,
            account: self.account,
            bound_to: None,
            allowance: Some(ALLOWANCE),
            key: None,
            connection_key: None,
            cap: None,
            author: Author::Api,
            member: None,
            pauses_agent: chance.roll(2) == 0,
        };
        let outcome = until_crash(chance, send(deps, &sender, draft, None)).await;
        self.happened(&format!("send {text}"), outcome.is_some());
        match outcome {
            Some(Ok(SendOutcome::Accepted(_))) => {
                self.model.sent.push((person, text, Known::Accepted));
            }
            Some(Err(SendError::AllowanceReached(_))) => self.model.refused += 1,
            Some(other) => panic!("seed {}: {other:?}", self.seed),
            None => {
                self.model.sent.push((person, text, Known::Unknown));
                return false;
            }
        }
        true
    }

    /// Lets the agent answer again in a random conversation.
    async fn resume(&mut self, deps: &Deps, chance: &mut TestRng) -> bool {
        let to = Address::read(&format!("+{}", number(chance.roll(PEOPLE)))).unwrap();
        let organization = deps.db.organization(self.organization);
        let found = organization.list_conversations(PersonKey::Address(to, self.account)).await;
        let found = found.unwrap();
        let Some(found) = found.first() else { return true };
        let resumed = organization.resume_agent(found.conversation.id, None, deps.clock.now());
        let survived = done(until_crash(chance, resumed).await);
        self.happened("the agent is resumed", survived);
        survived
    }

    /// Reports a random status of an accepted message, or repeats an earlier callback.
    async fn report_status(&mut self, deps: &Deps, chance: &mut TestRng) -> bool {
        let known = &self.model.answered;
        if !known.is_empty() && chance.roll(4) == 0 {
            let callback = known[chance.roll(known.len())].clone();
            return self.callback(deps, chance, callback).await;
        }
        let mut accepted = self.graph.accepted();
        // The messages of the agent have one text, by which the model does not know them.
        accepted.retain(|it| it.body["text"]["body"] != opening_hours::OTHERWISE);
        if accepted.is_empty() {
            return true;
        }
        let message = &accepted[chance.roll(accepted.len())];
        let state = STATUSES[1 + chance.roll(3)];
        let (wamid, ours) = (&message.wamid, message.ours.as_deref());
        let mut callback = callbacks::status(NUMBER, wamid, ours, state, self.second(), None);
        let status = &mut callback["entry"][0]["changes"][0]["value"]["statuses"][0];
        status["recipient_id"] = message.to.trim_start_matches('+').into();
        self.callback(deps, chance, callback).await
    }

    /// Reports a new message from a contact.
    async fn write(&mut self, deps: &Deps, chance: &mut TestRng) -> bool {
        let person = chance.roll(PEOPLE);
        let text = format!("{person}:in:{}", self.model.written.len());
        let (from, id) = (number(person), format!("wamid.{text}"));
        let callback = Inbound::new(NUMBER, &from, &id, self.second()).text(&text);
        self.model.written.push(text);
        self.callback(deps, chance, callback).await
    }

    async fn callback(&mut self, deps: &Deps, chance: &mut TestRng, callback: Value) -> bool {
        let keep = kept::store(deps, ChannelKind::CloudApi, callback.to_string());
        let answered = done(until_crash(chance, keep).await);
        let value = &callback["entry"][0]["changes"][0]["value"];
        let (status, message) = (&value["statuses"][0], &value["messages"][0]);
        let told =
            [&status["status"], &status["id"], &status["biz_opaque_callback_data"], &message["id"]];
        self.happened(&format!("callback {told:?}"), answered);
        if answered {
            self.note(&callback);
        } else {
            // The channel got no response.
            self.model.unanswered.push(callback);
        }
        answered
    }

    /// Repeats a callback that got no response.
    pub async fn report(&mut self, deps: &Deps, callback: &Value) {
        kept::store(deps, ChannelKind::CloudApi, callback.to_string()).await.unwrap();
        self.note(callback);
    }

    /// Records a callback that got a response: its content must take effect.
    fn note(&mut self, callback: &Value) {
        self.model.answered.push(callback.clone());
        let status = &callback["entry"][0]["changes"][0]["value"]["statuses"][0];
        let Some(wamid) = status["id"].as_str() else { return };
        let accepted = self.graph.accepted();
        let of = accepted.iter().find(|it| it.wamid == wamid).expect("the channel has it");
        let text = of.body["text"]["body"].as_str().unwrap().to_owned();
        let rank = STATUSES.iter().position(|it| status["status"] == *it).unwrap();
        let farthest = self.model.reported.entry(text).or_default();
        *farthest = rank.max(*farthest);
    }

    fn second(&self) -> i64 {
        (self.clock.now().micros() / 1_000_000).max(NOON)
    }

    /// Returns whether nothing is left to do, and the endpoint has received every event.
    pub async fn is_done(&self, deps: &Deps) -> bool {
        let operator = deps.db.operator();
        let report = operator.next_report_due(Timestamp::from_micros(0)).await.unwrap();
        let work = operator.unclaimed_work(WorkKind::Messages, 1).await.unwrap();
        let events = deps.db.organization(self.organization).events_between(0, i64::MAX, 10_000);
        let told: BTreeSet<i64> = self.receiver.received().iter().map(Received::sequence).collect();
        // An endpoint gets no events about itself.
        let mut events = events.await.unwrap();
        events.retain(|it| !it.kind.to_string().starts_with("endpoint."));
        work.is_empty() && report.is_none() && events.iter().all(|it| told.contains(&it.sequence))
    }
}
