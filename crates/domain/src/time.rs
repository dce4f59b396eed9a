//! Points in time, and the days and months in which plan limits are counted. All times are in UTC
//! (`docs/contract.md#conventions`).

use crate::number::saturating;
use std::fmt;
use std::time::Duration;
use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime};

/// A point in time, in microseconds since the start of 1970. PostgreSQL and SQLite store it without
/// loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The last microsecond of the year 9999. RFC 3339 cannot express later times.
const LATEST: i64 = 253_402_300_799_999_999;

impl Timestamp {
    /// Returns the time that is this many microseconds after the start of 1970. A time outside of
    /// the years 1970 to 9999 becomes the first or the last time of these years.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.clamp(0, LATEST))
    }

    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns the time that is this many seconds after the start of 1970, with the same limits as
    /// in [`Self::from_micros`].
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Self {
        Self::from_micros(seconds.saturating_mul(1_000_000))
    }

    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        let by = saturating(by.as_micros(), i64::MAX);
        Self::from_micros(self.0.saturating_add(by))
    }

    #[must_use]
    pub fn minus(self, by: Duration) -> Self {
        let by = saturating(by.as_micros(), i64::MAX);
        Self::from_micros(self.0.saturating_sub(by))
    }

    /// Returns the time that has passed since `earlier`, or zero if `earlier` is later than this
    /// time.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros((self.0 - earlier.0).max(0).cast_unsigned())
    }

    /// Parses a time in UTC in the form that a browser's field for date and time sends:
    /// `2026-11-21T09:05` or `2026-11-21T09:05:07`.
    #[must_use]
    pub fn chosen(text: &str) -> Option<Self> {
        let (day, clock) = text.split_once('T')?;
        let number = |text: &str| text.parse::<u16>().ok();
        let small = |text: &str| text.parse::<u8>().ok();
        let mut day = day.splitn(3, '-');
        let (year, month, day) = (number(day.next()?)?, small(day.next()?)?, small(day.next()?)?);
        let mut clock = clock.splitn(3, ':');
        let (hour, minute) = (small(clock.next()?)?, small(clock.next()?)?);
        let second = clock.next().map_or(Some(0), small)?;
        let date = Date::from_calendar_date(year.into(), month.try_into().ok()?, day).ok()?;
        let at = date.with_hms(hour, minute, second).ok()?.assume_utc().unix_timestamp();
        (at >= 0).then(|| Self::from_seconds(at))
    }

    /// Parses a time in the format of RFC 3339 with any offset, such as `2026-11-21T09:05:07.250Z`.
    /// Returns `None` for any other text, and for a time before 1970.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let micros = at.unix_timestamp_nanos().div_euclid(1000);
        (micros >= 0).then(|| Self::from_micros(saturating(micros, LATEST)))
    }

    /// Returns the number of whole seconds since the start of 1970.
    #[must_use]
    pub const fn second(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the date and the time of day in UTC, without fractions of a second.
    fn calendar(self) -> OffsetDateTime {
        #[expect(
            clippy::disallowed_methods,
            reason = "the years 1970 to 9999 are all in the calendar"
        )]
        OffsetDateTime::from_unix_timestamp(self.0 / 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

/// Rounds a wait up to whole seconds, at least 1. The header `Retry-After` needs that.
#[must_use]
pub fn whole_seconds(wait: Duration) -> u64 {
    saturating(wait.as_micros().div_ceil(1_000_000).max(1), u64::MAX)
}

/// Writes a number of seconds in words: "1 second", "12 seconds".
#[must_use]
pub fn seconds_in_words(seconds: u64) -> String {
    if seconds == 1 { "1 second".to_owned() } else { format!("{seconds} seconds") }
}

impl fmt::Display for Timestamp {
    /// Writes the digits one by one. An answer of the API contains many timestamps, and the usual
    /// formatting is slow: with it, formatting a timestamp takes longer than writing the rest of an
    /// event.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.calendar();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0..4, i64::from(at.year())),
            (5..7, i64::from(u8::from(at.month()))),
            (8..10, i64::from(at.day())),
            (11..13, i64::from(at.hour())),
            (14..16, i64::from(at.minute())),
            (17..19, i64::from(at.second())),
            (20..23, self.0 / 1000),
        ];
        for (place, number) in parts {
            write_digits(text.get_mut(place).unwrap_or_default(), number);
        }
        out.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// Writes the last digits of `number` into `place`, as many as `place` has bytes.
fn write_digits(place: &mut [u8], mut number: i64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + saturating(number % 10, 9);
        number /= 10;
    }
}

/// A day or a month in which usage is counted, such as the messages of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    /// The number of the period: `20261121` for a day, or `202611` for a month. Days sort by
    /// number, and so do months.
    pub number: i32,
    /// The end of the period: the first point in time that does not belong to it.
    pub ends_at: Timestamp,
}

impl Period {
    /// Returns the day to which `now` belongs, in UTC.
    #[must_use]
    pub fn day(now: Timestamp) -> Self {
        let date = now.calendar().date();
        let number = date.year() * 10_000 + i32::from(u8::from(date.month())) * 100;
        Self {
            number: number + i32::from(date.day()),
            ends_at: midnight(date.next_day().unwrap_or(date)),
        }
    }

    /// Returns the month to which `now` belongs, in UTC.
    #[must_use]
    pub fn month(now: Timestamp) -> Self {
        let date = now.calendar().date();
        let (year, month) = match date.month() {
            Month::December => (date.year() + 1, Month::January),
            month => (date.year(), month.next()),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "each month has a first day; what follows the year 9999 ends in it"
        )]
        let first = Date::from_calendar_date(year, month, 1).unwrap_or(date);
        Self {
            number: date.year() * 100 + i32::from(u8::from(date.month())),
            ends_at: midnight(first),
        }
    }
}

fn midnight(date: Date) -> Timestamp {
    Timestamp::from_seconds(date.midnight().assume_utc().unix_timestamp())
}

/// Whether `text` is an existing date in the form `2012-08-18`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let digits =
        |text: &str, count| text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) || !digits(day, 2) {
        return false;
    }
    let (Ok(year), Ok(month), Ok(day)) = (year.parse(), month.parse::<u8>(), day.parse()) else {
        return false;
    };
    Month::try_from(month).is_ok_and(|month| Date::from_calendar_date(year, month, day).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(year: i32, month: u8, day: u8, clock: (u8, u8, u8, u16)) -> Timestamp {
        let date = Date::from_calendar_date(year, Month::try_from(month).unwrap(), day).unwrap();
        let time = time::Time::from_hms_milli(clock.0, clock.1, clock.2, clock.3).unwrap();
        let at = date.with_time(time).assume_utc();
        Timestamp::from_micros(i64::try_from(at.unix_timestamp_nanos() / 1000).unwrap())
    }

    const LAST: (u8, u8, u8, u16) = (23, 59, 59, 999);

    proptest! {
        #[test]
        fn what_is_written_is_read(micros in 0..=LATEST) {
            let at = Timestamp::from_micros(micros);
            let milliseconds = Timestamp::from_micros(micros / 1000 * 1000);
            prop_assert_eq!(Timestamp::parse(&at.to_string()), Some(milliseconds));
        }

        #[test]
        fn a_chosen_time_is_the_one_that_is_written(seconds in 0..253_402_300_800_i64, with_seconds: bool) {
            let at = Timestamp::from_seconds(seconds);
            let text = at.to_string();
            let (text, at) = if with_seconds {
                (&text[..19], at)
            } else {
                (&text[..16], Timestamp::from_seconds(seconds - seconds % 60))
            };
            prop_assert_eq!(Timestamp::chosen(text), Some(at));
        }

        #[test]
        fn whatever_is_chosen_is_a_time_or_none(text in "[0-9]{1,5}-[0-9]{1,3}-[0-9]{1,3}T[0-9]{1,3}:[0-9:+]{1,6}|\\PC{0,20}") {
            if let Some(at) = Timestamp::chosen(&text) {
                prop_assert_eq!(Timestamp::chosen(&at.to_string()[..19]), Some(at));
            }
        }
    }

    #[test]
    fn writes_rfc_3339_with_milliseconds() {
        assert_eq!(at(2026, 11, 21, (9, 5, 7, 42)).to_string(), "2026-11-21T09:05:07.042Z");
    }

    #[test]
    fn rfc_3339_is_read_with_every_offset() {
        let at = |text| Timestamp::parse(text).map(|at| at.to_string());
        let expected = Some("2026-11-21T09:05:07.250Z".to_owned());
        assert_eq!(at("2026-11-21T09:05:07.250Z"), expected);
        assert_eq!(at("2026-11-21T10:05:07.25+01:00"), expected);
        assert_eq!(at("2026-11-20T21:05:07.250-12:00"), expected);
        for wrong in [
            "",
            "2026-11-21",
            "2026-11-21T09:05",
            "1969-12-31T23:59:59Z",
            "2026-13-01T00:00:00Z",
            "now",
        ] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn reads_what_browsers_write() {
        let read = |text| Timestamp::chosen(text).map(|at| at.to_string());
        assert_eq!(read("2026-11-21T09:05").unwrap(), "2026-11-21T09:05:00.000Z");
        assert_eq!(read("2028-02-29T23:59:07").unwrap(), "2028-02-29T23:59:07.000Z");
        for text in [
            "",
            "2026-11-21",
            "2026-02-29T00:00",
            "2026-13-01T00:00",
            "1969-01-01T00:00",
            "2026-01-01T24:00",
            "x-y-zTa:b",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_ends_at_midnight() {
        let day = Period::day(at(2026, 2, 28, LAST));
        assert_eq!(day.number, 20_260_228);
        assert_eq!(day.ends_at.to_string(), "2026-03-01T00:00:00.000Z");
        assert_eq!(Period::day(day.ends_at).number, 20_260_301);
        assert_eq!(
            Period::day(at(2028, 2, 28, LAST)).ends_at.to_string(),
            "2028-02-29T00:00:00.000Z"
        );
    }

    #[test]
    fn a_month_ends_with_the_first_of_the_next() {
        let month = Period::month(at(2028, 2, 29, LAST));
        assert_eq!(month.number, 202_802);
        assert_eq!(month.ends_at.to_string(), "2028-03-01T00:00:00.000Z");
        let month = Period::month(at(2026, 12, 31, LAST));
        assert_eq!(month.number, 202_612);
        assert_eq!(month.ends_at.to_string(), "2027-01-01T00:00:00.000Z");
        assert_eq!(Period::month(month.ends_at).number, 202_701);
    }

    #[test]
    fn waits_are_rounded_up_and_never_zero() {
        assert_eq!(whole_seconds(Duration::ZERO), 1);
        assert_eq!(whole_seconds(Duration::from_micros(1_000_001)), 2);
    }

    #[test]
    fn one_second_is_written_in_the_singular() {
        assert_eq!(seconds_in_words(0), "0 seconds");
        assert_eq!(seconds_in_words(1), "1 second");
        assert_eq!(seconds_in_words(2), "2 seconds");
    }
}
