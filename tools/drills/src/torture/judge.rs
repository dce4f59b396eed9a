//! Checks after a run that nothing is missing in the history, at the channel, at the webhook
//! receiver and in the database.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result};

use super::subject::{AgentOrganization, SENDERS, Subject, webhook_path};
use crate::proof::channel::Arrival;
use crate::proof::evidence::{self, Evidence, first, zero};
use crate::proof::operator::client;
use crate::proof::order;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Outcome, Sent, people};
use crate::proof::turns::{TurnSummary, Turns};
use bench::load::{Database, float};
use domain::agent::TurnState;
use domain::keyword::Keyword as _;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The time limit until no work is left.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time limit with an AI agent. It is longer, because after the server of a turn was killed,
/// the model is asked again only after a minute and a half.
const PATIENCE_WITH_AGENT: Duration = Duration::from_mins(6);

/// The time after a kill within which the stand-in may still read a message of the killed server.
const LATE: Duration = Duration::from_millis(100);

/// Queries for rows that must not exist once all work is done: rows of the queues, and claims.
const LEFT: [(&str, &str); 5] = [
    (
        "rows left in queues",
        "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM outbox_conversations) + \
         (SELECT count(*) FROM callbacks) + (SELECT count(*) FROM fetches)",
    ),
    (
        "claims that nobody let go of",
        "SELECT (SELECT count(*) FROM organization_work WHERE claimed_by IS NOT NULL) + \
         (SELECT count(*) FROM endpoint_work WHERE claimed_until IS NOT NULL) + \
         (SELECT count(*) FROM callbacks WHERE claimed_by IS NOT NULL) + \
         (SELECT count(*) FROM templates WHERE submission_claimed_by IS NOT NULL) + \
         (SELECT count(*) FROM fetches WHERE claimed_by IS NOT NULL)",
    ),
    (
        // If a person replies while an agent's message waits, that message fails and never reaches
        // the channel.
        "messages that the channel never took",
        "SELECT count(*) FROM messages WHERE direction = 'outbound' AND channel_message_id IS NULL \
         AND NOT (source = 'agent' AND status = 'failed')",
    ),
    (
        "inboxes without the newest events",
        "SELECT count(*) FROM event_counters LEFT JOIN inbox_positions \
         ON inbox_positions.organization_id = event_counters.organization_id \
         WHERE coalesce(inbox_positions.sequence, 0) < event_counters.last",
    ),
    (
        "deliveries of webhooks that wait",
        "SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'",
    ),
];

/// The evaluation of one run of a part: what is left in the database, and what has arrived.
pub struct Judge {
    /// The part that the run belongs to.
    pub part: &'static str,
    /// The name of the run in the report.
    pub run: String,
}

impl Judge {
    /// Waits until everything is done and returns the figures. `cuts` are the times at which the
    /// server was interrupted.
    pub fn figures(
        &self,
        subject: &Subject,
        outcome: &Outcome,
        cuts: &[Duration],
    ) -> Result<Vec<Figure>> {
        let quiet = until_quiet(subject)?;
        let drained = self.figure("until nothing waited any more", quiet.as_secs_f64());
        let mut figures = vec![drained.of("s")];
        for (number, name) in ["sandbox", "stand-in"].into_iter().enumerate() {
            let organization = subject.organizations.get(number).context("no organization")?;
            let mut client = client(subject.port()?, &organization.key);
            let found = Evidence::of(&mut client, &people(number, 2, SENDERS))?;
            let sent = outcome.sent.iter().filter(|it| it.organization == number);
            let sent: Vec<Sent> = sent.cloned().collect();
            let whose = format!("{}, {name}", self.run);
            figures.extend(found.of_messages(self.part, &whose, &sent));
            let kinds = &["message.queued", "message.sent"];
            let kinds = if number == 0 { &kinds[..] } else { &kinds[..1] };
            figures.extend(found.of_events(self.part, &whose, kinds));
            if number == 0 {
                let open = found.not_handed_over();
                figures.push(
                    self.none(&format!("{name}: not handed over"), open.len()).noted(first(&open)),
                );
            } else {
                figures.extend(self.of_arrivals(&found, &subject.channel.arrivals(), cuts));
            }
            figures.extend(self.of_webhooks(
                &found,
                &subject.receiver.seen(&webhook_path(number)),
                name,
            ));
        }
        if let Some(agent) = &subject.agent {
            figures.extend(self.of_agent(subject, agent)?.0);
        }
        figures.extend(self.of_database(&subject.operator.database)?);
        Ok(figures)
    }

    /// Waits until everything is done and returns the figures of the organization with the AI
    /// agent, and of the database.
    pub fn figures_of_agent(&self, subject: &Subject) -> Result<(Vec<Figure>, TurnSummary)> {
        let quiet = until_quiet(subject)?;
        let drained = self.figure("until nothing waited any more", quiet.as_secs_f64());
        let mut figures = vec![drained.of("s")];
        let (found, summary) = self.of_agent(subject, subject.agent()?)?;
        figures.extend(found);
        figures.extend(self.of_database(&subject.operator.database)?);
        Ok((figures, summary))
    }

    /// Returns a figure without a bound.
    pub fn figure(&self, what: &str, value: f64) -> Figure {
        Figure::new(self.part, format!("{}: {what}", self.run), value, Bound::None)
    }

    /// Returns a count that has to be zero.
    pub fn none(&self, what: &str, count: usize) -> Figure {
        zero(self.part, format!("{}: {what}", self.run), count as u64)
    }

    /// Returns a time with a bound, in seconds.
    pub fn within(&self, what: &str, took: Duration, most: Duration) -> Figure {
        let bound = Bound::AtMost(most.as_secs_f64());
        Figure::new(self.part, format!("{}: {what}", self.run), took.as_secs_f64(), bound).of("s")
    }

    /// Returns a summary: the figures that fail, and the number of figures that were checked.
    pub fn in_short(
        &self,
        subject: &Subject,
        outcome: &Outcome,
        cuts: &[Duration],
    ) -> Result<Vec<Figure>> {
        let all = self.figures(subject, outcome, cuts)?;
        let judged = all.iter().filter(|it| it.passes().is_some()).count();
        let (wrong, other): (Vec<Figure>, Vec<Figure>) =
            all.into_iter().partition(|it| it.passes() == Some(false));
        let many = |what: &str| -> f64 {
            other.iter().filter(|it| it.what.ends_with(what)).map(|it| it.value).sum()
        };
        let checks = "afterwards, of history, channel, webhooks and database, what does not hold";
        let mut figures = vec![
            self.figure("messages acknowledged", many("messages acknowledged")),
            self.figure("until nothing waited any more", many("until nothing waited any more"))
                .of("s"),
            self.figure(
                "arrived at the channel again, in flight",
                many("arrived again, in flight when interrupted"),
            ),
            self.none(checks, wrong.len()).noted(format!("{judged} checks")),
        ];
        figures.extend(wrong);
        Ok(figures)
    }

    fn of_arrivals(
        &self,
        found: &Evidence,
        arrivals: &[Arrival],
        cuts: &[Duration],
    ) -> Vec<Figure> {
        let seen: BTreeSet<&str> = arrivals.iter().map(|it| it.message.as_str()).collect();
        let created = found.created();
        let missing: Vec<&str> = created.keys().copied().filter(|id| !seen.contains(id)).collect();
        let mut wrong = 0;
        for (person, records) in &found.conversations {
            let history: Vec<&str> = records.iter().map(|it| it.id.as_str()).collect();
            let there = arrivals.iter().filter(|it| person.ends_with(&it.to));
            let there: Vec<&str> = there.map(|it| it.message.as_str()).collect();
            wrong += order::differently_ordered(&history, &there);
        }
        let (again, not_in_flight) = repeated(arrivals, cuts);
        vec![
            self.none("stand-in: never arrived", missing.len()).noted(first(&missing)),
            self.none("stand-in: arrived in another order than the history's", wrong),
            self.figure("stand-in: arrived again, in flight when interrupted", float(again as u64)),
            self.none("stand-in: arrived again without having been in flight", not_in_flight.len())
                .noted(not_in_flight.join("; ")),
        ]
    }

    fn of_agent(
        &self,
        subject: &Subject,
        agent: &AgentOrganization,
    ) -> Result<(Vec<Figure>, TurnSummary)> {
        let mut client = client(subject.port()?, &agent.organization.key);
        let found = Evidence::of(&mut client, &agent.outcome.people)?;
        let rows = count(&subject.operator.database, "SELECT count(*) FROM turns")?;
        let whose = format!("{}, agent", self.run);
        let turns = Turns::of(&found)?;
        let (mut figures, summary) = turns.figures(self.part, &whose, rows as u64, &agent.outcome);
        // The paths of the sandbox's and the stand-in's organizations come first.
        let path = webhook_path(subject.organizations.len());
        figures.extend(self.of_webhooks(&found, &subject.receiver.seen(&path), "agent"));
        Ok((figures, summary))
    }

    fn of_webhooks(&self, found: &Evidence, seen: &BTreeMap<u64, u64>, name: &str) -> Vec<Figure> {
        let missing = found.sequences().filter(|it| !seen.contains_key(it)).count();
        let again: u64 = seen.values().map(|times| times - 1).sum();
        vec![
            self.none(&format!("{name}: events that the endpoint never got"), missing),
            self.figure(&format!("{name}: events that the endpoint got again"), float(again)),
        ]
    }

    fn of_database(&self, database: &Database) -> Result<Vec<Figure>> {
        let mut figures =
            vec![self.none("gaps among the positions in conversations", gaps(database)?)];
        for (what, query) in left() {
            figures.push(self.none(what, count(database, &query)?));
        }
        if matches!(database, Database::Sqlite(_)) {
            let said = database.ask("PRAGMA integrity_check; PRAGMA foreign_key_check;")?;
            let wrong = said.lines().filter(|line| *line != "ok").count();
            figures.push(
                self.none("faults found by SQLite's own check of the file", wrong)
                    .noted(said.lines().find(|line| *line != "ok").unwrap_or_default()),
            );
        }
        Ok(figures)
    }
}

/// Returns the queries of [`LEFT`], and the query for turns that have not ended.
fn left() -> impl Iterator<Item = (&'static str, String)> {
    let open = TurnState::ALL.iter().filter(|it| !it.is_final());
    let open: Vec<String> = open.map(|it| format!("'{it}'")).collect();
    let turns = format!("SELECT count(*) FROM turns WHERE state IN ({})", open.join(", "));
    let rest = LEFT.into_iter().map(|(what, query)| (what, query.to_owned()));
    rest.chain([("turns that have not ended", turns)])
}

fn gaps(database: &Database) -> Result<usize> {
    Ok(usize::try_from(evidence::position_gaps(database)?)?)
}

fn count(database: &Database, query: &str) -> Result<usize> {
    Ok(usize::try_from(database.numbers(query)?.into_iter().sum::<u64>())?)
}

/// Waits until no work is left or the time limit is over. Returns the duration of the wait.
fn until_quiet(subject: &Subject) -> Result<Duration> {
    let watch = Stopwatch::start();
    let database = &subject.operator.database;
    let patience = if subject.agent.is_some() { PATIENCE_WITH_AGENT } else { PATIENCE };
    let mut was_empty = false;
    while watch.elapsed() < patience {
        // A query that fails because the database is busy is repeated.
        let mut left = left().map(|(_, query)| count(database, &query));
        let is_empty = left.all(|left| left.is_ok_and(|left| left == 0));
        let events = "SELECT count(*) FROM events";
        let paths = (0..subject.all_organizations().count()).map(webhook_path);
        let delivered: usize = paths.map(|path| subject.receiver.seen(&path).len()).sum();
        let is_done = is_empty && count(database, events).is_ok_and(|events| events <= delivered);
        // Work that moves from one queue to the next may be missing in both counts. So all counts
        // must be zero twice in a row.
        if is_done && was_empty {
            break;
        }
        was_empty = is_done;
        interrupt::sleep(Duration::from_millis(200))?;
    }
    Ok(watch.elapsed())
}

/// Returns the number of tolerated repeated arrivals, and descriptions of all other repeated
/// arrivals. A repeated arrival is tolerated if the server was interrupted between the two
/// arrivals, or shortly before, and no other message of the conversation arrived in between.
fn repeated(arrivals: &[Arrival], cuts: &[Duration]) -> (usize, Vec<String>) {
    let mut conversations: BTreeMap<&str, Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        conversations.entry(&arrival.to).or_default().push(arrival);
    }
    let (mut in_flight, mut others) = (0, Vec::new());
    for arrivals in conversations.values() {
        let mut latest: BTreeMap<&str, Duration> = BTreeMap::new();
        for (place, arrival) in arrivals.iter().enumerate() {
            let Some(before) = latest.insert(&arrival.message, arrival.arrived) else { continue };
            let last = place.checked_sub(1).and_then(|place| arrivals.get(place));
            let was_last = last.is_some_and(|last| last.message == arrival.message);
            let cut =
                |cut: &Duration| (before.saturating_sub(LATE)..=arrival.arrived).contains(cut);
            if was_last && cuts.iter().any(cut) {
                in_flight += 1;
            } else {
                others.push(told(arrival, before, was_last, cuts));
            }
        }
    }
    (in_flight, others)
}

/// Describes a repeated arrival in a way that helps to find its cause.
fn told(arrival: &Arrival, before: Duration, was_last: bool, cuts: &[Duration]) -> String {
    let last = cuts.iter().rfind(|cut| **cut <= arrival.arrived).copied().unwrap_or_default();
    let seconds = |at: Duration| format!("{:.3} s", at.as_secs_f64());
    let other = if was_last { "" } else { ", and another message between them" };
    format!(
        "{} at {} and {}{other}, the last interruption at {}",
        arrival.message,
        seconds(before),
        seconds(arrival.arrived),
        seconds(last)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use servers::clock;

    fn arrival(message: &str, at: u64) -> Arrival {
        let at = Duration::from_millis(at);
        let (message, to) = (message.to_owned(), "1".to_owned());
        Arrival { message, to, by: 1, arrived: at, answered: at, at: clock::now() }
    }

    #[test]
    fn only_what_was_in_flight_may_come_again() {
        let cut = [Duration::from_millis(15)];
        let arrivals = [arrival("a", 10), arrival("a", 20), arrival("b", 30)];
        let (in_flight, others) = repeated(&arrivals, &cut);
        assert_eq!(in_flight, 1);
        assert!(others.is_empty(), "{others:?}");
        // The stand-in read the message shortly after the cut.
        let arrivals = [arrival("a", 16), arrival("a", 20)];
        let (in_flight, others) = repeated(&arrivals, &cut);
        assert_eq!(in_flight, 1);
        assert!(others.is_empty(), "{others:?}");
        // Without a cut, no repeated arrival is tolerated.
        let (in_flight, others) = repeated(&arrivals, &[]);
        assert_eq!(in_flight, 0);
        assert_eq!(others.len(), 1);
        // Another message of the conversation arrived in between.
        let arrivals = [arrival("a", 10), arrival("b", 12), arrival("a", 20)];
        let (in_flight, others) = repeated(&arrivals, &cut);
        assert_eq!(in_flight, 0);
        assert_eq!(others.len(), 1);
        assert!(others[0].starts_with("a at 0.010 s and 0.020 s, and another"), "{others:?}");
    }
}
