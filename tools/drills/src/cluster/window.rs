//! Checks from outside whether a rate limit was exact.
//!
//! The server decided about a call at some moment between the request and the answer. A check fails
//! only if the limit was wrong for every possible moment. So an error that is smaller than the
//! duration of an answer is not detected.

use std::time::Duration;

/// A call, in time since the start of the drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The time before the request.
    pub begun: Duration,
    /// The time after the answer.
    pub ended: Duration,
}

/// Returns the largest number of calls that were certainly admitted within one window.
pub fn most_admitted(admitted: &[Call], window: Duration) -> usize {
    let mut sorted = admitted.to_vec();
    sorted.sort_unstable_by_key(|call| call.begun);
    let within = |(index, first): (usize, &Call)| {
        let end = first.begun + window;
        let later = sorted.iter().skip(index).take_while(|call| call.begun < end);
        later.filter(|call| call.ended < end).count()
    };
    sorted.iter().enumerate().map(within).max().unwrap_or_default()
}

/// Returns the number of calls that were refused although fewer than `limit` calls can have been
/// admitted in the window before them.
pub fn refused_with_room(
    admitted: &[Call],
    refused: &[Call],
    window: Duration,
    limit: usize,
) -> usize {
    let mut begun: Vec<Duration> = admitted.iter().map(|call| call.begun).collect();
    let mut over: Vec<Duration> = admitted.iter().map(|call| call.ended + window).collect();
    begun.sort_unstable();
    over.sort_unstable();
    let had_room = |call: &&Call| {
        let before = begun.partition_point(|begun| *begun < call.ended);
        let gone = over.partition_point(|over| *over <= call.begun);
        before.saturating_sub(gone) < limit
    };
    refused.iter().filter(had_room).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn call(begun: u64, ended: u64) -> Call {
        Call { begun: Duration::from_millis(begun), ended: Duration::from_millis(ended) }
    }

    #[test]
    fn a_window_slides() {
        // Three calls within a minute, although they are in two calendar minutes.
        let calls = [call(59_000, 59_010), call(59_100, 59_110), call(60_100, 60_110)];
        assert_eq!(most_admitted(&calls, MINUTE), 3);
        // The first call has left the window when the last call arrives.
        let calls = [call(0, 10), call(100, 110), call(60_000, 60_020)];
        assert_eq!(most_admitted(&calls, MINUTE), 2);
        assert_eq!(most_admitted(&[], MINUTE), 0);
    }

    #[test]
    fn a_call_that_may_be_outside_the_window_is_not_counted() {
        // The second call may have been admitted after the first call had left the window.
        let calls = [call(0, 10), call(59_900, 60_100)];
        assert_eq!(most_admitted(&calls, MINUTE), 1);
        let calls = [call(0, 10), call(59_900, 59_999)];
        assert_eq!(most_admitted(&calls, MINUTE), 2);
    }

    #[test]
    fn the_order_of_the_calls_does_not_matter() {
        let calls = [call(60_100, 60_110), call(0, 10), call(59_000, 59_010)];
        assert_eq!(most_admitted(&calls, MINUTE), 2);
    }

    #[test]
    fn a_refusal_is_wrong_only_if_there_was_room_in_any_case() {
        let admitted = [call(0, 10), call(1000, 1010)];
        let count = |refused| refused_with_room(&admitted, &[refused], MINUTE, 2);
        // Both admitted calls are in the window.
        assert_eq!(count(call(2000, 2010)), 0);
        // The second admitted call may have been decided before the refusal.
        assert_eq!(count(call(990, 1005)), 0);
        // The refusal came before the request of the second call, so there was room.
        assert_eq!(count(call(500, 510)), 1);
        // The first call may have been decided at 10 ms, and then leaves the window at 60,010 ms.
        assert_eq!(count(call(60_005, 60_030)), 0);
        assert_eq!(count(call(60_010, 60_030)), 1);
    }
}
