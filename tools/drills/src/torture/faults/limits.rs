//! Faults of Redis: it is killed or paused. Meanwhile, calls with a key that has a rate limit are
//! refused, and all other calls are answered.

use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use super::super::Stage;
use super::super::judge::Judge;
use super::super::subject::{Engine, Setup, Subject};
use super::{ANSWER, Answers, BACK, Tried};
use crate::proof::report::Figure;
use servers::{Redis, interrupt};

const DOWN: Duration = Duration::from_secs(8);
/// The rate limit of the key, in calls per minute. The number of calls stays below this limit.
const RATE: &str = "6000";
const ME: &str = "/api/v1/me";

/// Kills Redis with `kill -9`. When it is started again, it has no data.
pub fn killed(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let mut is_down = false;
    without(stage, judge, |it| {
        is_down = !is_down;
        if !is_down {
            return it.start_again();
        }
        it.kill();
        Ok(())
    })
}

/// Pauses Redis with SIGSTOP.
pub fn stalled(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let mut next = [Signal::STOP, Signal::CONT].into_iter();
    without(stage, judge, |it| {
        next.by_ref().take(1).for_each(|signal| it.signal(signal));
        Ok(())
    })
}

fn redis(subject: &mut Subject) -> Result<&mut Redis> {
    subject.redis.as_mut().context("no Redis")
}

/// Runs the fault. The first call of `turn` makes Redis unavailable, and the second call restores
/// it.
pub fn without(
    stage: &Stage,
    judge: &Judge,
    mut turn: impl FnMut(&mut Redis) -> Result<()>,
) -> Result<Vec<Figure>> {
    let setup = Setup { redis: true, ..Setup::plain(&stage.binary, Engine::Postgres) };
    let subject = Subject::start(&setup)?;
    let key = subject.operator.key(&subject.organizations[0].id, RATE)?;
    let (mut meanwhile, mut back) = (Answers::default(), Answers::default());
    let tried = Tried::on(subject, |subject| {
        let port = subject.port()?;
        turn(redis(subject)?)?;
        let answers = Answers::of(port, &key, ME, DOWN);
        turn(redis(subject)?)?;
        meanwhile = answers?;
        interrupt::sleep(BACK)?;
        back = Answers::of(port, &key, ME, Duration::from_secs(2))?;
        Ok(())
    })?;
    let mut figures = vec![
        judge
            .none("calls of a limited key that were not answered 503", meanwhile.other_than(503))
            .noted(meanwhile.seen()),
        judge.none("503 that do not say when to try again", meanwhile.without_retry),
        judge.within("longest until a 503", meanwhile.longest, ANSWER),
        judge
            .none("calls of that key refused 5 s after the end", back.other_than(200))
            .noted(back.seen()),
    ];
    // Keys without a limit do not need Redis.
    figures.extend(tried.of_calls(judge));
    figures.extend(tried.of_the_rest(judge)?);
    Ok(figures)
}
