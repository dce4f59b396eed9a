//! The event after which a session begins.

use domain::time::Timestamp;
use std::time::Duration;

/// The distance of the first step of the search, in sequences. Each further step is four times as
/// long as the one before.
const FIRST_STEP: i64 = 1024;

/// The point at which a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPoint {
    /// After the event with this sequence.
    After(i64),
    /// A duration before the present time.
    Ago(Duration),
    /// At a time.
    At(Timestamp),
}

/// The error for a text that is not a start point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write a duration such as 90s, 10m, 2h or 3d, a time such as 2026-11-21T12:00:00Z, or the sequence of an event"
)]
pub struct InvalidStartPoint;

impl StartPoint {
    pub fn parse(text: &str) -> Result<Self, InvalidStartPoint> {
        if let Some(at) = Timestamp::parse(text) {
            return Ok(Self::At(at));
        }
        if let Ok(sequence) = text.parse::<u32>() {
            return Ok(Self::After(sequence.into()));
        }
        let mut characters = text.chars();
        let seconds = match characters.next_back() {
            Some('s') => 1,
            Some('m') => 60,
            Some('h') => 3600,
            Some('d') => 86_400,
            _ => return Err(InvalidStartPoint),
        };
        let number: u32 = characters.as_str().parse().map_err(|_| InvalidStartPoint)?;
        Ok(Self::Ago(Duration::from_secs(u64::from(number) * seconds)))
    }
}

/// A part of the list of events, as a search sees it.
pub struct SearchedPage {
    /// The sequences and times of the events on the page.
    pub events: Vec<(i64, Timestamp)>,
    /// Whether there are more events after the page.
    pub has_more: bool,
}

/// Returns the sequence after which all events since the time `since` follow. If `since` is `None`,
/// returns the last sequence. `read` returns the first events after a sequence. The number of calls
/// grows with the logarithm of the number of events.
pub async fn find_start<E>(
    since: Option<Timestamp>,
    read: impl AsyncFn(i64) -> Result<SearchedPage, E>,
) -> Result<i64, E> {
    let is_before = |at: Timestamp| since.is_none_or(|since| at < since);
    // The result is at least `low`, and at most `high`.
    let (mut low, mut high, mut step) = (0, None::<i64>, FIRST_STEP);
    let mut next = 0;
    loop {
        let page = read(next).await?;
        let before = page.events.iter().take_while(|(_, at)| is_before(*at));
        let (count, last) = before.fold((0, None), |(count, _), (it, _)| (count + 1, Some(*it)));
        let ends_here = count < page.events.len() || !page.has_more;
        match last {
            Some(last) if ends_here => return Ok(last),
            Some(last) => low = last,
            None => high = Some(next),
        }
        next = match high {
            Some(high) if low >= high => return Ok(high),
            Some(high) => low + (high - low) / 2,
            None => {
                let next = low.saturating_add(step);
                step = step.saturating_mul(4);
                next
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::convert::Infallible;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    /// Searches events `first..=last`, one per second. Returns the result and the number of calls.
    async fn search(first: i64, last: i64, since: Option<i64>) -> (i64, u32) {
        let calls = Cell::new(0);
        let read = async |after: i64| {
            calls.set(calls.get() + 1);
            let begin = first.max(after + 1);
            let events: Vec<_> = (begin..=last).take(100).map(|it| (it, at(it))).collect();
            let has_more = events.last().is_some_and(|(it, _)| *it < last);
            Ok::<_, Infallible>(SearchedPage { events, has_more })
        };
        let found = find_start(since.map(at), read).await.unwrap();
        (found, calls.get())
    }

    #[tokio::test]
    async fn the_end_of_a_list_of_any_length_is_found() {
        for (first, last) in [(1, 0), (1, 1), (1, 100), (1, 101), (1, 1024), (1, 5000), (900, 1100)]
        {
            assert_eq!(search(first, last, None).await.0, last.max(0), "{first} to {last}");
        }
        let (found, calls) = search(1, 1_000_000, None).await;
        assert_eq!(found, 1_000_000);
        assert!(calls < 25, "{calls}");
    }

    #[tokio::test]
    async fn the_first_event_since_a_time_is_found() {
        for since in [0, 1, 2, 100, 101, 102, 1024, 4999, 5000, 5001, 9999] {
            let expected = (since - 1).clamp(0, 5000);
            assert_eq!(search(1, 5000, Some(since)).await.0, expected, "since {since}");
        }
        // Older events were deleted.
        assert_eq!(search(900, 1100, Some(0)).await.0, 0);
        assert_eq!(search(900, 1100, Some(1000)).await.0, 999);
    }

    #[test]
    fn a_start_is_a_duration_a_time_or_a_sequence() {
        let ago = |seconds| Ok(StartPoint::Ago(Duration::from_secs(seconds)));
        assert_eq!(StartPoint::parse("90s"), ago(90));
        assert_eq!(StartPoint::parse("10m"), ago(600));
        assert_eq!(StartPoint::parse("2h"), ago(7200));
        assert_eq!(StartPoint::parse("3d"), ago(259_200));
        assert_eq!(StartPoint::parse("1042"), Ok(StartPoint::After(1042)));
        let time = StartPoint::At(at(1_795_262_400));
        assert_eq!(StartPoint::parse("2026-11-21T12:00:00Z"), Ok(time));
        for text in ["", "m", "-1", "1.5h", "10 m", "yesterday", "10w"] {
            assert_eq!(StartPoint::parse(text), Err(InvalidStartPoint), "{text}");
        }
    }
}
