//! Gauges of waiting work, read from the database. All instances that share the database report the
//! same values.

use auth::session::MAX_IDLE;
use domain::time::Timestamp;
use persistence::Result;
use platform::Deps;
use std::time::Duration;

/// The maximum number of endpoints that are counted. They are those with the earliest due times.
const MOST_ENDPOINTS: i64 = 10_000;
/// The labels for the time that endpoints have been behind, each with its upper bound.
const AGES: [(&str, Duration); 5] = [
    ("under_1m", Duration::from_mins(1)),
    ("under_10m", Duration::from_mins(10)),
    ("under_1h", Duration::from_hours(1)),
    ("under_1d", Duration::from_hours(24)),
    ("over_1d", Duration::MAX),
];

pub async fn measure_outbox(deps: &Deps) -> Result<()> {
    let (depth, oldest) = deps.db.operator().outbox_depth().await?;
    let age = oldest.map_or(Duration::ZERO, |oldest| deps.clock.now().since(oldest));
    set("switchboard_outbox_messages", depth);
    metrics::gauge!("switchboard_outbox_oldest_age_seconds").set(age.as_secs_f64());
    Ok(())
}

/// Measures the pending deliveries of webhook endpoints.
pub async fn measure_webhooks(deps: &Deps) -> Result<()> {
    let waiting = deps.db.operator().waiting_endpoints(MOST_ENDPOINTS).await?;
    let (counts, oldest) = behind(&waiting, deps.clock.now());
    for ((age, _), count) in AGES.into_iter().zip(counts) {
        metrics::gauge!("switchboard_overdue_webhook_endpoints", "age" => age)
            .set(f64::from(count));
    }
    metrics::gauge!("switchboard_webhook_oldest_age_seconds").set(oldest.as_secs_f64());
    Ok(())
}

/// Measures since when a turn of an AI agent has been due without being asked.
pub async fn measure_turns(deps: &Deps) -> Result<()> {
    let oldest = deps.db.operator().oldest_due_turn().await?;
    let age = oldest.map_or(Duration::ZERO, |oldest| deps.clock.now().since(oldest));
    metrics::gauge!("switchboard_agent_turn_oldest_age_seconds").set(age.as_secs_f64());
    Ok(())
}

/// Counts the active sessions.
pub async fn measure_sessions(deps: &Deps) -> Result<()> {
    let cutoff = deps.clock.now().minus(MAX_IDLE);
    set("switchboard_active_sessions", deps.db.operator().count_sessions(cutoff).await?);
    Ok(())
}

fn set(name: &'static str, count: i64) {
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    metrics::gauge!(name).set(count as f64);
}

/// Counts endpoints by how long they have been behind, and returns the longest time. An endpoint
/// that is due in the future is behind only if it has failed before.
fn behind(
    waiting: &[(Timestamp, Option<Timestamp>)],
    now: Timestamp,
) -> ([u32; AGES.len()], Duration) {
    let (mut counts, mut oldest) = ([0; AGES.len()], Duration::ZERO);
    for (due, failing_since) in waiting {
        let since = failing_since.map_or(*due, |failing| failing.min(*due));
        if since > now {
            continue;
        }
        let age = now.since(since);
        oldest = oldest.max(age);
        let place = AGES.iter().zip(&mut counts).find(|((_, most), _)| age < *most);
        if let Some((_, count)) = place {
            *count += 1;
        }
    }
    (counts, oldest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_behind_since_its_first_failure_or_since_it_was_due() {
        let now = Timestamp::from_seconds(1_000_000);
        let ago = |seconds: u64| now.minus(Duration::from_secs(seconds));
        let later = now.plus(Duration::from_mins(5));
        let waiting = [
            (ago(1), None),
            (ago(0), None),
            // The next attempts are in five minutes. The endpoints have failed for an hour and for
            // two days.
            (later, Some(ago(3600))),
            (later, Some(ago(2 * 24 * 3600))),
            // The first attempt is still to come.
            (later, None),
        ];
        let (counts, oldest) = behind(&waiting, now);
        assert_eq!(counts, [2, 0, 0, 1, 1]);
        assert_eq!(oldest, Duration::from_hours(48));
        let (counts, oldest) = behind(&[], now);
        assert_eq!(counts, [0; 5]);
        assert_eq!(oldest, Duration::ZERO);
    }
}
