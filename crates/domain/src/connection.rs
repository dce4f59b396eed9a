//! Connections between organizations and applications. An organization and an application have at
//! most one active connection, and each connection has a key (`docs/contract.md#connections`).

use crate::key::RateLimit;
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// Whether a connection is active.
    pub enum ConnectionState {
        /// The connection is active, and its key works.
        Connected = "connected",
        /// The organization or the application ended the connection.
        Disconnected = "disconnected",
        /// The organization connected the same application again. The new connection replaced this
        /// one.
        Superseded = "superseded",
    }
}

keywords! {
    /// The cause of a connection's end.
    pub enum EndReason {
        /// The organization ended the connection by removing its key.
        Business = "business",
        /// The application ended this connection.
        Application = "application",
        /// A new connection of the same organization and application replaced this one.
        Superseded = "superseded",
        /// The application ended all of its connections at once.
        Revoked = "revoked",
    }
}

/// The largest cap of messages per month that an organization can set.
pub const MAX_MESSAGES_PER_MONTH: u32 = 1_000_000_000;

/// How long before the end of a connection's key the event `key.expiring` is recorded.
pub const EXPIRY_NOTICE: Duration = Duration::from_hours(7 * 24);

/// The caps that an organization sets for a connection. Without a cap, only the plan limits the
/// connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionCaps {
    /// Maximum number of requests per minute.
    pub rate_limit: RateLimit,
    /// Maximum number of messages per month.
    pub messages_per_month: Option<u32>,
    /// The end of the key: from this time on, the key is refused.
    pub expires_at: Option<Timestamp>,
}

/// The error for a text that is not a cap of messages per month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cap is 0 to {most} messages a month, or empty", most = crate::number::with_commas(MAX_MESSAGES_PER_MONTH.into()))]
pub struct InvalidMessageCap;

/// The error for a last day of a key that is not a date, or that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose a day from today on, or leave it empty")]
pub struct InvalidExpiry;

impl ConnectionCaps {
    /// Parses a cap of messages per month. An empty text means that there is no cap.
    pub fn parse_messages(text: &str) -> Result<Option<u32>, InvalidMessageCap> {
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse() {
            Ok(messages) if messages <= MAX_MESSAGES_PER_MONTH => Ok(Some(messages)),
            _ => Err(InvalidMessageCap),
        }
    }

    /// Parses the last day, in UTC, on which the key works. Returns the end of that day. An empty
    /// text means that the key has no end.
    pub fn parse_last_day(text: &str, now: Timestamp) -> Result<Option<Timestamp>, InvalidExpiry> {
        if text.is_empty() {
            return Ok(None);
        }
        let start = Timestamp::parse(&format!("{text}T00:00:00Z")).ok_or(InvalidExpiry)?;
        let end = start.plus(Duration::from_hours(24));
        if end > now { Ok(Some(end)) } else { Err(InvalidExpiry) }
    }

    /// Returns the last day, in UTC, on which the key works, or `None` if the key has no end.
    /// [`Self::parse_last_day`] parses the same form.
    #[must_use]
    pub fn last_day(&self) -> Option<String> {
        let last = self.expires_at?.minus(Duration::from_micros(1));
        last.to_string().split('T').next().map(str::to_owned)
    }
}

/// A period in which a connection's key did not work, because the key had ended and the
/// organization had not yet set a new end. The application never gets the events of such a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedPeriod {
    from: Timestamp,
    /// The time at which the organization set a new end. `None` if the connection ended before
    /// that.
    until: Option<Timestamp>,
}

impl ClosedPeriod {
    /// Returns the period in which the key did not work before the organization set a new end. The
    /// period begins at `end`, the previous end of the key, and lasts until `now`, the time at
    /// which the new end is set. Returns `None` if the key had no end or had not ended yet, because
    /// there was then no such period.
    #[must_use]
    pub fn before_new_end(end: Option<Timestamp>, now: Timestamp) -> Option<Self> {
        let from = end.filter(|end| *end < now)?;
        Some(Self { from, until: Some(now) })
    }

    /// Returns the period that begins at `end`, the end of the key, and never ends, because the key
    /// is removed.
    #[must_use]
    pub const fn after_removed_key(end: Timestamp) -> Self {
        Self { from: end, until: None }
    }

    /// Returns the stored text with this period added. `stored` is the text of the earlier periods.
    #[must_use]
    pub fn added_to(self, stored: Option<&str>) -> String {
        let until = self.until.map(|until| until.micros().to_string()).unwrap_or_default();
        let period = format!("{}..{until}", self.from.micros());
        match stored {
            Some(stored) => format!("{stored} {period}"),
            None => period,
        }
    }

    fn stored(text: &str) -> Option<Self> {
        let time = |text: &str| text.parse::<i64>().ok().map(Timestamp::from_micros);
        let (from, until) = text.split_once("..")?;
        let until = if until.is_empty() { None } else { Some(time(until)?) };
        Some(Self { from: time(from)?, until })
    }

    fn contains(self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }
}

/// The error for a stored text that is not a list of closed periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a list of periods")]
pub struct InvalidClosedPeriods;

/// The earlier periods in which the key of a connection had expired. The application never gets the
/// events of these periods. The time since the latest expiry is not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedPeriods(Vec<ClosedPeriod>);

impl ClosedPeriods {
    /// Parses the periods from the text that [`ClosedPeriod::added_to`] returns.
    pub fn stored(text: &str) -> Result<Self, InvalidClosedPeriods> {
        let periods = text.split_whitespace().map(ClosedPeriod::stored);
        periods.collect::<Option<_>>().map(Self).ok_or(InvalidClosedPeriods)
    }

    /// Whether `at` is in one of the closed periods.
    #[must_use]
    pub fn contain(&self, at: Timestamp) -> bool {
        self.0.iter().any(|it| it.contains(at))
    }
}

impl EndReason {
    /// Returns the state of a connection that ended for this reason.
    #[must_use]
    pub const fn state(self) -> ConnectionState {
        match self {
            Self::Business | Self::Application | Self::Revoked => ConnectionState::Disconnected,
            Self::Superseded => ConnectionState::Superseded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_works_until_the_end_of_its_last_day() {
        let noon = Timestamp::from_seconds(1_795_262_400);
        let parse = |text: &str| ConnectionCaps::parse_last_day(text, noon);
        assert_eq!(parse(""), Ok(None));
        let today = noon.to_string().split('T').next().unwrap().to_owned();
        let end = parse(&today).unwrap();
        assert_eq!(end, Some(noon.plus(Duration::from_hours(12))));
        let caps = ConnectionCaps { expires_at: end, ..ConnectionCaps::default() };
        assert_eq!(caps.last_day(), Some(today));
        for wrong in ["2020-01-01", "tomorrow", "2026-13-01", "2026-11-21T00:00:00Z"] {
            assert_eq!(parse(wrong), Err(InvalidExpiry), "{wrong}");
        }
    }

    #[test]
    fn the_period_between_two_ends_stays_closed() {
        let at = Timestamp::from_seconds;
        assert_eq!(ClosedPeriod::before_new_end(None, at(20)), None);
        assert_eq!(ClosedPeriod::before_new_end(Some(at(20)), at(20)), None);
        let first = ClosedPeriod::before_new_end(Some(at(10)), at(20)).unwrap();
        let second = ClosedPeriod::before_new_end(Some(at(30)), at(40)).unwrap();
        let stored = second.added_to(Some(&first.added_to(None)));
        assert_eq!(stored, "10000000..20000000 30000000..40000000");
        let closed = |stored: &str| {
            let periods = ClosedPeriods::stored(stored).unwrap();
            (0..60).step_by(10).filter(|it| periods.contain(at(*it))).collect::<Vec<i64>>()
        };
        assert_eq!(closed(&stored), [10, 30]);
        let stored = ClosedPeriod::after_removed_key(at(50)).added_to(Some(&stored));
        assert_eq!(closed(&stored), [10, 30, 50]);
        assert_eq!(closed(""), [0; 0]);
        for wrong in ["10", "..20", "10..x", "10...20"] {
            assert_eq!(ClosedPeriods::stored(wrong), Err(InvalidClosedPeriods), "{wrong}");
        }
    }

    #[test]
    fn a_cap_of_messages_may_be_zero_or_none() {
        assert_eq!(ConnectionCaps::parse_messages(""), Ok(None));
        assert_eq!(ConnectionCaps::parse_messages("0"), Ok(Some(0)));
        let most = MAX_MESSAGES_PER_MONTH;
        assert_eq!(ConnectionCaps::parse_messages(&most.to_string()), Ok(Some(most)));
        for wrong in ["-1", "1.5", "many", "1000000001"] {
            assert_eq!(ConnectionCaps::parse_messages(wrong), Err(InvalidMessageCap), "{wrong}");
        }
    }
}
