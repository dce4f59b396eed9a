//! A private `PostgreSQL` of several nodes: a coordinator and workers, with the Citus extension.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::postgres::{TEMPLATE, answer, ask};
use crate::{Durability, Postgres, process, programs};

/// The settings for the extension. The number of shards is small, because every shard has all
/// indexes of its table.
const SETTINGS: &[&str] = &[
    "shared_preload_libraries=citus,pg_stat_statements",
    "pg_stat_statements.max=20000",
    "wal_level=logical",
    "max_prepared_transactions=400",
    "max_worker_processes=64",
    "max_wal_senders=32",
    "max_replication_slots=32",
    "citus.shard_count=4",
    "citus.node_conninfo=sslmode=disable",
    // At lower levels the log has a line for each of many databases. Lower the level to debug a
    // failure.
    "log_min_messages=fatal",
];
const CONNECTIONS: u32 = 400;
/// The default number of workers.
pub const WORKERS: u8 = 2;

/// A running cluster; dropping it stops it and removes its data.
pub struct Citus {
    coordinator: Postgres,
    workers: Vec<Postgres>,
}

impl Citus {
    /// Creates the nodes, each in a new directory under `base`, and starts them.
    pub fn start(durability: Durability, base: &Path, workers: u8) -> Result<Self> {
        let start = || Postgres::start_set(durability, base, CONNECTIONS, SETTINGS);
        is_installed()?;
        let coordinator = start()?;
        let workers = (0..workers).map(|_| start()).collect::<Result<_>>()?;
        let citus = Self { coordinator, workers };
        for node in citus.nodes() {
            allow_replication(node)?;
        }
        Ok(citus)
    }

    fn nodes(&self) -> impl Iterator<Item = &Postgres> {
        std::iter::once(&self.coordinator).chain(&self.workers)
    }

    /// Returns the process ids of the nodes, the coordinator's first.
    pub fn processes(&self) -> Vec<u32> {
        self.nodes().map(Postgres::process).collect()
    }

    /// Returns the URL of a database on each node, the coordinator's first.
    pub fn database_urls(&self, name: &str) -> Vec<String> {
        self.nodes().map(|node| node.database_url(name)).collect()
    }

    /// Sets the number of shards for tables that are distributed from then on.
    pub fn set_shards(&self, shards: u8) -> Result<()> {
        let url = self.coordinator.url();
        ask(&url, &format!("ALTER SYSTEM SET citus.shard_count = {shards}"))?;
        ask(&url, "SELECT pg_reload_conf()")
    }

    /// Returns the URL of a database on the coordinator.
    pub fn database_url(&self, name: &str) -> String {
        self.coordinator.database_url(name)
    }

    /// Returns the URL of the default database on each node, the coordinator's first.
    pub fn urls(&self) -> Vec<String> {
        self.nodes().map(Postgres::url).collect()
    }

    /// Adds the extension to a database that exists on all nodes, and registers the workers with
    /// the coordinator.
    fn join(&self, name: &str) -> Result<()> {
        for node in self.nodes() {
            ask(&node.database_url(name), "CREATE EXTENSION citus")?;
        }
        let port = self.coordinator.port();
        let url = self.database_url(name);
        ask(&url, &format!("SELECT citus_set_coordinator_host('127.0.0.1', {port})"))?;
        for worker in &self.workers {
            ask(&url, &format!("SELECT citus_add_node('127.0.0.1', {})", worker.port()))?;
        }
        Ok(())
    }

    /// Creates a database, lets the Switchboard executable `program` distribute it over the nodes,
    /// and returns its URL.
    pub fn distributed(&self, name: &str, program: &Path) -> Result<String> {
        for node in self.nodes() {
            ask(&node.url(), &format!("CREATE DATABASE {name}"))?;
        }
        self.join(name)?;
        let url = self.database_url(name);
        for what in ["run", "distribute"] {
            let mut migrate = Command::new(program);
            process::stdout(migrate.args(["migrate", what, "--database-url", &url]))?;
        }
        Ok(url)
    }

    /// Creates a distributed database that tests copy on each node. PostgreSQL does not copy a
    /// database that has connections, so connections are forbidden and closed.
    pub fn make_template(&self, program: &Path) -> Result<()> {
        self.distributed(TEMPLATE, program)?;
        for node in self.nodes() {
            ask(&node.url(), &format!("ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS false"))?;
        }
        // Two kinds of connections are still open: those of the nodes to each other, and that of
        // the extension's background process. They are closed.
        for node in self.nodes() {
            let end = format!(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{TEMPLATE}'"
            );
            ask(&node.url(), &end)?;
        }
        Ok(())
    }
}

/// Allows Citus's output plugin for logical replication. New versions of `PostgreSQL` have a list
/// of the allowed plugins. Others do not have the setting.
fn allow_replication(node: &Postgres) -> Result<()> {
    let known = "SELECT 1 FROM pg_settings WHERE name = 'output_plugin_libraries'";
    if answer(&node.url(), known)?.trim().is_empty() {
        return Ok(());
    }
    let allow = "ALTER SYSTEM SET output_plugin_libraries = pgoutput, test_decoding, citus";
    ask(&node.url(), allow)?;
    ask(&node.url(), "SELECT pg_reload_conf()")
}

/// Checks that Citus is installed. Debian has no package of it.
fn is_installed() -> Result<()> {
    let mut ask = Command::new(programs::require(&["pg_config"])?);
    let folder = process::stdout(ask.arg("--sharedir"))?;
    let control = Path::new(folder.trim()).join("extension/citus.control");
    if !control.is_file() {
        bail!(
            "this PostgreSQL has no Citus ({} is missing): docs/scale.md shows how to build it",
            control.display()
        );
    }
    Ok(())
}
