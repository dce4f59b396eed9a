//! `cargo xtask torture`: tries to break the server's guarantees. It evaluates a history of calls
//! and their outcomes, the database, a stand-in for the channel, and a webhook receiver.

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
mod turns;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use self::subject::Engine;
use crate::proof::report::{self, Figure};
use bench::fill::built;
use servers::step::step;
use servers::workspace::Workspace;
use servers::{clock, interrupt, programs};

#[derive(Args)]
pub struct Options {
    /// Minutes that the crashes and the power cuts take together; fuzzing and the simulation take a
    /// quarter of that each, and the other parts as long as they need
    #[arg(default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
    /// Run only these parts, separated by commas
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<Part>,
    /// Try only these faults, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = faults::named)]
    fault: Vec<faults::Fault>,
    /// Try only these hostile clients, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = clients::named)]
    attack: Vec<clients::Attack>,
    /// How often the part `turns` kills the server on each database
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    kills: u32,
    /// Run the parts `crash`, `large` and `turns` on this database only
    #[arg(long, value_name = "NAME")]
    database: Option<Engine>,
    /// Repeat the moments and choices of an earlier run, which printed this number
    #[arg(long)]
    seed: Option<u64>,
    /// The server's binary; built if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The server is killed at random moments under load, on both databases
    Crash,
    /// The power fails, on SQLite: data that was not synced is dropped or torn
    PowerCut,
    /// A server is started and killed repeatedly on a database of a million messages, on both
    /// databases
    Large,
    /// The server is killed while an AI agent's model is asked, on both databases: each turn ends
    /// once, with an answer or a reason
    Turns,
    /// Dependencies of the server fail: databases, the channel, endpoints, the disk, the clock
    Faults,
    /// Hostile clients next to healthy ones, which must not be affected
    Clients,
    /// Code that parses bytes from outside, with many more cases than in the tests
    Fuzz,
    /// The workers under a scheduler driven by a seed, with crashes between any two awaits
    Simulation,
}

/// The settings of the parts.
pub struct Stage {
    pub binary: PathBuf,
    /// The seed of all random choices.
    pub seed: u64,
    /// The databases of the parts that run on both.
    pub engines: Vec<Engine>,
    /// The number of kills of the server in the part `turns`, on each database.
    pub kills: u32,
    /// The duration of the part `crash` on each database.
    pub crash: Duration,
    /// The duration of the part `power-cut`.
    pub power_cut: Duration,
    /// The duration of each of the parts `fuzz` and `simulation`.
    pub search: Duration,
    /// The workspace of the tests, which the parts `fuzz` and `simulation` run.
    pub workspace: Workspace,
    /// The faults to try; all of them if empty.
    pub faults: Vec<&'static str>,
    /// The hostile clients to try; all of them if empty.
    pub attacks: Vec<&'static str>,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::PowerCut => "power-cut",
            Self::Large => "large",
            Self::Turns => "turns",
            Self::Faults => "faults",
            Self::Clients => "clients",
            Self::Fuzz => "fuzz",
            Self::Simulation => "simulation",
        }
    }

    /// Whether the part runs the server's binary. The other parts run tests.
    const fn drives_a_server(self) -> bool {
        !matches!(self, Self::Fuzz | Self::Simulation)
    }

    fn run(self, stage: &Stage) -> Result<Vec<Figure>> {
        match self {
            Self::Crash => crash::run(stage),
            Self::PowerCut => power_cut::run(stage),
            Self::Large => large::run(stage),
            Self::Turns => turns::run(stage),
            Self::Faults => faults::run(stage),
            Self::Clients => clients::run(stage),
            Self::Fuzz => fuzz::run(stage),
            Self::Simulation => simulation::run(stage),
        }
    }
}

/// Runs the parts one after the other. A part that cannot run counts as a failure, and the other
/// parts still run.
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
        engines: options.database.map_or_else(|| Engine::BOTH.to_vec(), |one| vec![one]),
        kills: options.kills,
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
        bail!("{} checks failed:\n{}", broken.len(), broken.join("\n"));
    }
    Ok(())
}
