//! A private `PostgreSQL` of several nodes: a coordinator and workers, with the extension Citus.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::{Durability, Postgres};
use crate::{process, programs};

/// What the extension needs. Few shards: each has the indexes of its table.
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
    // Told of each of many databases, if somebody looks for the reason of a failure.
    "log_min_messages=fatal",
];
const CONNECTIONS: u32 = 400;
/// How many workers there are if nobody says.
pub const WORKERS: u8 = 2;
/// A database that is copied for each test.
pub const TEMPLATE: &str = "switchboard_template";

/// It; dropping it stops it and removes its data.
pub struct Citus {
    coordinator: Postgres,
    workers: Vec<Postgres>,
}

impl Citus {
    /// Makes all nodes in new directories under `base` and starts them.
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

    /// The processes of the nodes, the coordinator's first.
    pub fn processes(&self) -> Vec<u32> {
        self.nodes().map(Postgres::process).collect()
    }

    /// The URLs of a database of all nodes, the coordinator's first.
    pub fn database_urls(&self, name: &str) -> Vec<String> {
        self.nodes().map(|node| node.database_url(name)).collect()
    }

    /// So many shards has each table that is distributed from now on.
    pub fn set_shards(&self, shards: u8) -> Result<()> {
        let url = self.coordinator.url();
        ask(&url, &format!("ALTER SYSTEM SET citus.shard_count = {shards}"))?;
        ask(&url, "SELECT pg_reload_conf()")
    }

    /// The URL of a database on the coordinator.
    pub fn database_url(&self, name: &str) -> String {
        self.coordinator.database_url(name)
    }

    /// The URLs of the first database of all nodes, the coordinator's first.
    pub fn urls(&self) -> Vec<String> {
        self.nodes().map(Postgres::url).collect()
    }

    /// Adds the extension to a database, which is on all nodes, and tells the coordinator of the workers.
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

    /// Makes a database, and lets the program distribute it; returns its URL.
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

    /// Makes a database that is distributed, and can be copied on each node: nobody may be connected with it.
    pub fn make_template(&self, program: &Path) -> Result<()> {
        self.distributed(TEMPLATE, program)?;
        for node in self.nodes() {
            ask(&node.url(), &format!("ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS false"))?;
        }
        // Each node is connected with the others, and the extension's own process with the database.
        for node in self.nodes() {
            let end = format!(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{TEMPLATE}'"
            );
            ask(&node.url(), &end)?;
        }
        Ok(())
    }
}

fn ask(url: &str, statement: &str) -> Result<()> {
    answer(url, statement).map(drop)
}

fn answer(url: &str, statement: &str) -> Result<String> {
    let mut psql = Command::new(programs::require(&["psql"])?);
    psql.args(["--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", url, "-c", statement]);
    process::stdout(&mut psql)
}

/// The newest versions of `PostgreSQL` name the libraries that logical replication may use; others know no such setting.
fn allow_replication(node: &Postgres) -> Result<()> {
    let known = "SELECT 1 FROM pg_settings WHERE name = 'output_plugin_libraries'";
    if answer(&node.url(), known)?.trim().is_empty() {
        return Ok(());
    }
    let allow = "ALTER SYSTEM SET output_plugin_libraries = pgoutput, test_decoding, citus";
    ask(&node.url(), allow)?;
    ask(&node.url(), "SELECT pg_reload_conf()")
}

/// Debian has no package of it.
fn is_installed() -> Result<()> {
    let mut ask = Command::new(programs::require(&["pg_config"])?);
    let folder = process::stdout(ask.arg("--sharedir"))?;
    let control = Path::new(folder.trim()).join("extension/citus.control");
    if !control.is_file() {
        bail!(
            "this PostgreSQL has no Citus ({} is not there): docs/scale.md says how to build it",
            control.display()
        );
    }
    Ok(())
}
