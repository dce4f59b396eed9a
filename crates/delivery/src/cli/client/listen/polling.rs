//! The interval at which a session asks for new events.

use std::time::Duration;

/// Returns the pause before the next call. `quiet` is the time since the last event or since the
/// session began. Each call counts against the daily calls of the plan, so a quiet session asks
/// less often: about 17,000 times a day instead of 86,400.
pub const fn poll_interval(quiet: Duration) -> Duration {
    let seconds = match quiet.as_secs() {
        0..60 => 1,
        60..300 => 3,
        _ => 5,
    };
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_session_asks_less_often() {
        let after = |seconds| poll_interval(Duration::from_secs(seconds)).as_secs();
        assert_eq!([0, 59, 60, 299, 300, 86_400].map(after), [1, 1, 3, 3, 5, 5]);
    }
}
