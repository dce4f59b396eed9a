//! Times on pages: `<time>` elements. The text is relative to now or a date, and the title is the
//! exact time. Times are in UTC; a script of the page changes them to the reader's time zone.

use domain::time::Timestamp;
use std::fmt;
use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Times that are at least this many seconds from now are shown as a date.
const RELATIVE: u64 = 2 * DAY;

/// A time as a `<time>` element.
#[derive(Clone, Debug)]
pub struct ShownTime {
    /// RFC 3339.
    datetime: String,
    text: String,
    title: String,
    form: TimeForm,
}

/// The form of the text. A script of the page uses it to renew the text. The script leaves the text
/// of [`TimeForm::Sentence`] as it is.
#[derive(Clone, Copy, Debug)]
enum TimeForm {
    Relative,
    Ago,
    Sentence,
    Date,
    Exact,
    Seconds,
    Clock,
    Precise,
}

impl ShownTime {
    /// Returns a time relative to now, for lists: "3 min ago", "in 2 h", "Sep 24".
    #[must_use]
    pub fn relative(at: Timestamp, now: Timestamp) -> Self {
        Self::with(at, relative(at, now), TimeForm::Relative)
    }

    /// Returns a past time within a sentence: "3 min ago", "yesterday", "Sep 24, 2026".
    #[must_use]
    pub fn ago(at: Timestamp, now: Timestamp) -> Self {
        if now.since(at).as_secs() >= RELATIVE {
            return Self::date(at);
        }
        Self::with(at, relative(at, now).to_lowercase(), TimeForm::Ago)
    }

    /// Returns the time that is left until `at`, for a sentence that is loaded again from the
    /// server: "23 h 57 min".
    #[must_use]
    pub fn left(at: Timestamp, now: Timestamp) -> Self {
        Self::with(at, left(at, now), TimeForm::Sentence)
    }

    /// Returns the day of a time: "Sep 24, 2026".
    #[must_use]
    pub fn date(at: Timestamp) -> Self {
        Self::with(at, date(&at.to_string()), TimeForm::Date)
    }

    /// Returns the time to the minute: "Sep 24, 2026, 3:44 PM UTC".
    #[must_use]
    pub fn exact(at: Timestamp) -> Self {
        Self::with(at, exact(at), TimeForm::Exact)
    }

    /// Returns the time to the second, for logs: "Sep 24, 2026, 3:44:56 PM UTC".
    #[must_use]
    pub fn seconds(at: Timestamp) -> Self {
        Self::with(at, seconds(at), TimeForm::Seconds)
    }

    /// Returns the time to the minute as text, for sentences that are not HTML.
    #[must_use]
    pub fn in_words(at: Timestamp) -> String {
        exact(at)
    }

    /// Returns the time of the day to the minute, for messages: "3:44 PM UTC".
    #[must_use]
    pub fn clock(at: Timestamp) -> Self {
        Self::with(at, clock(at), TimeForm::Clock)
    }

    /// Returns the time of the day to the millisecond, for timelines: "3:44:56.204 PM UTC".
    #[must_use]
    pub fn precise(at: Timestamp) -> Self {
        Self::with(at, precise(at), TimeForm::Precise)
    }

    fn with(at: Timestamp, text: String, form: TimeForm) -> Self {
        Self { datetime: at.to_string(), text, title: exact(at), form }
    }
}

impl fmt::Display for ShownTime {
    /// Writes the element without escaping, because all parts consist of letters, digits and
    /// punctuation that have no special meaning in HTML.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            TimeForm::Relative => "relative",
            TimeForm::Ago => "ago",
            TimeForm::Sentence => "sentence",
            TimeForm::Date => "date",
            TimeForm::Exact => "exact",
            TimeForm::Seconds => "seconds",
            TimeForm::Clock => "clock",
            TimeForm::Precise => "precise",
        };
        let Self { datetime, text, title, .. } = self;
        write!(
            out,
            "<time datetime=\"{datetime}\" title=\"{title}\" data-form=\"{form}\">{text}</time>"
        )
    }
}

impl askama::filters::HtmlSafe for ShownTime {}

fn relative(at: Timestamp, now: Timestamp) -> String {
    let (ago, ahead) = (at <= now, now.since(at).max(at.since(now)));
    let seconds = Duration::as_secs(&ahead);
    let number = match seconds {
        0..MINUTE if ago => return "Just now".to_owned(),
        0..MINUTE => format!("{} s", seconds.max(1)),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        DAY..RELATIVE if ago => return "Yesterday".to_owned(),
        DAY..RELATIVE => return "Tomorrow".to_owned(),
        _ => {
            let (at, now) = (at.to_string(), now.to_string());
            let day = date(&at);
            let this_year = at.get(..4) == now.get(..4);
            let (short, _) = day.rsplit_once(", ").unwrap_or((&day, ""));
            return if this_year { short.to_owned() } else { day };
        }
    };
    if ago { format!("{number} ago") } else { format!("in {number}") }
}

fn left(at: Timestamp, now: Timestamp) -> String {
    let minutes = at.since(now).as_secs() / MINUTE;
    match (minutes * MINUTE / HOUR, minutes % (HOUR / MINUTE)) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Formats the day of an RFC 3339 time: "Sep 24, 2026".
fn date(at: &str) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let part = |from, to| at.get(from..to).unwrap_or_default();
    let month =
        part(5, 7).parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    let day = part(8, 10).trim_start_matches('0');
    format!("{} {day}, {}", month.unwrap_or(&""), part(0, 4))
}

/// Formats a time to the minute: "Sep 24, 2026, 3:44 PM UTC".
fn exact(at: Timestamp) -> String {
    let text = at.to_string();
    let (hour, half) = hour(&text);
    format!("{}, {hour}:{} {half} UTC", date(&text), text.get(14..16).unwrap_or_default())
}

/// Formats a time to the second: "Sep 24, 2026, 3:44:56 PM UTC".
fn seconds(at: Timestamp) -> String {
    let text = at.to_string();
    let (hour, half) = hour(&text);
    format!("{}, {hour}:{} {half} UTC", date(&text), text.get(14..19).unwrap_or_default())
}

/// Formats the time of the day to the minute: "3:44 PM UTC".
fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    let (hour, half) = hour(&text);
    format!("{hour}:{} {half} UTC", text.get(14..16).unwrap_or_default())
}

fn precise(at: Timestamp) -> String {
    let text = at.to_string();
    let (hour, half) = hour(&text);
    format!("{hour}:{} {half} UTC", text.get(14..23).unwrap_or_default())
}

/// Returns the hour of an RFC 3339 time as people say it.
fn hour(at: &str) -> (u8, &'static str) {
    let hour = at.get(11..13).and_then(|hour| hour.parse::<u8>().ok()).unwrap_or_default();
    let half = if hour < 12 { "AM" } else { "PM" };
    match hour % 12 {
        0 => (12, half),
        hour => (hour, half),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::chosen(text).unwrap()
    }

    #[test]
    fn a_time_is_told_relative_to_now_or_as_a_date() {
        let now = at("2026-11-26T15:45:20");
        let told = |text: &str| relative(at(text), now);
        for (text, words) in [
            ("2026-11-26T15:44:56", "Just now"),
            ("2026-11-26T15:42:00", "3 min ago"),
            ("2026-11-26T13:00:00", "2 h ago"),
            ("2026-11-25T13:00:00", "Yesterday"),
            ("2026-11-23T13:00:00", "Nov 23"),
            ("2025-01-03T13:00:00", "Jan 3, 2025"),
            ("2026-11-26T15:45:22", "in 2 s"),
            ("2026-11-26T16:14:20", "in 29 min"),
            ("2026-11-27T16:45:20", "Tomorrow"),
            ("2026-12-01T00:00:00", "Dec 1"),
        ] {
            assert_eq!(told(text), words, "{text}");
        }
    }

    #[test]
    fn a_time_within_a_sentence_has_no_capital() {
        let now = at("2026-11-26T15:45:20");
        let text = |time: ShownTime| time.text;
        for (past, words) in [
            ("2026-11-26T15:44:56", "just now"),
            ("2026-11-26T13:00:00", "2 h ago"),
            ("2026-11-25T13:00:00", "yesterday"),
            ("2026-11-23T13:00:00", "Nov 23, 2026"),
        ] {
            assert_eq!(text(ShownTime::ago(at(past), now)), words, "{past}");
        }
        for (end, words) in [
            ("2026-11-26T15:00:00", "0 min"),
            ("2026-11-26T15:46:00", "0 min"),
            ("2026-11-26T16:44:20", "59 min"),
            ("2026-11-26T16:45:20", "1 h 0 min"),
            ("2026-11-27T15:43:00", "23 h 57 min"),
        ] {
            assert_eq!(text(ShownTime::left(at(end), now)), words, "{end}");
        }
    }

    #[test]
    fn the_title_is_the_exact_time() {
        assert_eq!(exact(at("2026-11-26T15:44:56")), "Nov 26, 2026, 3:44 PM UTC");
        assert_eq!(seconds(at("2026-11-26T15:44:56")), "Nov 26, 2026, 3:44:56 PM UTC");
        assert_eq!(precise(at("2026-11-26T15:44:56")), "3:44:56.000 PM UTC");
        assert_eq!(exact(at("2026-09-03T00:04:00")), "Sep 3, 2026, 12:04 AM UTC");
        assert_eq!(
            ShownTime::date(at("2026-09-03T12:04:00")).to_string(),
            "<time datetime=\"2026-09-03T12:04:00.000Z\" title=\"Sep 3, 2026, 12:04 PM UTC\" data-form=\"date\">Sep 3, 2026</time>"
        );
    }
}
