//! `cargo xtask cluster`: several instances on one database behind a proxy, to experiment with, and
//! drills that test from outside the guarantees of all instances together.

mod cpu;
mod drills;
mod site;
mod window;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use self::drills::{Drill, Stage};
use self::site::{Plan, Site, Spread};
use crate::proof::operator::UNLIMITED;
use crate::proof::report;
use bench::fill::built;
use servers::step::step;
use servers::workspace::Workspace;
use servers::{WORKERS, interrupt, programs};

#[derive(Args)]
pub struct Options {
    /// Number of instances; the default is three, or two with `--failover`
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=9))]
    instances: Option<u8>,
    /// The server's binary; built if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Run these drills, separated by commas, and stop
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    drill: Vec<Drill>,
    /// Run the drill `failover` and stop
    #[arg(long)]
    failover: bool,
    /// Distribute the database over a coordinator and two workers; needs an installation of Citus
    /// (docs/scale.md)
    #[arg(long, conflicts_with = "failover")]
    citus: bool,
    /// Duration of the drill `limits` in minutes
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
    /// How many instances the drill `kill` kills, how often `rolling` restarts all of them, and how
    /// often `failover` makes a primary fail in each way
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Number of messages that one organization queues in the drill `fairness`
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    queued: u64,
    /// For the drill `rolling`: the binary of the earlier version, which runs first
    #[arg(long, value_name = "FILE")]
    old_binary: Option<PathBuf>,
    /// Keep the instances' logs in this folder
    #[arg(long, value_name = "FOLDER")]
    logs: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Starts the instances, and runs the drills or waits.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_CLUSTER)?;
    let mut drills = options.drill.clone();
    if options.failover && !drills.contains(&Drill::Failover) {
        drills.push(Drill::Failover);
    }
    if drills.contains(&Drill::Failover) {
        programs::ensure(programs::FOR_FAILOVER)?;
    }
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => built(workspace)?,
    };
    let plan = Plan {
        root: workspace.root().to_owned(),
        binary,
        instances: options.instances.unwrap_or(if options.failover { 2 } else { 3 }).into(),
        logs: options.logs.as_ref().map(std::path::absolute).transpose()?,
        graph: None,
        citus: options.citus.then_some(Spread { workers: WORKERS, shards: None }),
    };
    if drills.is_empty() {
        return wait(&plan, options.json);
    }
    let old_binary = options.old_binary.as_ref().map(std::path::absolute).transpose()?;
    let Options { minutes, rounds, queued, .. } = *options;
    let stage = Stage { plan, old_binary, minutes, queued, rounds };
    prove(&stage, &drills, options.json)
}

/// Runs the drills one after the other. A drill that cannot run counts as a failure, and the others
/// still run.
fn prove(stage: &Stage, drills: &[Drill], is_json: bool) -> Result<()> {
    let (mut figures, mut broken) = (Vec::new(), Vec::new());
    for drill in drills {
        match step(&format!("drill {}", drill.name()), || drill.run(stage)) {
            Ok(found) => figures.extend(found),
            Err(error) => {
                interrupt::check()?;
                eprintln!("[xtask] drill {}: {error:#}", drill.name());
                broken.push(format!("{}: {error:#}", drill.name()));
            }
        }
    }
    if is_json {
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

/// Starts a site and waits until Ctrl-C.
fn wait(plan: &Plan, is_json: bool) -> Result<()> {
    let site = Site::start(plan)?;
    let bakery = site.operator().organization("Bakery", UNLIMITED)?;
    let proxy = format!("http://127.0.0.1:{}", site.port);
    let instances: Vec<String> =
        site.instances.iter().map(|it| format!("http://127.0.0.1:{}", it.port)).collect();
    let (id, secret) = (&bakery.key.client_id, &bakery.key.client_secret);
    if is_json {
        let started = json!({
            "proxy": proxy, "instances": instances, "database": site.database().url(),
            "client_id": id, "client_secret": secret,
        });
        println!("{started:#}");
    } else {
        println!("HAProxy     {proxy}");
        for (number, instance) in (1..).zip(&instances) {
            println!("instance {number}  {instance}");
        }
        println!("PostgreSQL  {}", site.database().url());
        println!(
            "\nSend a message to the sandbox:\n\ncurl -sS {proxy}/api/v1/messages \\\n  \
             -H 'x-client-id: {id}' \\\n  -H 'x-client-secret: {secret}' \\\n  \
             -H 'Content-Type: application/json' \\\n  \
             -d '{{\"type\": \"text\", \"phone_number\": \"+12025550100\", \"text\": \"Good morning\"}}'\n\n\
             Ctrl-C stops everything."
        );
    }
    loop {
        if interrupt::sleep(Duration::from_secs(1)).is_err() {
            // Ctrl-C is the expected end.
            return Ok(());
        }
    }
}
