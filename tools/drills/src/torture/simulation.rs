//! Simulation part: runs the simulation of the acceptance tests for a longer time, with this run's
//! seed.

use anyhow::{Context, Result};

use super::Stage;
use crate::proof::report::{Bound, Figure};
use servers::process;

const PART: &str = "simulation";
const TEST: &str = "simulation::all_promises_hold_in_random_simulations";

/// Runs simulations until the time is over.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut cargo = stage.workspace.cargo();
    cargo.args(["test", "--quiet", "--workspace", "--test", "acceptance", "--"]);
    cargo.args(["--exact", TEST, "--nocapture"]);
    cargo.env("SWITCHBOARD_SIMULATION_SEED", stage.seed.to_string());
    cargo.env("SWITCHBOARD_SIMULATION_SECONDS", stage.search.as_secs().to_string());
    let printed = process::stdout(&mut cargo)?;
    let told = printed.lines().find_map(|line| line.split_once(" simulations: "));
    let (count, what) = told.context("the simulation printed no result")?;
    let count = count.trim_start_matches(|it: char| !it.is_ascii_digit()).parse()?;
    Ok(vec![Figure::new(PART, "simulations without a fault", count, Bound::None).noted(what)])
}
