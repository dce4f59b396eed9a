//! Failover drill: the primary of three databases under Patroni is killed, switched over and frozen
//! under load. No acknowledged message may be lost, callers must be told when to retry, and sends
//! must be accepted soon after the promotion.

mod round;

use std::time::Duration;

use anyhow::{Context, Result, bail};

use self::round::{Round, Strike};
use super::super::site::{self, Plan, Site};
use super::Stage;
use crate::patroni::Patroni;
use crate::proof::arrivals::Arrived;
use crate::proof::chance::Chance;
use crate::proof::channel::{Channel, Delay};
use crate::proof::evidence::{self, Evidence, zero};
use crate::proof::operator::{Organization, UNLIMITED};
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, Load, Outcome, Sent, people};
use bench::client::answers;
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;
use servers::step::step;

const DRILL: &str = "failover";
const NODES: usize = 3;
const SENDERS: usize = 64;
/// The pause between a sender's messages in milliseconds; it is up to twice as long. It is long,
/// because the machine also runs three databases.
const PAUSE: u64 = 300;
/// The delay of the channel's stand-in. It ensures that messages are always in flight.
const DELAY: Delay = Delay { least: 2, more: 8 };
/// The time limit of a promotion: Patroni's `ttl` and a margin.
const PROMOTION: Duration = Duration::from_mins(1);
/// The time for which the old primary stays away after the promotion. It is longer than the limit
/// for accepting sends again.
const AWAY: Duration = Duration::from_secs(7);
/// The time limit for the old primary to rewind, to replay the log, and to follow the new primary.
const WHOLE: Duration = Duration::from_mins(1);
const REST: Duration = Duration::from_secs(6);
/// The interval of polling for the new primary.
const POLL: Duration = Duration::from_millis(20);

/// Runs the drill. Half of the senders use the sandbox, half a stand-in that records arrivals.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let watch = Stopwatch::start();
    let channel = Channel::start(watch, DELAY)?;
    let plan = Plan { graph: Some(channel.url()), ..stage.plan.clone() };
    let name = format!("starting {NODES} PostgreSQL under Patroni, with etcd");
    let mut databases = step(&name, || Patroni::start(&plan.root, NODES, site::FILES.as_ref()))?;
    let site = Site::start_on(&plan, &databases.urls())?;
    let organizations = [
        site.operator().organization("Bakery", UNLIMITED)?,
        site.operator().organization_at_meta("Florist")?,
    ];
    let load = Load {
        port: site.port,
        organizations: &organizations,
        senders: SENDERS,
        pause: PAUSE,
        failed: Failed::Repeat,
        watch,
    };
    let (mut rounds, mut broken) = (Vec::new(), String::new());
    let outcome = load.during(|| {
        let ports: Vec<u16> = site.instances.iter().map(|it| it.port).collect();
        let mut scene = Scene { databases: &mut databases, ports: &ports, watch };
        let struck = scene.strike(stage.rounds, &mut rounds);
        interrupt::check()?;
        // The messages that were accepted before the error are evaluated anyway.
        if let Err(error) = struck {
            eprintln!("[xtask] {error:#}");
            broken.extend(error.to_string().lines().next());
        }
        interrupt::sleep(REST)
    })?;
    evidence::until_done(&site.database())?;
    let arrivals = channel.arrivals();
    let arrived = Arrived::of(&arrivals);
    let mut figures: Vec<Figure> =
        rounds.iter().flat_map(|it| it.figures(DRILL, &outcome, &arrived)).collect();
    let wanted = u64::from(stage.rounds) * Strike::ALL.len() as u64;
    let missing = wanted.saturating_sub(rounds.len() as u64);
    figures.push(
        zero(DRILL, "rounds that did not come to their end".to_owned(), missing).noted(broken),
    );
    let returned = rounds.iter().filter(|it| it.returned).count() as u64;
    let what = "rounds after which the old primary led again".to_owned();
    figures.push(zero(DRILL, what, returned));
    figures.extend(of_senders(&outcome));
    figures.extend(round::of_arrivals(DRILL, &rounds, &outcome, &arrived));
    figures.extend(of_histories(&site, &organizations, &outcome, &arrived)?);
    let gaps = evidence::position_gaps(&site.database())?;
    figures.push(zero(DRILL, "gaps among the positions in conversations".to_owned(), gaps));
    Ok(figures)
}

/// Checks that the histories in the API contain the acknowledged messages, and that the messages in
/// the history of the stand-in's organization arrived at the stand-in.
fn of_histories(
    site: &Site,
    [bakery, florist]: &[Organization; 2],
    outcome: &Outcome,
    arrived: &Arrived<'_>,
) -> Result<Vec<Figure>> {
    let of = |organization: usize| -> Vec<Sent> {
        let sent = outcome.sent.iter().filter(|it| it.organization == organization);
        sent.cloned().collect()
    };
    let mut figures = Vec::new();
    let sandbox = Evidence::of(&mut site.client(&bakery.key), &people(0, 2, SENDERS))?;
    figures.extend(sandbox.of_messages(DRILL, "sandbox", &of(0)));
    figures.push(sandbox.of_open(DRILL, "sandbox"));
    figures.extend(sandbox.of_events(DRILL, "sandbox", &["message.queued", "message.sent"]));
    let stand_in = Evidence::of(&mut site.client(&florist.key), &people(1, 2, SENDERS))?;
    figures.extend(stand_in.of_messages(DRILL, "stand-in", &of(1)));
    figures.extend(stand_in.of_events(DRILL, "stand-in", &["message.queued"]));
    figures.extend(arrived.of_messages(DRILL, &stand_in));
    Ok(figures)
}

/// The databases, which the drill causes to fail, and the instances, which it observes.
struct Scene<'a> {
    databases: &'a mut Patroni,
    ports: &'a [u16],
    watch: Stopwatch,
}

impl Scene<'_> {
    /// Runs every kind of failure `times` times.
    fn strike(&mut self, times: u32, rounds: &mut Vec<Round>) -> Result<()> {
        for number in 1..=times {
            for strike in Strike::ALL {
                eprintln!("[xtask] round {number} of {times}: {}", strike.name());
                rounds.push(self.round(strike, number)?);
            }
        }
        Ok(())
    }

    /// Makes the primary fail, and waits until the cluster is complete again.
    fn round(&mut self, strike: Strike, number: u32) -> Result<Round> {
        let (databases, watch) = (&mut *self.databases, self.watch);
        let old = databases.until_whole(WHOLE)?;
        interrupt::sleep(Chance::new(0).millis(3000, 3000))?;
        let struck = watch.elapsed();
        match strike {
            Strike::Kill => databases.kill(old)?,
            Strike::Switchover => databases.switch_over(old)?,
            Strike::Freeze => databases.freeze(old)?,
        }
        let promoted = until_promoted(databases, old, watch)?;
        eprintln!("[xtask] promoted after {:.2} s", promoted.saturating_sub(struck).as_secs_f64());
        let ready = until_ready(self.ports, promoted + AWAY, watch)?;
        interrupt::sleep((promoted + AWAY).saturating_sub(watch.elapsed()))?;
        let back = watch.elapsed();
        match strike {
            Strike::Kill => databases.restart(old)?,
            Strike::Switchover => {}
            Strike::Freeze => databases.thaw(old)?,
        }
        let returned = databases.until_whole(WHOLE)? == old;
        interrupt::sleep(Duration::from_secs(1))?;
        let (place, whole) = (old + 1, watch.elapsed());
        Ok(Round { strike, number, place, struck, promoted, ready, back, whole, returned })
    }
}

/// Waits until another node accepts writes, and returns the time.
fn until_promoted(databases: &Patroni, old: usize, watch: Stopwatch) -> Result<Duration> {
    let began = watch.elapsed();
    loop {
        if databases.places().any(|place| place != old && databases.is_primary(place)) {
            return Ok(watch.elapsed());
        }
        if watch.elapsed() > began + PROMOTION {
            bail!("no standby was promoted within {} s", PROMOTION.as_secs());
        }
        interrupt::sleep(POLL).context("while waiting for a promotion")?;
    }
}

/// Waits until all instances are ready. Each is queried directly. Returns `None` if one is not
/// ready at the time `by`.
fn until_ready(ports: &[u16], by: Duration, watch: Stopwatch) -> Result<Option<Duration>> {
    while watch.elapsed() < by {
        if ports.iter().all(|port| answers(*port, "/readyz", &[], 200)) {
            return Ok(Some(watch.elapsed()));
        }
        interrupt::sleep(POLL)?;
    }
    Ok(None)
}

/// Checks that all refusals told the senders when to retry.
fn of_senders(outcome: &Outcome) -> Vec<Figure> {
    let count = |wrong: &dyn Fn(Option<u16>, bool) -> bool| {
        outcome.failed.iter().filter(|it| wrong(it.status, it.says_when)).count() as u64
    };
    let refused = float(outcome.failed.len() as u64);
    let other = count(&|status, _| status != Some(503));
    let silent = count(&|status, says_when| status == Some(503) && !says_when);
    vec![
        Figure::new(DRILL, "requests that senders had to repeat", refused, Bound::None)
            .noted(outcome.failures()),
        zero(DRILL, "requests answered with anything but 201 and 503".to_owned(), other),
        zero(DRILL, "503 without Retry-After".to_owned(), silent),
    ]
}
