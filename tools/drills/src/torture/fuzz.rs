//! Fuzz part: runs the property tests of code that parses bytes from outside. They run in rounds,
//! with many more cases than usual. proptest stores a failing case in `proptest-regressions` beside
//! the source.

use anyhow::Result;

use super::Stage;
use crate::proof::report::{Bound, Figure};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::process;

const PART: &str = "fuzz";
/// The number of cases per property in a round; in the normal tests it is 256.
const CASES: u32 = 4096;

/// Runs rounds until the time is over.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let (watch, mut rounds) = (Stopwatch::start(), 0_u32);
    while rounds == 0 || watch.elapsed() < stage.search {
        let mut cargo = stage.workspace.cargo();
        cargo.args(["test", "--quiet", "--workspace", "--lib"]);
        cargo.env("PROPTEST_CASES", CASES.to_string());
        process::run(&mut cargo)?;
        rounds += 1;
    }
    let cases = f64::from(rounds) * f64::from(CASES);
    let took = float(watch.elapsed().as_secs());
    Ok(vec![
        Figure::new(PART, "cases of each property", cases, Bound::None),
        Figure::new(PART, "time", took, Bound::None).of("s"),
    ])
}
