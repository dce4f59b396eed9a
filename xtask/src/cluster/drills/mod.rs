//! The drills: each starts a site of its own, does something to it under load, and judges what came of it from outside.

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

/// A drill.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drill {
    /// Rate windows and ceilings are exact over all instances, under 64 clients
    Limits,
    /// An instance that is killed loses nothing, reorders nothing, and delays nothing by more than 5 s
    Kill,
    /// Instances are restarted, and replaced by a newer version, without a failed request
    Rolling,
    /// A message accepted on one instance in a conversation that another works on leaves within 50 ms
    Wake,
    /// Two instances carry 1.6 times one, where cores are not the limit
    Scale,
    /// Two and three nodes of a distributed database accept 1.7 and 2.4 times what one does (needs Citus)
    Nodes,
    /// A message leaves as soon beside an organization that has queued 100,000 as without it, on SQLite and PostgreSQL
    Fairness,
    /// Of three databases under Patroni the primary is killed, switched over and frozen, and nothing is lost
    Failover,
}

/// What drills are run on.
pub struct Stage {
    /// What a site is made of.
    pub plan: Plan,
    /// An earlier version.
    pub old_binary: Option<PathBuf>,
    /// How long the longest drill takes.
    pub minutes: u32,
    /// How many messages an organization queues.
    pub queued: u64,
    /// How often something is done to instances.
    pub rounds: u32,
}

impl Drill {
    /// As it is named on the command line.
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

    /// Runs it.
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
