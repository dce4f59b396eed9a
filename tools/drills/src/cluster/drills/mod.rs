//! The drills. Each starts its own site, disturbs it under load, and evaluates the results from
//! outside.

mod failover;
mod fairness;
mod kill;
mod limits;
mod nodes;
mod rolling;
mod scale;
mod wake;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use super::site::Plan;
use crate::proof::report::Figure;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drill {
    /// Rate limits and ceilings are exact over all instances, under 64 clients
    Limits,
    /// A killed instance loses nothing, reorders nothing, and delays nothing by more than 5 s
    Kill,
    /// Instances are restarted, and replaced by a newer version, without a failed request
    Rolling,
    /// A message leaves within 50 ms, even if one instance accepts it while another one works on
    /// its conversation
    Wake,
    /// Two instances carry 1.6 times the load of one if cores are not the limit
    Scale,
    /// Two and three nodes of a distributed database accept 1.7 and 2.4 times as much as one (needs
    /// Citus)
    Nodes,
    /// A message leaves as soon with as without an organization that queues 100,000, on SQLite and
    /// PostgreSQL
    Fairness,
    /// The primary of three databases under Patroni is killed, switched over and frozen, and
    /// nothing is lost
    Failover,
}

/// The settings of the drills.
pub struct Stage {
    /// The plan of a site.
    pub plan: Plan,
    /// The binary of an earlier version, for the drill `rolling`.
    pub old_binary: Option<PathBuf>,
    /// The duration of the drill `limits` in minutes.
    pub minutes: u32,
    /// The number of messages that an organization queues in the drill `fairness`.
    pub queued: u64,
    /// The number of disturbances in each drill that repeats them.
    pub rounds: u32,
}

impl Drill {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::Kill => "kill",
            Self::Rolling => "rolling",
            Self::Wake => "wake",
            Self::Scale => "scale",
            Self::Nodes => "nodes",
            Self::Fairness => "fairness",
            Self::Failover => "failover",
        }
    }

    pub fn run(self, stage: &Stage) -> Result<Vec<Figure>> {
        match self {
            Self::Limits => limits::run(stage),
            Self::Kill => kill::run(stage),
            Self::Rolling => rolling::run(stage),
            Self::Wake => wake::run(stage),
            Self::Scale => scale::run(stage),
            Self::Nodes => nodes::run(stage),
            Self::Fairness => fairness::run(stage),
            Self::Failover => failover::run(stage),
        }
    }
}
