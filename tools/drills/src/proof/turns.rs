//! Checks the answers of an AI agent over the API: each turn ends once, no message is answered
//! twice, and no answer follows a person's reply.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use anyhow::{Context, Result};
use domain::agent::TurnState;
use domain::conversation::MessageSource;
use domain::event::EventKind;
use domain::id::{MessageId, TurnId};
use domain::keyword::Keyword as _;
use serde_json::Value;

use super::customers::CustomerOutcome;
use super::evidence::{Evidence, first, zero};
use super::history::{Event, Record, optional};
use super::model::answered;
use super::order;
use super::report::{Bound, Figure};
use super::sender::Tally;
use bench::load::float;

/// A turn that has ended.
struct EndedTurn {
    id: TurnId,
    state: TurnState,
    reason: Option<String>,
    /// The ids of the messages that were sent.
    messages: Vec<String>,
}

/// The turns of an organization's AI agent, and its conversations.
pub struct Turns<'a> {
    evidence: &'a Evidence,
    ended: Vec<EndedTurn>,
}

/// The counts of turns that are printed.
pub struct TurnSummary {
    states: BTreeMap<TurnState, u64>,
    /// The reasons of failures.
    failed: Tally,
    duplicates: usize,
    gaps: u64,
}

impl EndedTurn {
    /// Reads the event of a turn that has ended.
    fn of(event: &Event) -> Result<Self> {
        let missing = |what: &str| format!("event {} has no {what}", event.sequence);
        let id: TurnId = event.about.parse().with_context(|| missing("turn"))?;
        let state = optional(&event.data, "state").and_then(TurnState::from_keyword);
        let sent = event.data.get("message_ids").and_then(Value::as_array);
        let sent = sent.with_context(|| missing("list of messages"))?;
        Ok(Self {
            id,
            state: state.with_context(|| missing("state"))?,
            reason: optional(&event.data, "reason").map(str::to_owned),
            messages: sent.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        })
    }

    /// Whether this message is the first one that the turn answers.
    fn begins_with(&self, record: &Record) -> bool {
        let message = record.id.parse::<MessageId>();
        message.is_ok_and(|it| TurnId::made_for(&it, self.id.made_at()) == self.id)
    }

    /// Whether the number of messages fits the state: one if the turn is answered, otherwise none.
    fn has_its_messages(&self) -> bool {
        self.messages.len() == usize::from(self.state == TurnState::Answered)
    }

    /// Whether the turn ended with an answer, or with a reason why there is no answer.
    fn is_explained(&self) -> bool {
        match self.state {
            TurnState::Answered | TurnState::Silent | TurnState::HandedOver => true,
            TurnState::Failed | TurnState::Skipped | TurnState::Superseded => {
                self.reason.as_ref().is_some_and(|reason| !reason.is_empty())
            }
            // These states are not explained. The agent is not in draft mode, and a turn that has
            // ended is neither waiting nor asking.
            TurnState::Drafted | TurnState::Waiting | TurnState::Asking => false,
        }
    }
}

impl<'a> Turns<'a> {
    /// Reads the ends of the turns from the events.
    pub fn of(evidence: &'a Evidence) -> Result<Self> {
        let ends = evidence.events().iter();
        let ends = ends.filter(|it| it.kind == EventKind::AgentTurnFinished.as_str());
        let ended = ends.map(EndedTurn::of).collect::<Result<_>>()?;
        Ok(Self { evidence, ended })
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.evidence.conversations.values().flatten()
    }

    /// Checks the turns. `rows` is the number of turns in the database.
    pub fn figures(
        &self,
        drill: &'static str,
        whose: &str,
        rows: u64,
        outcome: &CustomerOutcome,
    ) -> (Vec<Figure>, TurnSummary) {
        let none = |what: &str, count: usize| zero(drill, format!("{whose}: {what}"), count as u64);
        let listed = |what: &str, ids: &[&str]| none(what, ids.len()).noted(first(ids));
        let said = |what: &str, count: u64, bound: Bound| {
            Figure::new(drill, format!("{whose}: {what}"), float(count), bound)
        };

        let distinct: BTreeSet<TurnId> = self.ended.iter().map(|it| it.id).collect();
        let twice = self.ended.len() - distinct.len();
        let unreported = rows.abs_diff(distinct.len() as u64);
        let surplus: usize = self.ended.iter().map(|it| it.messages.len().saturating_sub(1)).sum();
        let unexplained = self.ended.iter().filter(|it| !it.is_explained()).count();
        let other_messages = self.ended.iter().filter(|it| !it.has_its_messages()).count();

        let by_agent = self.records().filter(|it| it.source == MessageSource::Agent);
        let by_agent: Vec<&str> = by_agent.map(|it| it.id.as_str()).collect();
        let of_turns = self.ended.iter().flat_map(|it| &it.messages).map(String::as_str);
        let (unknown, absent) = order::compare(by_agent.iter().copied(), of_turns);

        let turns = self.by_message();
        let (mut again, mut baseless) = (Vec::new(), Vec::new());
        let (mut after_people, mut waiting) = (Vec::new(), Vec::new());
        for (person, records) in &self.evidence.conversations {
            let (several, without) = answered_again(records, &turns);
            again.extend(several);
            baseless.extend(without);
            after_people.extend(after_person(records));
            if self.waits(records) {
                waiting.push(person.as_str());
            }
        }

        let gaps = order::gaps(1, self.evidence.sequences());
        let summary = TurnSummary {
            states: self.states(),
            failed: self.failures(),
            duplicates: twice + surplus + again.len(),
            gaps,
        };
        let answers = summary.states.get(&TurnState::Answered).copied().unwrap_or_default();
        let written = outcome.written.len() as u64;
        let mut figures = vec![
            said("messages that customers wrote", written, Bound::AtLeast(1.0)),
            said("replies of people", outcome.replied.len() as u64, Bound::None),
            said("requests that were repeated", outcome.repeated, Bound::None),
            said("turns", distinct.len() as u64, Bound::AtLeast(1.0)).noted(summary.ends()),
            said("of them answered", answers, Bound::AtLeast(1.0)),
            said("of them failed", summary.failed.values().sum(), Bound::None)
                .noted(summary.reasons()),
            none("turns that ended twice", twice),
            zero(drill, format!("{whose}: turns without the event of their end"), unreported),
            none("turns without an answer and without a reason", unexplained),
            none("turns with other messages than one answer", other_messages),
            listed("messages of the agent without exactly one turn", &[unknown, absent].concat()),
            listed("messages of customers that the agent answered twice", &again),
            listed("answers of the agent to no message of a customer", &baseless),
            listed("answers of the agent after a person's reply", &after_people),
            listed(
                "answers of the agent after the event of its pause",
                &after_pause(self.evidence.events()),
            ),
            listed("conversations that wait for the agent", &waiting),
        ];
        figures.extend(self.of_messages(drill, whose, outcome));
        let sequences = format!("{whose}: gaps in the sequence of {} events", self.events());
        figures.push(zero(drill, sequences, gaps));
        (figures, summary)
    }

    fn events(&self) -> usize {
        self.evidence.events().len()
    }

    /// Checks that each acknowledged message is in the history once, with one event.
    fn of_messages(
        &self,
        drill: &'static str,
        whose: &str,
        outcome: &CustomerOutcome,
    ) -> Vec<Figure> {
        let listed = |what: &str, ids: &[&str]| {
            zero(drill, format!("{whose}: {what}"), ids.len() as u64).noted(first(ids))
        };
        let acknowledged = outcome.written.iter().chain(&outcome.replied).map(String::as_str);
        let found = self.records().map(|it| it.id.as_str());
        // The history may also contain attempts that were not answered.
        let (missing, _) = order::compare(acknowledged, found);
        let is_customers = |it: &&Record| it.source == MessageSource::Customer;
        let texts: Vec<&str> =
            self.records().filter(is_customers).map(|it| it.text.as_str()).collect();
        let distinct: BTreeSet<&str> = texts.iter().copied().collect();
        let (_, twice) = order::compare(distinct, texts);
        let replies = self.records().filter(|it| it.source == MessageSource::Api);
        let replies: Vec<&str> = replies.map(|it| it.id.as_str()).collect();
        let (_, surplus) = order::compare(outcome.replied.iter().map(String::as_str), replies);
        let mut figures = vec![
            listed("messages answered 201, and not in the history", &missing),
            listed("messages of customers that are in the history twice", &twice),
            listed("replies of people in the history, and not answered 201", &surplus),
        ];
        for (kind, is_inbound) in
            [(EventKind::MessageQueued, false), (EventKind::MessageReceived, true)]
        {
            let told = self.evidence.events().iter().filter(|it| it.kind == kind.as_str());
            let told: Vec<&str> = told.map(|it| it.about.as_str()).collect();
            let records =
                self.records().filter(|it| (it.source == MessageSource::Customer) == is_inbound);
            let (missing, more) = order::compare(records.map(|it| it.id.as_str()), told);
            let what = format!("messages without exactly one {kind}");
            figures.push(listed(&what, &[missing, more].concat()));
        }
        figures
    }

    /// Returns the turns by the ids of the messages that they sent.
    fn by_message(&self) -> BTreeMap<&str, &EndedTurn> {
        let each = self
            .ended
            .iter()
            .flat_map(|turn| turn.messages.iter().map(move |message| (message.as_str(), turn)));
        each.collect()
    }

    fn states(&self) -> BTreeMap<TurnState, u64> {
        let mut states = BTreeMap::new();
        for turn in &self.ended {
            *states.entry(turn.state).or_default() += 1;
        }
        states
    }

    /// Counts the failed turns by their reasons, without the details after the colon.
    fn failures(&self) -> Tally {
        let mut failures = Tally::new();
        for turn in self.ended.iter().filter(|it| it.state == TurnState::Failed) {
            let reason = turn.reason.as_deref().unwrap_or("no reason");
            let reason = reason.split(':').next().unwrap_or_default();
            *failures.entry(reason.to_owned()).or_default() += 1;
        }
        failures
    }

    /// Whether the agent still has to answer in a conversation: the last message is the customer's,
    /// no person has replied, and the last turn did not end without an answer.
    fn waits(&self, records: &[Record]) -> bool {
        let is_answered = records.iter().rev().find_map(|it| match it.source {
            MessageSource::Customer => Some(false),
            MessageSource::Agent => Some(true),
            MessageSource::Api | MessageSource::Inbox | MessageSource::Phone => None,
        });
        let has_reply = records.iter().any(|it| it.source == MessageSource::Api);
        if has_reply || is_answered != Some(false) {
            return false;
        }
        let turn = |record: &Record| self.ended.iter().find(|it| it.begins_with(record));
        let last = records.iter().rev().find_map(turn);
        last.is_none_or(|it| matches!(it.state, TurnState::Answered | TurnState::Superseded))
    }
}

/// Returns the customer's messages that several answers belong to, and the answers that belong to
/// no message. An answer belongs to all messages from the first one of its turn to the one that the
/// answer names.
fn answered_again<'a>(
    records: &'a [Record],
    turns: &BTreeMap<&str, &EndedTurn>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut times = vec![0_u32; records.len()];
    let mut baseless = Vec::new();
    for record in records.iter().filter(|it| it.source == MessageSource::Agent) {
        let turn = turns.get(record.id.as_str());
        let from = turn.and_then(|turn| records.iter().position(|it| turn.begins_with(it)));
        let named = |text: &str| {
            let is_it = |it: &Record| it.source == MessageSource::Customer && it.text == text;
            records.iter().position(is_it)
        };
        match (from, answered(&record.text).and_then(named)) {
            (Some(from), Some(to)) if from <= to => {
                times.iter_mut().take(to + 1).skip(from).for_each(|it| *it += 1);
            }
            _ => baseless.push(record.id.as_str()),
        }
    }
    let each = records.iter().zip(times);
    let again = each.filter(|(it, times)| it.source == MessageSource::Customer && *times > 1);
    (again.map(|(it, _)| it.id.as_str()).collect(), baseless)
}

/// Returns the agent's messages after the first reply of a person.
fn after_person(records: &[Record]) -> impl Iterator<Item = &str> {
    let since = records.iter().skip_while(|it| it.source != MessageSource::Api);
    since.filter(|it| it.source == MessageSource::Agent).map(|it| it.id.as_str())
}

/// Returns the agent's messages that were accepted while the agent was paused, according to the
/// order of events.
fn after_pause(events: &[Event]) -> Vec<&str> {
    let (mut paused, mut found) = (BTreeSet::new(), Vec::new());
    for event in events {
        match EventKind::from_keyword(&event.kind) {
            Some(EventKind::ConversationAgentPaused) => {
                paused.insert(event.about.as_str());
            }
            Some(EventKind::ConversationAgentResumed) => {
                paused.remove(event.about.as_str());
            }
            Some(EventKind::MessageQueued) => {
                let source = optional(&event.data, "source");
                let conversation = optional(&event.data, "conversation_id");
                if source == Some(MessageSource::Agent.as_str())
                    && conversation.is_some_and(|it| paused.contains(it))
                {
                    found.push(event.about.as_str());
                }
            }
            _ => {}
        }
    }
    found
}

impl TurnSummary {
    /// Formats the counts of turns by their final state.
    fn ends(&self) -> String {
        let each = self.states.iter().map(|(state, count)| format!("{state}: {count}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Formats the counts of the reasons of failures.
    fn reasons(&self) -> String {
        let each = self.failed.iter().map(|(reason, count)| format!("{reason}: {count}"));
        each.collect::<Vec<_>>().join(", ")
    }
}

impl Display for TurnSummary {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let turns: u64 = self.states.values().sum();
        write!(out, "{turns} turns ({}), ", self.ends())?;
        if !self.failed.is_empty() {
            write!(out, "failures ({}), ", self.reasons())?;
        }
        write!(out, "{} duplicates, {} gaps", self.duplicates, self.gaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;
    use serde_json::json;
    use servers::clock;

    /// Returns the id of a message.
    fn uuid(number: u8) -> MessageId {
        MessageId::new(Timestamp::from_seconds(1_800_000_000), [number; 10])
    }

    /// Returns the id of the turn that a message began.
    fn turn_id(first: u8) -> TurnId {
        TurnId::made_for(&uuid(first), Timestamp::from_seconds(1_800_000_008))
    }

    fn record(source: MessageSource, number: u8, text: &str) -> Record {
        Record {
            id: uuid(number).to_string(),
            reference: String::new(),
            status: String::new(),
            source,
            text: text.to_owned(),
            created_at: clock::now(),
            sent_at: None,
        }
    }

    fn asked(number: u8) -> Record {
        record(MessageSource::Customer, number, &format!("Question {number}"))
    }

    fn answer(number: u8, question: u8) -> Record {
        record(MessageSource::Agent, number, &format!("Answer to Question {question}"))
    }

    fn ended(first: u8, state: TurnState, messages: &[u8]) -> EndedTurn {
        EndedTurn {
            id: turn_id(first),
            state,
            reason: None,
            messages: messages.iter().map(|it| uuid(*it).to_string()).collect(),
        }
    }

    fn event(kind: EventKind, about: &str, data: Value) -> Event {
        let (kind, about) = (kind.as_str().to_owned(), about.to_owned());
        Event { sequence: 1, kind, about, at: clock::now(), data }
    }

    /// Checks how many messages are answered twice, and how many answers have no message or turn.
    #[track_caller]
    fn has_wrong_answers(
        records: &[Record],
        turns: &[EndedTurn],
        repeated: usize,
        unfounded: usize,
    ) {
        let each = turns.iter().flat_map(|turn| turn.messages.iter().map(move |it| (it, turn)));
        let turns: BTreeMap<&str, &EndedTurn> =
            each.map(|(it, turn)| (it.as_str(), turn)).collect();
        let (twice, baseless) = answered_again(records, &turns);
        assert_eq!(twice.len(), repeated);
        assert_eq!(baseless.len(), unfounded);
    }

    #[test]
    fn a_message_has_one_answer() {
        let answered = |first, message| ended(first, TurnState::Answered, &[message]);
        // Two messages belong to one turn, and the next message to another.
        let records = [asked(1), asked(2), answer(3, 2), asked(4), answer(5, 4)];
        has_wrong_answers(&records, &[answered(1, 3), answered(4, 5)], 0, 0);
        // The second turn begins with a message that the first one has answered.
        has_wrong_answers(&records, &[answered(1, 3), answered(2, 5)], 1, 0);
        // The same message is answered twice.
        let records = [asked(1), answer(2, 1), answer(3, 1)];
        has_wrong_answers(&records, &[answered(1, 2), answered(1, 3)], 1, 0);
        // The second answer has no turn. Then there is an answer to a message that does not exist.
        has_wrong_answers(&records, &[answered(1, 2)], 0, 1);
        has_wrong_answers(&[answer(2, 1)], &[answered(1, 2)], 0, 1);
    }

    #[test]
    fn nothing_is_said_after_a_person() {
        let reply = || record(MessageSource::Api, 9, "Reply");
        let count = |records: &[Record]| after_person(records).count();
        assert_eq!(count(&[asked(1), answer(2, 1), reply(), asked(3)]), 0);
        assert_eq!(count(&[asked(1), reply(), answer(2, 1)]), 1);
        let said = |source: &str| json!({"source": source, "conversation_id": "conv_1"});
        let paused = event(EventKind::ConversationAgentPaused, "conv_1", json!({}));
        let queued = |source| event(EventKind::MessageQueued, "msg_1", said(source));
        assert!(after_pause(&[queued("agent"), paused.clone(), queued("api")]).is_empty());
        assert_eq!(after_pause(&[paused.clone(), queued("agent")]), ["msg_1"]);
        let resumed = event(EventKind::ConversationAgentResumed, "conv_1", json!({}));
        assert!(after_pause(&[paused, resumed, queued("agent")]).is_empty());
    }

    #[test]
    fn a_turn_says_how_it_ended() {
        let id = turn_id(1).to_string();
        let data = json!({
            "state": "failed", "reason": "HTTP 503: overloaded", "message_ids": [],
        });
        let turn = EndedTurn::of(&event(EventKind::AgentTurnFinished, &id, data)).unwrap();
        assert!(turn.begins_with(&asked(1)) && !turn.begins_with(&asked(2)));
        assert_eq!(turn.state, TurnState::Failed);
        assert!(turn.is_explained() && turn.has_its_messages());
        assert!(!EndedTurn { reason: None, ..turn }.is_explained());
        assert!(!ended(1, TurnState::Answered, &[2, 3]).has_its_messages());
        assert!(!ended(1, TurnState::Superseded, &[2]).has_its_messages());
    }
}
