//! The workers under a scheduler that follows from a seed, with a channel and an endpoint that fail, callbacks that come
//! late, twice and in any order, a clock that jumps, and crashes between any two awaits.
//!
//! Each life of the server has a runtime of its own with one thread; a crash drops whatever that is doing at the poll
//! that was chosen, and all that was only in memory. What is written by then stays: the next life opens the same file. A
//! seed repeats what is chosen, though not how quickly the database and the sockets answer.

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

/// Actions of a simulation, before everything is well again.
const STEPS: usize = 480;
/// Of the fast form.
const SEEDS: u64 = 4;

/// One simulation. What is wrong in the end is told with its seed.
fn simulate(seed: u64) -> Figures {
    let mut stage = Stage::set(seed);
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

/// The number in a variable, which the long form sets.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Simulations of one seed after the other, on as many threads as the machine has processors.
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
fn what_is_promised_holds_whatever_happens() {
    let first = setting("SWITCHBOARD_SIMULATION_SEED").unwrap_or(1);
    let time = setting("SWITCHBOARD_SIMULATION_SECONDS").map(Duration::from_secs);
    let watch = service::clock::Stopwatch::start();
    let is_over = |number| time.map_or(number >= SEEDS, |time| watch.elapsed() >= time);
    let (runs, all) = simulate_from(first, is_over);
    // The long form reads this line.
    println!("{runs} simulations: {all}");
    let happened =
        [all.crashes, all.sent, all.written, all.lost_answers, all.refused, all.codes, all.keys];
    assert!(time.is_some() || happened.iter().all(|it| *it > 0), "{all}");
}
