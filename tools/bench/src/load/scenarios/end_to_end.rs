//! The complete processing of messages over several minutes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::sends;
use super::target::{Expected, Target};
use servers::clock::Stopwatch;

const SAMPLE: Duration = Duration::from_millis(500);

/// Measures completely processed messages per second. Each message is accepted, sent and reported
/// on twice, with all its events. The measured time ends when nothing is left to do.
pub fn sustained(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let requests = sends::requests(target.key(), false);
    let Some(server) = target.switchboard() else {
        return target.measure(stage, &requests, seconds, Expected::Success);
    };
    target.warm_up(stage, &requests, Expected::Success)?;
    let before = Done::so_far(server)?;
    let processor = Processor::watch(server.process())?;
    let watch = Stopwatch::start();
    let (outcome, backlog) =
        while_sampling(server, || target.only_load(stage, &requests, seconds, Expected::Success))?;
    let drained = server.drain()?;
    let took = watch.elapsed().as_secs_f64();
    let percent = processor.percent()?;
    let done = Done::so_far(server)?;
    done.check(outcome.requests + before.messages)?;
    Ok(Measured::of(float(done.messages - before.messages) / took)
        .with("accepted_per_s", outcome.per_second)
        .with("p50_ms", outcome.p50)
        .with("p99_ms", outcome.p99)
        // A backlog that stays bounded does not grow between half time and the end.
        .with("peak_backlog", at(backlog.iter().max()))
        .with("half_backlog", at(backlog.get(backlog.len() / 2)))
        .with("end_backlog", at(backlog.last()))
        .with("drain_s", drained.as_secs_f64())
        .with("cpu_percent", percent))
}

fn at(backlog: Option<&u64>) -> f64 {
    backlog.copied().map_or(0.0, float)
}

/// Runs `work` and returns samples of the backlog during that time.
fn while_sampling<T>(
    server: &Switchboard,
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, Vec<u64>)> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let sampler = scope.spawn(|| -> Result<Vec<u64>> {
            let mut samples = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                samples.extend(server.outbox_depth()?);
                thread::sleep(SAMPLE);
            }
            Ok(samples)
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        let backlog = sampler.join().ok().context("the sampler panicked")?;
        Ok((done?, backlog?))
    })
}

/// Counts of processed messages and events.
struct Done {
    messages: u64,
    delivered: u64,
    events: u64,
}

impl Done {
    fn so_far(server: &Switchboard) -> Result<Self> {
        let counted = server.database().numbers(
            "SELECT (SELECT count(*) FROM messages), \
             (SELECT count(*) FROM messages WHERE status = 'delivered'), \
             (SELECT count(*) FROM events WHERE kind IN \
             ('message.queued', 'message.sent', 'message.delivered'))",
        )?;
        match counted[..] {
            [messages, delivered, events] => Ok(Self { messages, delivered, events }),
            _ => anyhow::bail!("the database counts {counted:?}"),
        }
    }

    fn check(&self, accepted: u64) -> Result<()> {
        let Self { messages, delivered, events } = self;
        ensure!(*messages >= accepted, "{accepted} messages were accepted, {messages} are kept");
        ensure!(delivered == messages, "{delivered} of {messages} messages are delivered");
        ensure!(*events == messages * 3, "{messages} messages have {events} events");
        Ok(())
    }
}
