//! Runs the workers in a random order that a seed determines, with a channel and an endpoint that
//! fail, callbacks that are late, repeated and out of order, a clock that jumps, and crashes
//! between any two awaits.
//!
//!
//! Each life of the server has its own runtime with one thread. A crash drops all tasks at a chosen
//! poll, and everything that was only in memory. What was written stays, and the next life opens
//! the same file. A seed repeats all choices, but not the timing of the database and the sockets.

mod actions;
mod codes;
mod judge;
mod life;
mod stage;

use crate::cloud::TestRng;
use judge::Figures;
use stage::Stage;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of actions before all faults stop.
const STEPS: usize = 480;
/// The number of simulations in an ordinary test run. `cargo xtask` can run more for a given time.
const SEEDS: u64 = 4;

/// Runs one simulation. A failure reports the seed.
fn simulate(seed: u64) -> Figures {
    let mut stage = Stage::start(seed);
    let mut chance = TestRng::new(seed);
    let mut left = STEPS;
    while left > 0 {
        stage.live(&mut chance, &mut left);
    }
    stage.heal();
    stage.model.moments = life::moments();
    stage.judge().unwrap_or_else(|why| {
        panic!("seed {seed}: {}\n{}", why.join("\n"), stage.model.history.join("\n"))
    })
}

/// Returns a number from an environment variable, which a long run sets.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Runs simulations with consecutive seeds, on as many threads as the machine has processors.
fn simulate_from(first: u64, is_over: impl Fn(u64) -> bool + Sync) -> (u64, Figures) {
    let (next, all) = (AtomicU64::new(0), Mutex::new((0, Figures::default())));
    let threads = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if is_over(number) {
                        return;
                    }
                    let figures = simulate(first + number);
                    let mut all = all.lock().unwrap();
                    all.0 += 1;
                    all.1.add(&figures);
                }
            });
        }
    });
    all.into_inner().unwrap()
}

#[test]
fn all_promises_hold_in_random_simulations() {
    let first = setting("SWITCHBOARD_SIMULATION_SEED").unwrap_or(1);
    let time = setting("SWITCHBOARD_SIMULATION_SECONDS").map(Duration::from_secs);
    let watch = platform::clock::Stopwatch::start();
    let is_over = |number| time.map_or(number >= SEEDS, |time| watch.elapsed() >= time);
    let (runs, all) = simulate_from(first, is_over);
    // The command for long runs reads this line.
    println!("{runs} simulations: {all}");
    let happened =
        [all.crashes, all.sent, all.written, all.lost_answers, all.refused, all.codes, all.keys];
    assert!(time.is_some() || happened.iter().all(|it| *it > 0), "{all}");
}
