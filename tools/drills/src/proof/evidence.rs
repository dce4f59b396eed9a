//! Checks, through the API, all messages that were sent: nothing is lost, nothing is duplicated,
//! and everything is in order.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use time::OffsetDateTime;

use super::history::{self, Event, Record};
use super::order::{self, Accepted};
use super::report::{Bound, Figure};
use super::sender::Sent;
use bench::client::Client;
use bench::load::{Database, float};
use servers::clock::Stopwatch;
use servers::interrupt;

/// The longest tolerated delay from the acceptance of a message, in seconds.
pub const MOST_DELAY: f64 = 5.0;

/// The histories and events of an organization.
pub struct Evidence {
    /// The histories by contact, the oldest message first.
    pub conversations: BTreeMap<String, Vec<Record>>,
    events: Vec<Event>,
}

/// Waits until the outbox and the queue of callbacks are empty, or the time limit is over.
pub fn until_done(database: &Database) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(45);
    let watch = Stopwatch::start();
    let waiting = "SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM callbacks)";
    while watch.elapsed() < PATIENCE {
        if database.numbers(waiting)? == [0, 0] {
            break;
        }
        interrupt::sleep(Duration::from_millis(300))?;
    }
    Ok(())
}

/// Returns the number of missing or duplicate positions in conversations. The API does not show
/// positions.
pub fn position_gaps(database: &Database) -> Result<u64> {
    let gaps = "SELECT coalesce(sum(abs(most - least + 1 - many)), 0) FROM (SELECT max(position) AS most, \
                min(position) AS least, count(DISTINCT position) AS many FROM messages GROUP BY conversation_id) AS each";
    Ok(database.numbers(gaps)?.into_iter().sum())
}

impl Evidence {
    /// Reads the histories and events.
    pub fn of(client: &mut Client, people: &[String]) -> Result<Self> {
        let mut conversations = BTreeMap::new();
        for person in people {
            interrupt::check()?;
            conversations.insert(person.clone(), history::conversation(client, person)?);
        }
        Ok(Self { conversations, events: history::events(client)? })
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.conversations.values().flatten()
    }

    /// Checks that acknowledged messages are in the history once, in the order of acceptance.
    pub fn of_messages(&self, drill: &'static str, whose: &str, sent: &[Sent]) -> Vec<Figure> {
        let acknowledged: Vec<&str> = sent.iter().map(|it| it.id.as_str()).collect();
        let found: Vec<&str> = self.records().map(|it| it.id.as_str()).collect();
        let (missing, more) = order::compare(acknowledged.iter().copied(), found.iter().copied());
        let references =
            |sent: &[Sent]| -> Vec<String> { sent.iter().map(|it| it.reference.clone()).collect() };
        let wanted = references(sent);
        let seen: Vec<&str> = self.records().map(|it| it.reference.as_str()).collect();
        let (_, twice) = order::compare(wanted.iter().map(String::as_str), seen);
        let accepted: BTreeMap<&str, Accepted> =
            sent.iter().map(|it| (it.id.as_str(), it.accepted)).collect();
        let of = |records: &Vec<Record>| -> usize {
            let times = records.iter().filter_map(|it| accepted.get(it.id.as_str()).copied());
            order::out_of_order(&times.collect::<Vec<_>>())
        };
        let wrong: usize = self.conversations.values().map(of).sum();
        let none = |what: &str, count: usize| zero(drill, format!("{whose}: {what}"), count as u64);
        vec![
            Figure::new(
                drill,
                format!("{whose}: messages acknowledged"),
                float(sent.len() as u64),
                Bound::None,
            ),
            none("acknowledged, and not in the history", missing.len()).noted(first(&missing)),
            none("in the history, and never acknowledged", more.len()).noted(first(&more)),
            none("in the history twice for one Idempotency-Key", twice.len()).noted(first(&twice)),
            none("not in the order of acceptance", wrong),
        ]
    }

    /// Checks that events are numbered without gaps, and that each message has one event of each
    /// kind.
    pub fn of_events(&self, drill: &'static str, whose: &str, kinds: &[&str]) -> Vec<Figure> {
        let gaps = order::gaps(1, self.events.iter().map(|it| it.sequence));
        let mut figures = vec![zero(
            drill,
            format!("{whose}: gaps in the sequence of {} events", self.events.len()),
            gaps,
        )];
        for kind in kinds {
            let told = self.events.iter().filter(|it| it.kind == *kind);
            let told: Vec<&str> = told.map(|it| it.about.as_str()).collect();
            let (missing, more) = order::compare(self.records().map(|it| it.id.as_str()), told);
            let note = first(&[missing.clone(), more.clone()].concat());
            let what = format!("{whose}: messages without exactly one {kind}");
            figures.push(zero(drill, what, (missing.len() + more.len()) as u64).noted(note));
        }
        figures
    }

    /// Checks that every message was handed over to the channel.
    pub fn of_open(&self, drill: &'static str, whose: &str) -> Figure {
        let open = self.not_handed_over();
        zero(drill, format!("{whose}: not handed over"), open.len() as u64).noted(first(&open))
    }

    /// Checks that every message was handed over to the channel, and that none took longer than
    /// [`MOST_DELAY`].
    pub fn of_handover(&self, drill: &'static str, whose: &str) -> Vec<Figure> {
        let delays = self
            .records()
            .filter_map(|it| Some((between(it.created_at, it.sent_at?), it.id.as_str())));
        let created: BTreeMap<&str, OffsetDateTime> =
            self.records().map(|it| (it.id.as_str(), it.created_at)).collect();
        let told = self.events.iter().filter(|it| it.kind == "message.sent");
        let told = told.filter_map(|it| {
            Some((between(*created.get(it.about.as_str())?, it.at), it.about.as_str()))
        });
        vec![
            self.of_open(drill, whose),
            longest(drill, format!("{whose}: longest from created_at to sent_at"), delays),
            longest(
                drill,
                format!("{whose}: longest from created_at to the event message.sent"),
                told,
            ),
        ]
    }

    /// Returns all events in their order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the sequences of all events.
    pub fn sequences(&self) -> impl Iterator<Item = u64> {
        self.events.iter().map(|it| it.sequence)
    }

    /// Returns the messages that wait for the channel or have failed.
    pub fn not_handed_over(&self) -> Vec<&str> {
        let open = |it: &&Record| !matches!(it.status.as_str(), "sent" | "delivered" | "read");
        self.records().filter(open).map(|it| it.id.as_str()).collect()
    }

    /// Returns the time of each message's acceptance, by id.
    pub fn created(&self) -> BTreeMap<&str, OffsetDateTime> {
        self.records().map(|it| (it.id.as_str(), it.created_at)).collect()
    }
}

/// Returns a figure that has to be zero.
pub fn zero(drill: &'static str, what: String, count: u64) -> Figure {
    Figure::new(drill, what, float(count), Bound::Exactly(0.0))
}

/// Returns the longest delay, as a figure with a bound.
pub fn longest<'a>(
    drill: &'static str,
    what: String,
    delays: impl Iterator<Item = (f64, &'a str)>,
) -> Figure {
    let (value, id) =
        delays.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::MAX, "nothing was sent"));
    Figure::new(drill, what, value, Bound::AtMost(MOST_DELAY)).of("s").noted(id)
}

/// Returns the seconds between two times.
pub fn between(from: OffsetDateTime, to: OffsetDateTime) -> f64 {
    (to - from).as_seconds_f64()
}

/// Formats the first of some ids as an example, for a note.
pub fn first(ids: &[&str]) -> String {
    ids.first().map(|id| format!("such as {id}")).unwrap_or_default()
}
