//! The declarations of all measurements and their targets. The report, the comparison and
//! docs/performance.md use them.

use super::measured::{Measured, Subject};
use super::scenarios::{
    beside_members, beside_streams, beside_turns, callbacks, end_to_end, idle, latency, memory,
    reads, refusals, sends, start, token, webhooks,
};
use super::stage::Stage;

/// A function that measures one subject for the given number of seconds, on its own servers.
pub type Scenario = fn(&Stage, Subject, u32) -> anyhow::Result<Measured>;

/// A measured row of the report, with its targets.
pub struct Row {
    /// The name for `--only` and for JSON.
    pub name: &'static str,
    /// The name that reports show.
    pub title: &'static str,
    /// The unit of the value.
    pub unit: Unit,
    pub sqlite: Bound,
    pub postgres: Bound,
    /// The default duration of a measurement.
    pub seconds: u32,
    /// The default number of measurements.
    pub rounds: usize,
    pub scenario: Scenario,
}

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Per second, judged by the ratio to the bare handler.
    Ratio,
    PerSecond,
    Milliseconds,
    /// Megabytes of a million bytes.
    Megabytes,
    /// Percent of one core, or of another measurement.
    Percent,
    /// A multiple of another measurement.
    Factor,
}

impl Unit {
    /// Returns the unit's suffix, which follows a number.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Ratio | Self::PerSecond => "/s",
            Self::Milliseconds => " ms",
            Self::Megabytes => " MB",
            Self::Percent => " %",
            Self::Factor => "×",
        }
    }

    /// Returns the suffix of the number that is compared with the target.
    pub const fn judged_suffix(self) -> &'static str {
        match self {
            Self::Ratio => "",
            other => other.suffix(),
        }
    }
}

/// The target of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The bound or more.
    AtLeast(f64),
    /// The bound or less.
    AtMost(f64),
    /// Less than the bound.
    Below(f64),
    /// No target: the value is only recorded.
    None,
}

impl Bound {
    /// Tells whether `value` reaches the target; `None` if there is none.
    pub fn reached(self, value: f64) -> Option<bool> {
        match self {
            Self::AtLeast(bound) => Some(value >= bound),
            Self::AtMost(bound) => Some(value <= bound),
            Self::Below(bound) => Some(value < bound),
            Self::None => None,
        }
    }

    /// Formats the target for the table.
    pub fn text(self, unit: Unit) -> String {
        let suffix = unit.judged_suffix();
        match self {
            Self::AtLeast(bound) if unit == Unit::Ratio => format!("≥ {bound:.2}"),
            Self::AtLeast(bound) => format!("≥ {bound}{suffix}"),
            Self::AtMost(bound) => format!("≤ {bound}{suffix}"),
            Self::Below(bound) => format!("< {bound}{suffix}"),
            Self::None => String::new(),
        }
    }
}

impl Row {
    /// Returns the subjects that are measured.
    pub const fn subjects(&self) -> &'static [Subject] {
        match self.unit {
            Unit::Ratio => &[Subject::Bare, Subject::Sqlite, Subject::Postgres],
            _ => &Subject::DATABASES,
        }
    }

    /// Returns the target for a subject.
    pub const fn bound(&self, subject: Subject) -> Bound {
        match subject {
            Subject::Bare => Bound::None,
            Subject::Sqlite => self.sqlite,
            Subject::Postgres => self.postgres,
        }
    }
}

/// Declares a row that is judged by its ratio to the bare handler.
const fn ratio(
    name: &'static str,
    title: &'static str,
    (sqlite, postgres): (f64, f64),
    seconds: u32,
    scenario: Scenario,
) -> Row {
    let (sqlite, postgres) = (Bound::AtLeast(sqlite), Bound::AtLeast(postgres));
    Row { name, title, unit: Unit::Ratio, sqlite, postgres, seconds, rounds: 3, scenario }
}

/// All rows, in the order in which they are measured.
pub const ROWS: &[Row] = &[
    ratio("me", "GET /me", (0.50, 0.35), 10, reads::me),
    ratio("templates", "GET /templates, 50 of them", (0.10, 0.07), 10, reads::templates),
    ratio("history", "GET /conversations/history, 50 messages", (0.10, 0.07), 10, reads::history),
    ratio("events", "GET /events, 100 of them", (0.06, 0.05), 10, reads::events),
    ratio("refused_401", "refused calls: 401", (0.60, 0.40), 10, refusals::unknown_key),
    ratio("refused_429", "refused calls: 429", (0.60, 0.40), 10, refusals::rate_limited),
    ratio(
        "send",
        "POST /messages, text, 1,000 contacts: accepted in a burst",
        (0.10, 0.10),
        20,
        sends::plain,
    ),
    ratio(
        "send_idempotent",
        "the same burst with an Idempotency-Key on each",
        (0.08, 0.08),
        20,
        sends::idempotent,
    ),
    Row {
        name: "send_new_people",
        title: "the same burst, to a new contact each",
        unit: Unit::Ratio,
        sqlite: Bound::None,
        postgres: Bound::None,
        seconds: 20,
        rounds: 3,
        scenario: sends::new_people,
    },
    ratio(
        "end_to_end",
        "end to end: accepted, handed over, two statuses and all events",
        (0.06, 0.05),
        120,
        end_to_end::sustained,
    ),
    ratio(
        "token",
        "POST /connect/token, a code of its own each, 3,000 organizations",
        (0.12, 0.12),
        10,
        token::exchange,
    ),
    Row {
        name: "callbacks",
        title: "callbacks of the channel: stored and answered",
        unit: Unit::Ratio,
        sqlite: Bound::None,
        postgres: Bound::None,
        seconds: 10,
        rounds: 3,
        scenario: callbacks::stored,
    },
    Row {
        name: "callbacks_end_to_end",
        title: "the same callbacks end to end: stored, and processed with all events",
        unit: Unit::Ratio,
        sqlite: Bound::None,
        postgres: Bound::None,
        seconds: 10,
        rounds: 3,
        scenario: callbacks::processed,
    },
    Row {
        name: "webhooks_one",
        title: "webhook deliveries to one endpoint that answers at once",
        unit: Unit::PerSecond,
        sqlite: Bound::AtLeast(3000.0),
        postgres: Bound::AtLeast(2000.0),
        seconds: 20,
        rounds: 3,
        scenario: webhooks::one,
    },
    Row {
        name: "webhooks_hundred",
        title: "webhook deliveries to 100 endpoints that answer at once",
        unit: Unit::PerSecond,
        sqlite: Bound::AtLeast(5000.0),
        postgres: Bound::AtLeast(4000.0),
        seconds: 20,
        rounds: 3,
        scenario: webhooks::hundred,
    },
    Row {
        name: "send_latency",
        title: "p99 of sends at half of the maximum, at a fixed rate",
        unit: Unit::Milliseconds,
        sqlite: Bound::Below(10.0),
        postgres: Bound::Below(10.0),
        seconds: 60,
        rounds: 3,
        scenario: latency::half_of_maximum,
    },
    Row {
        name: "send_beside_turns",
        title: "p99 of the same sends beside 10,000 turns of a silent model, divided by p99 without",
        unit: Unit::Factor,
        sqlite: Bound::AtMost(1.2),
        postgres: Bound::AtMost(1.2),
        seconds: 30,
        rounds: 3,
        scenario: beside_turns::sends,
    },
    Row {
        name: "callbacks_beside_turns",
        title: "p99 of callbacks beside the same turns, divided by p99 without",
        unit: Unit::Factor,
        sqlite: Bound::AtMost(1.2),
        postgres: Bound::AtMost(1.2),
        seconds: 30,
        rounds: 3,
        scenario: beside_turns::callbacks,
    },
    Row {
        name: "inbox_beside_turns",
        title: "p99 of pages of the inbox beside the same turns, divided by p99 without",
        unit: Unit::Factor,
        sqlite: Bound::AtMost(1.2),
        postgres: Bound::AtMost(1.2),
        seconds: 30,
        rounds: 3,
        scenario: beside_turns::inbox,
    },
    Row {
        name: "send_beside_streams",
        title: "CPU that 200 open streams of the inbox add to the same sends",
        unit: Unit::Percent,
        sqlite: Bound::Below(5.0),
        postgres: Bound::Below(5.0),
        seconds: 30,
        rounds: 3,
        scenario: beside_streams::cost,
    },
    Row {
        name: "send_beside_idle_members",
        title: "CPU that 200 streams behind HAProxy add to 200 sends a second: no page is loaded",
        unit: Unit::Percent,
        sqlite: Bound::Below(5.0),
        postgres: Bound::Below(5.0),
        seconds: 30,
        rounds: 3,
        scenario: beside_members::idle,
    },
    Row {
        name: "send_beside_members",
        title: "CPU that the same streams add if each browser loads its page after changes",
        unit: Unit::Percent,
        sqlite: Bound::None,
        postgres: Bound::None,
        seconds: 30,
        rounds: 3,
        scenario: beside_members::working,
    },
    Row {
        name: "stream_delay",
        title: "p99 from a customer's message to a change in each of 200 streams",
        unit: Unit::Milliseconds,
        sqlite: Bound::AtMost(300.0),
        postgres: Bound::AtMost(300.0),
        seconds: 30,
        rounds: 3,
        scenario: beside_streams::delay,
    },
    Row {
        name: "start",
        title: "start to ready",
        unit: Unit::Milliseconds,
        sqlite: Bound::AtMost(150.0),
        postgres: Bound::AtMost(300.0),
        seconds: 5,
        rounds: 3,
        scenario: start::ready,
    },
    Row {
        name: "memory_idle",
        title: "memory, idle",
        unit: Unit::Megabytes,
        sqlite: Bound::AtMost(25.0),
        postgres: Bound::AtMost(30.0),
        seconds: 10,
        rounds: 3,
        scenario: memory::idle,
    },
    Row {
        name: "memory_load",
        title: "memory, the most under the send load",
        unit: Unit::Megabytes,
        sqlite: Bound::AtMost(80.0),
        postgres: Bound::AtMost(100.0),
        seconds: 300,
        rounds: 1,
        scenario: memory::under_load,
    },
    Row {
        name: "cpu_idle",
        title: "CPU, idle: no work, no endpoint",
        unit: Unit::Percent,
        sqlite: Bound::Below(0.2),
        postgres: Bound::Below(0.5),
        seconds: 60,
        rounds: 3,
        scenario: idle::nothing,
    },
    Row {
        name: "cpu_slow_channel",
        title: "CPU, messages waiting for a slow channel",
        unit: Unit::Percent,
        sqlite: Bound::Below(1.0),
        postgres: Bound::Below(1.0),
        seconds: 60,
        rounds: 3,
        scenario: idle::slow_channel,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ROWS.len());
    }

    #[test]
    fn bounds_are_as_they_are_written() {
        assert_eq!(Bound::AtLeast(0.1).text(Unit::Ratio), "≥ 0.10");
        assert_eq!(Bound::AtLeast(3000.0).text(Unit::PerSecond), "≥ 3000/s");
        assert_eq!(Bound::Below(0.2).text(Unit::Percent), "< 0.2 %");
        assert_eq!(Bound::AtMost(1.2).text(Unit::Factor), "≤ 1.2×");
        assert_eq!(Bound::AtLeast(0.1).reached(0.1), Some(true));
        assert_eq!(Bound::AtMost(25.0).reached(25.1), Some(false));
        assert_eq!(Bound::Below(10.0).reached(10.0), Some(false));
        assert_eq!(Bound::None.reached(10.0), None);
    }
}
