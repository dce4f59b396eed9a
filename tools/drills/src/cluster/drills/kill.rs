//! Kill drill: `kill -9` of instances under load. No message may be lost, reordered, or delayed by
//! more than 5 s.

use std::time::Duration;

use anyhow::{Context, Result};

use super::super::site::{Plan, Site};
use super::Stage;
use crate::proof::arrivals::Arrived;
use crate::proof::chance::Chance;
use crate::proof::channel::{Channel, Delay};
use crate::proof::evidence::{self, Evidence, longest, zero};
use crate::proof::operator::UNLIMITED;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, Load, Outcome, Sent, people};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;

const DRILL: &str = "kill";
const SENDERS: usize = 24;
/// The pause between a sender's messages in milliseconds; it is up to twice as long. The load must
/// be small for the machine, so that only the killed instance causes delays.
const PAUSE: u64 = 60;
/// The time for which a killed instance stays down. It is long enough for the others to take over
/// its work.
const DEAD: Duration = Duration::from_secs(8);
const REST: Duration = Duration::from_secs(6);
/// The delay of the channel's stand-in. It ensures that messages are always in flight. It is short
/// enough that the conversations at the stand-in, which half of the senders use, have capacity to
/// spare when nothing fails.
const DELAY: Delay = Delay { least: 2, more: 8 };

/// Runs the drill. Half of the senders use the sandbox, half a stand-in that records arrivals.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let watch = Stopwatch::start();
    let channel = Channel::start(watch, DELAY)?;
    let plan = Plan { graph: Some(channel.url()), ..stage.plan.clone() };
    let mut site = Site::start(&plan)?;
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
    let outcome = load.during(|| strike(&mut site, stage))?;
    evidence::until_done(&site.database())?;
    let mut figures = of_senders(&outcome, stage.rounds);
    let [bakery, florist] = &organizations;
    let sandbox = Evidence::of(&mut site.client(&bakery.key), &people(0, 2, SENDERS))?;
    let of = |organization: usize| -> Vec<Sent> {
        let sent = outcome.sent.iter().filter(|it| it.organization == organization);
        sent.cloned().collect()
    };
    figures.extend(sandbox.of_messages(DRILL, "sandbox", &of(0)));
    figures.extend(sandbox.of_handover(DRILL, "sandbox"));
    figures.extend(sandbox.of_events(DRILL, "sandbox", &["message.queued", "message.sent"]));
    let stand_in = Evidence::of(&mut site.client(&florist.key), &people(1, 2, SENDERS))?;
    figures.extend(stand_in.of_messages(DRILL, "stand-in", &of(1)));
    figures.extend(stand_in.of_events(DRILL, "stand-in", &["message.queued"]));
    let arrivals = channel.arrivals();
    let arrived = Arrived::of(&arrivals);
    figures.extend(arrived.of_messages(DRILL, &stand_in));
    let what = "stand-in: longest from created_at to the arrival".to_owned();
    figures.push(longest(DRILL, what, arrived.delays(&stand_in)));
    let again = float(arrived.again.len() as u64);
    figures.push(Figure::new(DRILL, "stand-in: arrived again", again, Bound::None));
    let gaps = evidence::position_gaps(&site.database())?;
    figures.push(zero(DRILL, "gaps among the positions in conversations".to_owned(), gaps));
    Ok(figures)
}

/// Kills random instances one after the other, and restarts each after a while.
fn strike(site: &mut Site, stage: &Stage) -> Result<()> {
    let mut chance = Chance::new(0);
    for round in 1..=stage.rounds {
        interrupt::sleep(chance.millis(3000, 4000))?;
        let victim = usize::try_from(chance.below(site.instances.len() as u64))?;
        let instance = site.instances.get_mut(victim).context("no such instance")?;
        eprintln!("[xtask] round {round} of {}: kill -9 of instance {}", stage.rounds, victim + 1);
        instance.kill();
        interrupt::sleep(DEAD)?;
        instance.start(&stage.plan.binary)?;
    }
    interrupt::sleep(REST)
}

fn of_senders(outcome: &Outcome, rounds: u32) -> Vec<Figure> {
    let failures = outcome.failed.len() as u64;
    let repeated =
        Figure::new(DRILL, "requests that senders had to repeat", float(failures), Bound::None);
    let wait = outcome.longest_wait().as_secs_f64();
    vec![
        Figure::new(DRILL, "instances killed", f64::from(rounds), Bound::None),
        repeated.noted(outcome.failures()),
        Figure::new(
            DRILL,
            "longest from a request to its 201, repetitions included",
            wait,
            Bound::None,
        )
        .of("s"),
    ]
}
