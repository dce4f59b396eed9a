//! One failover as clients and the channel see it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::proof::arrivals::Arrived;
use crate::proof::evidence::zero;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failure, Outcome};
use bench::load::float;

/// The time limit after the promotion for accepting sends again, in seconds.
const MOST_DELAY: f64 = 5.0;
/// The time before a failure in which messages that the channel received may not have been recorded
/// as sent.
const UNRECORDED: Duration = Duration::from_millis(250);

/// The kinds of failure of a primary.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    /// The process is killed, as in a power failure.
    Kill,
    /// Patroni is asked to switch over.
    Switchover,
    /// The process is suspended: it exists but does not answer.
    Freeze,
}

impl Strike {
    pub const ALL: [Self; 3] = [Self::Kill, Self::Switchover, Self::Freeze];

    /// Returns the name that the report shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9 of the primary",
            Self::Switchover => "switchover",
            Self::Freeze => "frozen primary",
        }
    }
}

/// The times of one failover, counted from the start of the load's stopwatch.
pub struct Round {
    pub strike: Strike,
    /// The number of this failure among those of its kind, from 1.
    pub number: u32,
    /// The position of the failed host in the URL, from 1.
    pub place: usize,
    /// The time of the failure.
    pub struck: Duration,
    /// The time at which another node had become primary.
    pub promoted: Duration,
    /// The time at which all instances were ready, each queried directly. `None` if one was not
    /// ready before the old primary returned.
    pub ready: Option<Duration>,
    /// The time at which the drill restarted or continued the old primary. A switchover needs
    /// neither.
    pub back: Duration,
    /// The time at which all nodes were running again.
    pub whole: Duration,
    /// Whether the old primary was the leader again when all nodes were running. The drill never
    /// requests this.
    pub returned: bool,
}

impl Round {
    /// Returns the figures about promotion, acceptance, refusals and duplicate arrivals.
    pub fn figures(
        &self,
        drill: &'static str,
        outcome: &Outcome,
        arrived: &Arrived<'_>,
    ) -> Vec<Figure> {
        let what = |what: &str| format!("{} {}: {what}", self.strike.name(), self.number);
        let seconds =
            |name: &str, took: f64, bound| Figure::new(drill, what(name), took, bound).of("s");
        let since = |at: Duration| at.saturating_sub(self.promoted).as_secs_f64();
        let within = |from: Duration, to: Duration| -> Vec<&Failure> {
            outcome.failed.iter().filter(|it| from < it.ended && it.ended <= to).collect()
        };
        let all = within(self.struck, self.whole);
        let last = within(self.promoted, self.back).iter().map(|it| it.ended).max();
        let later = within(self.back, self.whole);
        let (again, under_way) = self.again(outcome, arrived);
        let bound = Bound::AtMost(MOST_DELAY);
        vec![
            seconds(
                "promotion after",
                self.promoted.saturating_sub(self.struck).as_secs_f64(),
                Bound::None,
            )
            .noted(format!("host {} of the URL", self.place)),
            seconds("accepted again after the promotion", since(self.accepted(outcome)), bound),
            seconds(
                "all instances ready after the promotion",
                self.ready.map_or(f64::INFINITY, since),
                bound,
            ),
            seconds("last refusal after the promotion", last.map_or(0.0, since), bound),
            Figure::new(drill, what("refused"), float(all.len() as u64), Bound::None)
                .noted(by_status(&all)),
            Figure::new(
                drill,
                what("refused once the old primary came back"),
                float(later.len() as u64),
                Bound::None,
            ),
            Figure::new(
                drill,
                what("arrived again, of those under way"),
                float(again as u64),
                Bound::AtMost(float(under_way as u64)),
            ),
        ]
    }

    /// Returns the time of the first 201 after the promotion.
    fn accepted(&self, outcome: &Outcome) -> Duration {
        let after = outcome.sent.iter().map(|it| it.accepted.acked);
        after.filter(|at| *at >= self.promoted).min().unwrap_or(Duration::MAX)
    }

    /// Returns the beginning and the end of a time span around the failure. A message that the
    /// channel received in it may not be recorded as sent, so it may be sent again.
    fn under_way(&self, outcome: &Outcome) -> (Duration, Duration) {
        (self.struck.saturating_sub(UNRECORDED), self.accepted(outcome).min(self.whole))
    }

    /// Returns the number of messages that arrived twice in this round, and the number of messages
    /// for which this is tolerated.
    fn again(&self, outcome: &Outcome, arrived: &Arrived<'_>) -> (usize, usize) {
        let again = arrived.again.iter().filter(|it| self.struck < it.arrived);
        let (from, to) = self.under_way(outcome);
        (again.filter(|it| it.arrived <= self.whole).count(), arrived.within(from, to))
    }
}

/// Checks that only messages in flight at a failure arrive twice.
pub fn of_arrivals(
    drill: &'static str,
    rounds: &[Round],
    outcome: &Outcome,
    arrived: &Arrived<'_>,
) -> Vec<Figure> {
    let was_under_way = |first: Duration| {
        let mut spans = rounds.iter().map(|it| it.under_way(outcome));
        spans.any(|(from, to)| from <= first && first <= to)
    };
    let wrong =
        arrived.again.iter().filter(|it| !arrived.first(&it.message).is_some_and(was_under_way));
    let wrong: Vec<_> = wrong.map(|it| it.message.as_str()).collect();
    let example = wrong.first().map(|id| format!("such as {id}")).unwrap_or_default();
    let what = "stand-in: arrived again, and was not under way when a primary failed".to_owned();
    let again = float(arrived.again.len() as u64);
    vec![
        Figure::new(drill, "stand-in: arrived again", again, Bound::None),
        zero(drill, what, wrong.len() as u64).noted(example),
    ]
}

fn by_status(refused: &[&Failure]) -> String {
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for it in refused {
        let status = it.status.map_or("no answer".to_owned(), |it| it.to_string());
        *statuses.entry(status).or_default() += 1;
    }
    let each = statuses.iter().map(|(status, count)| format!("{status}: {count}"));
    each.collect::<Vec<_>>().join(", ")
}
