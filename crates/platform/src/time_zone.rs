//! Time zones by their names in the IANA database. The database is part of the program, so that all
//! instances use the same one.

use domain::agent::LocalTime;
use domain::number::saturating;
use domain::time::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Whether there is a time zone of this name, such as `Europe/Berlin`.
#[must_use]
pub fn exists(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the time of the week in a zone. For an unknown zone, returns the time in UTC.
#[must_use]
pub fn local_time(zone: &str, at: Timestamp) -> LocalTime {
    let zone = find(zone).unwrap_or(TimeZone::UTC);
    let at = jiff::Timestamp::from_microsecond(at.micros()).ok().unwrap_or_default();
    let local = at.to_zoned(zone);
    let small = |number: i8| saturating(number, u8::MAX);
    let days = local.weekday().to_monday_zero_offset();
    LocalTime::new(small(days), small(local.hour()), small(local.minute()))
}

/// Returns a time in a zone in words, such as `Friday, 27 November 2026, 10:42 (Europe/Berlin)`. For an
/// unknown zone, returns the time in UTC.
#[must_use]
pub fn in_words(zone: &str, at: Timestamp) -> String {
    let (zone, name) = find(zone).map_or((TimeZone::UTC, "UTC"), |found| (found, zone));
    let at = jiff::Timestamp::from_microsecond(at.micros()).ok().unwrap_or_default();
    format!("{} ({name})", at.to_zoned(zone).strftime("%A, %-d %B %Y, %H:%M"))
}

fn find(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_words() {
        let at = Timestamp::from_seconds(1_774_746_000);
        let told = "Sunday, 29 March 2026, 03:00 (Europe/Berlin)";
        assert_eq!(in_words("Europe/Berlin", at), told);
        assert_eq!(in_words("Nowhere", at), "Sunday, 29 March 2026, 01:00 (UTC)");
    }

    #[test]
    fn a_zone_has_its_own_midnight_and_summer_time() {
        // 2026-03-29T00:59:59Z is the last second of winter time in Berlin, a Sunday.
        let switch = Timestamp::from_seconds(1_774_746_000);
        let before = switch.minus(std::time::Duration::from_secs(1));
        assert_eq!(local_time("Europe/Berlin", before), LocalTime::new(6, 1, 59));
        assert_eq!(local_time("Europe/Berlin", switch), LocalTime::new(6, 3, 0));
        // It is still Saturday in New York, and already noon in Auckland.
        assert_eq!(local_time("America/New_York", before), LocalTime::new(5, 20, 59));
        assert_eq!(local_time("Pacific/Auckland", before), LocalTime::new(6, 13, 59));
        assert_eq!(local_time("Asia/Kathmandu", before), LocalTime::new(6, 6, 44));
        assert_eq!(local_time("Mars/Olympus", before), local_time("UTC", before));
        assert!(exists("Europe/Berlin") && exists("UTC"));
        assert!(!exists("Mars/Olympus") && !exists(""));
    }
}
