//! The times at which an AI agent answers: always, inside the business hours or outside them.

use crate::keyword::keywords;
use std::fmt;
use std::str::FromStr;

/// Number of minutes of a day.
const DAY: u16 = 24 * 60;
/// Maximum number of opening times in a week.
pub const MAX_OPENINGS: usize = 50;
/// The days of the week, as the API and people write them, beginning with Monday.
pub const DAYS_OF_WEEK: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

keywords! {
    /// The times at which an AI agent answers, in relation to the business hours.
    pub enum AnswerTime {
        Always = "always",
        /// During the business hours.
        Inside = "inside",
        /// While the business is closed.
        Outside = "outside",
    }
}

/// A day of the week and a time of day, in the time zone of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// The day of the week, from 0 for Monday to 6 for Sunday.
    day: u8,
    /// The minute of the day, from 0 to 1439.
    minute: u16,
}

impl LocalTime {
    /// Creates the time from a day (0 is Monday), an hour and a minute. A number that is too large
    /// is reduced: the day modulo 7, the hour modulo 24, the minute modulo 60.
    #[must_use]
    pub const fn new(days_since_monday: u8, hour: u8, minute: u8) -> Self {
        let minute = (hour as u16 % 24) * 60 + minute as u16 % 60;
        Self { day: days_since_monday % 7, minute }
    }
}

/// A period of the week in which a business is open, such as Monday from nine to five. If its end
/// is not after its beginning, the end is on the next day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Opening {
    day: u8,
    from: u16,
    to: u16,
}

impl Opening {
    /// Returns the minutes of the day at which the opening begins and ends. The end of the day is
    /// 0, which is the midnight of the next day.
    const fn times(self) -> (u16, u16) {
        (self.from, self.to % DAY)
    }

    fn contains(self, at: LocalTime) -> bool {
        let next_day = (self.day + 1) % 7;
        if self.from < self.to {
            at.day == self.day && (self.from..self.to).contains(&at.minute)
        } else {
            (at.day == self.day && at.minute >= self.from)
                || (at.day == next_day && at.minute < self.to)
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = DAYS_OF_WEEK.get(usize::from(self.day)).copied().unwrap_or_default();
        let (from, to) = (self.from, self.to);
        write!(out, "{day} {:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

/// The business hours of a week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BusinessHours(Vec<Opening>);

/// The reason why a text is not a list of business hours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHours {
    #[error("{0:?} is not like \"mon-fri 09:00-17:00\"")]
    Line(String),
    #[error("at most {MAX_OPENINGS} times are allowed, counted for each day")]
    TooMany,
}

impl BusinessHours {
    /// Returns the times of the week, each with all days that have it, in the order in which they
    /// were written.
    #[must_use]
    pub fn rows(&self) -> Vec<OpeningRow> {
        let mut times: Vec<(u16, u16)> = Vec::new();
        for opening in &self.0 {
            if !times.contains(&opening.times()) {
                times.push(opening.times());
            }
        }
        let row = |(from, to): (u16, u16)| {
            let is_open = |day: usize| {
                let mut same = self.0.iter().filter(|it| it.times() == (from, to));
                same.any(|it| usize::from(it.day) == day)
            };
            let days = std::array::from_fn(is_open);
            OpeningRow { days, from: time_of_day(from), to: time_of_day(to) }
        };
        times.into_iter().map(row).collect()
    }

    /// Whether the business is open at `at`, a time in the time zone of the business.
    #[must_use]
    pub fn contains(&self, at: LocalTime) -> bool {
        self.0.iter().any(|opening| opening.contains(at))
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn time_of_day(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// An opening time and its days, as a form shows and submits them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpeningRow {
    /// Whether the row is about each of the [`DAYS_OF_WEEK`].
    pub days: [bool; 7],
    /// The beginning, such as `09:00`.
    pub from: String,
    /// The end, such as `17:00`. The end of the day is `00:00`, because a field for a time of day
    /// has no `24:00`.
    pub to: String,
}

impl OpeningRow {
    /// Whether nothing was entered.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.days.contains(&true) && self.from.is_empty() && self.to.is_empty()
    }

    /// Whether the row has a day, a beginning and an end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.days.contains(&true) && !self.from.is_empty() && !self.to.is_empty()
    }
}

/// Writes a line for each day, which [`BusinessHours`] can be parsed from.
impl fmt::Display for OpeningRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.to == "00:00" { "24:00" } else { &self.to };
        let days = DAYS_OF_WEEK.iter().zip(self.days).filter(|(_, is_open)| *is_open);
        let lines: Vec<String> = days.map(|(day, _)| format!("{day} {}-{to}", self.from)).collect();
        out.write_str(&lines.join("\n"))
    }
}

impl FromStr for BusinessHours {
    type Err = InvalidHours;

    /// Parses lines such as `mon-fri 09:00-17:00` or `sat 22:00-02:00`. Lines are separated by line
    /// breaks or semicolons.
    fn from_str(text: &str) -> Result<Self, InvalidHours> {
        let mut openings = Vec::new();
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            let wrong = || InvalidHours::Line(line.to_owned());
            openings.extend(parse_line(&line.to_lowercase()).ok_or_else(wrong)?);
            if openings.len() > MAX_OPENINGS {
                return Err(InvalidHours::TooMany);
            }
        }
        Ok(Self(openings))
    }
}

impl fmt::Display for BusinessHours {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

fn parse_line(line: &str) -> Option<Vec<Opening>> {
    let (days, times) = line.split_once(char::is_whitespace)?;
    let (first, last) = days.split_once('-').unwrap_or((days, days));
    let (first, last) = (parse_day(first)?, parse_day(last)?);
    let (from, to) = times.trim().split_once('-')?;
    let (from, to) = (parse_time(from)?, parse_time(to)?);
    if from == DAY {
        return None;
    }
    let count = (last + 7 - first) % 7;
    Some((0..=count).map(|next| Opening { day: (first + next) % 7, from, to }).collect())
}

fn parse_day(text: &str) -> Option<u8> {
    let day = DAYS_OF_WEEK.iter().position(|day| *day == text)?;
    u8::try_from(day).ok()
}

/// Parses `HH:MM` and returns the minute of the day. `24:00` is the end of the day.
fn parse_time(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    let digits = |it: &str| (1..=2).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
    if !digits(hour) || minute.len() != 2 || !digits(minute) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    let time = hour * 60 + minute;
    (minute < 60 && time <= DAY).then_some(time)
}

/// The settings that decide at which times an AI agent answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSchedule {
    pub time: AnswerTime,
    /// The name of the time zone in the IANA database, such as `Europe/Berlin`.
    pub zone: String,
    pub hours: BusinessHours,
}

impl AnswerSchedule {
    /// Whether the agent answers at `at`, a time in the time zone of the business.
    #[must_use]
    pub fn allows(&self, at: LocalTime) -> bool {
        match self.time {
            AnswerTime::Always => true,
            AnswerTime::Inside => self.hours.contains(at),
            AnswerTime::Outside => !self.hours.contains(at),
        }
    }
}

impl Default for AnswerSchedule {
    fn default() -> Self {
        Self { time: AnswerTime::Always, zone: "UTC".to_owned(), hours: BusinessHours::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hours(text: &str) -> BusinessHours {
        text.parse().unwrap()
    }

    #[test]
    fn a_business_is_open_from_its_first_minute_to_the_one_before_the_last() {
        let hours = hours("Mon-Fri 09:00-17:00; sat 10:00-24:00");
        for (day, hour, minute, open) in [
            (0, 8, 59, false),
            (0, 9, 0, true),
            (4, 16, 59, true),
            (4, 17, 0, false),
            (5, 9, 59, false),
            (5, 23, 59, true),
            (6, 0, 0, false),
        ] {
            assert_eq!(
                hours.contains(LocalTime::new(day, hour, minute)),
                open,
                "{day} {hour}:{minute}"
            );
        }
    }

    #[test]
    fn a_night_ends_on_the_next_day() {
        let night = hours("sun 22:00-02:00");
        assert!(night.contains(LocalTime::new(6, 22, 0)));
        assert!(night.contains(LocalTime::new(0, 1, 59)));
        assert!(!night.contains(LocalTime::new(0, 2, 0)));
        assert!(!night.contains(LocalTime::new(6, 1, 0)));
        // The opening from `00:00` to `24:00` lasts the whole day.
        assert!(hours("mon 00:00-24:00").contains(LocalTime::new(0, 23, 59)));
        assert!(hours("fri-mon 00:00-24:00").contains(LocalTime::new(6, 12, 0)));
        assert!(!hours("fri-mon 00:00-24:00").contains(LocalTime::new(1, 0, 0)));
    }

    #[test]
    fn hours_that_cannot_be_read_are_named() {
        for wrong in [
            "mon",
            "mon 9-5",
            "mo 09:00-17:00",
            "mon 09:00-24:01",
            "mon 24:00-25:00",
            "mon 9:0-10:00",
            "mon 09:60-10:00",
        ] {
            assert_eq!(wrong.parse::<BusinessHours>(), Err(InvalidHours::Line(wrong.to_owned())));
        }
        let many = "mon-sun 09:00-10:00\n".repeat(8);
        assert_eq!(many.parse::<BusinessHours>(), Err(InvalidHours::TooMany));
        assert!("".parse::<BusinessHours>().unwrap().is_empty());
    }

    #[test]
    fn a_row_of_a_form_has_the_days_of_one_time() {
        let written =
            hours("mon-tue 09:00-17:00\nsat 22:00-02:00\nwed 9:00-17:00; sun 10:00-24:00");
        let row = |days: [u8; 7], from: &str, to: &str| OpeningRow {
            days: days.map(|it| it == 1),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        let rows = written.rows();
        assert_eq!(
            rows,
            [
                row([1, 1, 1, 0, 0, 0, 0], "09:00", "17:00"),
                row([0, 0, 0, 0, 0, 1, 0], "22:00", "02:00"),
                row([0, 0, 0, 0, 0, 0, 1], "10:00", "00:00"),
            ]
        );
        assert_eq!(rows[0].to_string(), "mon 09:00-17:00\ntue 09:00-17:00\nwed 09:00-17:00");
        assert_eq!(rows[2].to_string(), "sun 10:00-24:00");
        assert!(rows.iter().all(|row| row.is_complete() && !row.is_blank()));
        assert!(OpeningRow::default().is_blank());
        for partial in
            [row([0; 7], "09:00", "17:00"), row([1; 7], "", "17:00"), row([1; 7], "09:00", "")]
        {
            assert!(!partial.is_complete() && !partial.is_blank(), "{partial:?}");
        }
    }

    #[test]
    fn an_agent_answers_inside_or_outside() {
        let schedule =
            |time| AnswerSchedule { time, zone: "UTC".to_owned(), hours: hours("mon 09:00-17:00") };
        let (open, closed) = (LocalTime::new(0, 12, 0), LocalTime::new(0, 18, 0));
        for (time, when_open, when_closed) in [
            (AnswerTime::Always, true, true),
            (AnswerTime::Inside, true, false),
            (AnswerTime::Outside, false, true),
        ] {
            assert_eq!(schedule(time).allows(open), when_open);
            assert_eq!(schedule(time).allows(closed), when_closed);
        }
    }

    proptest! {
        #[test]
        fn hours_are_read_as_they_were_written(
            openings in prop::collection::vec((0_u8..7, 0_u16..DAY, 0_u16..=DAY), 0..10),
        ) {
            let openings = openings.into_iter().map(|(day, from, to)| Opening { day, from, to });
            let hours = BusinessHours(openings.collect());
            prop_assert_eq!(hours.to_string().parse(), Ok(hours));
        }

        #[test]
        fn the_rows_of_a_form_are_the_same_hours(
            openings in prop::collection::vec((0_u8..7, 0_u16..DAY, 0_u16..=DAY), 0..10),
            at in (0_u8..7, 0_u8..24, 0_u8..60),
        ) {
            let openings = openings.into_iter().map(|(day, from, to)| Opening { day, from, to });
            let hours = BusinessHours(openings.collect());
            let lines: Vec<String> = hours.rows().iter().map(ToString::to_string).collect();
            let read: BusinessHours = lines.join("\n").parse().unwrap();
            prop_assert_eq!(read.rows(), hours.rows());
            let at = LocalTime::new(at.0, at.1, at.2);
            prop_assert_eq!(read.contains(at), hours.contains(at));
        }
    }
}
