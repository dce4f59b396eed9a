//! Faults of the channel and of webhook endpoints: they close connections, fail, are slow, or do
//! not answer. The server must accept messages as fast as without the fault.

use std::time::Duration;

use anyhow::Result;

use super::super::Stage;
use super::super::judge::Judge;
use super::super::subject::{Engine, Setup, Subject};
use super::{BACK, Span, Tried};
use crate::proof::report::{Bound, Figure};
use crate::proof::stand_in::Manner;
use servers::interrupt;

const OUTAGE: Duration = Duration::from_secs(12);
/// The duration of a short outage. It ends before the retry after 5 s. The next retry would be five
/// minutes later.
const SHORT: Duration = Duration::from_secs(4);
const SLOW: Duration = Duration::from_secs(2);
/// The factor by which accepting may become slower.
const SLOWER: f64 = 2.0;

/// The channel closes connections immediately.
pub fn channel_closes(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    during(stage, judge, OUTAGE, |subject, manner| subject.channel.behave(manner), Manner::Closes)
}

/// The channel answers every request with 503.
pub fn channel_fails(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    during(stage, judge, OUTAGE, |subject, manner| subject.channel.behave(manner), Manner::Fails)
}

/// The channel does not answer. The server waits 10 s for each answer.
pub fn channel_silent(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    during(stage, judge, OUTAGE, |subject, manner| subject.channel.behave(manner), Manner::Silent)
}

/// The endpoints close connections immediately.
pub fn endpoint_closes(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    during(stage, judge, SHORT, |subject, manner| subject.receiver.behave(manner), Manner::Closes)
}

/// The endpoints take two seconds for every answer.
pub fn endpoint_slow(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let slow = Manner::Slow(SLOW);
    during(stage, judge, OUTAGE, |subject, manner| subject.receiver.behave(manner), slow)
}

fn during(
    stage: &Stage,
    judge: &Judge,
    length: Duration,
    behave: impl Fn(&Subject, Manner),
    manner: Manner,
) -> Result<Vec<Figure>> {
    while_away(stage, judge, |subject| {
        behave(subject, manner);
        let slept = interrupt::sleep(length);
        behave(subject, Manner::Answers);
        slept
    })
}

/// Compares the accepting of messages during the fault with that before and after. `away` returns
/// when the fault is over.
pub fn while_away(
    stage: &Stage,
    judge: &Judge,
    away: impl FnOnce(&mut Subject) -> Result<()>,
) -> Result<Vec<Figure>> {
    let tried = Tried::new(&Setup::plain(&stage.binary, Engine::Sqlite), away)?;
    let Span { begun, ended } = tried.span;
    let without = tried.p99(|at| at < begun || at > ended + BACK);
    let meanwhile = tried.p99(|at| (begun..ended).contains(&at));
    let mut figures = tried.of_calls(judge);
    figures.push(judge.figure("p99 of accepting before and after", without).of("ms"));
    let what = format!("{}: p99 of accepting meanwhile, of before and after", judge.run);
    figures.push(Figure::new(judge.part, what, meanwhile / without, Bound::AtMost(SLOWER)));
    figures.extend(tried.of_the_rest(judge)?);
    Ok(figures)
}

impl Tried {
    /// Returns the 99th percentile of the duration of calls, in milliseconds. Only calls that were
    /// acknowledged at a time for which `when` is true count.
    fn p99(&self, when: impl Fn(Duration) -> bool) -> f64 {
        let of = self.outcome.sent.iter().filter(|it| when(it.accepted.acked));
        let mut took: Vec<Duration> = of.map(|it| it.took).collect();
        took.sort_unstable();
        let place = took.len().saturating_sub(1) * 99 / 100;
        took.get(place).copied().unwrap_or_default().as_secs_f64() * 1e3
    }
}
