//! `cargo xtask torture`: what is promised of the server is tried to be broken, and judged from outside by a history of
//! calls and their outcomes, the database, a stand-in for the channel, and a receiver of webhooks.

mod clients;
mod crash;
mod faults;
mod fuzz;
mod judge;
mod large;
mod power_cut;
mod preload;
mod simulation;
pub mod subject;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::fill::built;
use crate::proof::report::{self, Figure};
use crate::step::step;
use crate::workspace::Workspace;
use crate::{clock, interrupt, programs};

/// What to try, and for how long.
#[derive(Args)]
pub struct Options {
    /// Minutes that the crashes and the power cuts take together; fuzzing and the simulation take a quarter of that each, and
    /// the other parts as long as they take
    #[arg(default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
    /// Run these parts only, with commas between
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<Part>,
    /// Of the faults these only, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = faults::named)]
    fault: Vec<faults::Fault>,
    /// Of the hostile clients these only, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = clients::named)]
    attack: Vec<clients::Attack>,
    /// Repeat the moments and choices of an earlier run, which has printed this number
    #[arg(long)]
    seed: Option<u64>,
    /// The server's program; built if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A part.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The server is killed at random moments under load, on both databases
    Crash,
    /// The power goes, on SQLite: what was not synced is dropped or torn
    PowerCut,
    /// A database of a million messages, on which the server is started and killed again and again, on both databases
    Large,
    /// What the server depends on fails: databases, the channel, endpoints, the disk, the clock
    Faults,
    /// Hostile clients beside healthy ones, which must not notice
    Clients,
    /// What reads bytes from outside, with many more cases than the tests have
    Fuzz,
    /// The workers under a scheduler that follows from a seed, with crashes between any two awaits
    Simulation,
}

/// What parts are run with.
pub struct Stage {
    /// The server's program.
    pub binary: PathBuf,
    /// What chances follow from.
    pub seed: u64,
    /// How long crashes go on, on each database.
    pub crash: Duration,
    /// How long power cuts go on.
    pub power_cut: Duration,
    /// How long fuzzing and the simulation go on, each.
    pub search: Duration,
    /// Where the tests are.
    pub workspace: Workspace,
    /// The faults to try; all where there is none.
    pub faults: Vec<&'static str>,
    /// The hostile clients to try; all where there is none.
    pub attacks: Vec<&'static str>,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::PowerCut => "power-cut",
            Self::Large => "large",
            Self::Faults => "faults",
            Self::Clients => "clients",
            Self::Fuzz => "fuzz",
            Self::Simulation => "simulation",
        }
    }

    /// Whether it runs the program, and not tests.
    const fn drives_a_server(self) -> bool {
        !matches!(self, Self::Fuzz | Self::Simulation)
    }

    fn run(self, stage: &Stage) -> Result<Vec<Figure>> {
        match self {
            Self::Crash => crash::run(stage),
            Self::PowerCut => power_cut::run(stage),
            Self::Large => large::run(stage),
            Self::Faults => faults::run(stage),
            Self::Clients => clients::run(stage),
            Self::Fuzz => fuzz::run(stage),
            Self::Simulation => simulation::run(stage),
        }
    }
}

/// Runs the parts one after the other; one that cannot be run is a failure, and the others are run all the same.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_TORTURE)?;
    let parts = if options.only.is_empty() { Part::value_variants() } else { &options.only };
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None if parts.iter().any(|part| part.drives_a_server()) => built(workspace)?,
        None => PathBuf::new(),
    };
    let seed = options.seed.unwrap_or_else(|| clock::now().unix_timestamp().unsigned_abs());
    eprintln!("[xtask] --seed {seed} repeats the choices of this run");
    let all = Duration::from_mins(1) * options.minutes;
    let stage = Stage {
        binary,
        seed,
        crash: all / 4,
        power_cut: all / 2,
        search: all / 4,
        workspace: workspace.clone(),
        faults: options.fault.iter().map(|it| it.name).collect(),
        attacks: options.attack.iter().map(|it| it.name).collect(),
    };
    let (mut figures, mut broken) = (Vec::new(), Vec::new());
    for part in parts {
        match step(&format!("torture {}", part.name()), || part.run(&stage)) {
            Ok(found) => figures.extend(found),
            Err(error) => {
                interrupt::check()?;
                eprintln!("[xtask] torture {}: {error:#}", part.name());
                broken.push(format!("{}: {error:#}", part.name()));
            }
        }
    }
    if options.json {
        println!("{}", report::json(&figures));
    } else {
        print!("{}", report::table(&figures));
    }
    let failed = figures.iter().filter(|it| it.passes() == Some(false));
    broken.extend(failed.map(|it| format!("{}: {}", it.drill, it.what)));
    if !broken.is_empty() {
        bail!("{} of what is promised is not so:\n{}", broken.len(), broken.join("\n"));
    }
    Ok(())
}
