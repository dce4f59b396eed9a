//! Several instances on one `PostgreSQL`, with Redis and a proxy in front.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::proof::instance::{Instance, Shared};
use crate::proof::operator::{Operator, UNLIMITED, client};
use crate::proof::reporter;
use bench::client::Client;
use bench::load::{Credentials, Database};
use servers::step::step;
use servers::{Citus, Durability, Postgres, Proxy, Redis, free_port};

/// A directory that is on disk on every Debian. `/tmp` may be in memory, where an fsync takes no
/// time.
pub const FILES: &str = "/var/tmp";

/// The name of a distributed database on each node.
const DATABASE: &str = "switchboard";

/// The configuration of a site.
#[derive(Clone)]
pub struct Plan {
    pub root: PathBuf,
    pub binary: PathBuf,
    pub instances: usize,
    /// The folder for logs; by default the site's own folder, which is deleted at the end.
    pub logs: Option<PathBuf>,
    /// The URL of a stand-in for Meta's Graph API.
    pub graph: Option<String>,
    /// The nodes of a distributed database. `None` if the database is not distributed.
    pub citus: Option<Spread>,
}

/// The nodes of a distributed database.
#[derive(Clone, Copy)]
pub struct Spread {
    /// The number of workers beside the coordinator.
    pub workers: u8,
    /// The number of shards per table. If it is `None`, a small default is used.
    pub shards: Option<u8>,
}

/// The database servers, kept until the site is dropped.
enum DatabaseServers {
    One(#[expect(dead_code, reason = "dropping it stops it")] Postgres),
    Several(Citus),
}

/// A running site, until it is dropped.
pub struct Site {
    // Fields are dropped in this order, so that each stops before the services that it uses.
    _proxy: Proxy,
    /// The instances, which a drill starts and stops.
    pub instances: Vec<Instance>,
    _redis: Redis,
    servers: Option<DatabaseServers>,
    shared: Shared,
    _files: TempDir,
    binary: PathBuf,
    /// The port of the proxy.
    pub port: u16,
}

impl Site {
    pub fn start(plan: &Plan) -> Result<Self> {
        let name = format!("starting PostgreSQL, Redis, HAProxy and {} instances", plan.instances);
        step(&name, || {
            let (durability, base) = (Durability::Durable, Path::new(FILES));
            let (servers, url) = if let Some(Spread { workers, shards }) = plan.citus {
                let citus = Citus::start(durability, base, workers)?;
                if let Some(shards) = shards {
                    citus.set_shards(shards)?;
                }
                let url = citus.distributed(DATABASE, &plan.binary)?;
                (DatabaseServers::Several(citus), url)
            } else {
                let postgres = Postgres::start(durability, base)?;
                let url = postgres.url();
                (DatabaseServers::One(postgres), url)
            };
            Self::assemble(plan, Some(servers), &[url])
        })
    }

    /// Starts the services around a database that is already running. If there are several URLs of
    /// the database, the instances use them in turn.
    pub fn start_on(plan: &Plan, urls: &[String]) -> Result<Self> {
        let name = format!("starting Redis, HAProxy and {} instances", plan.instances);
        step(&name, || Self::assemble(plan, None, urls))
    }

    fn assemble(plan: &Plan, servers: Option<DatabaseServers>, urls: &[String]) -> Result<Self> {
        let base = Path::new(FILES);
        let files = tempfile::Builder::new()
            .prefix("switchboard-cluster-")
            .tempdir_in(base)
            .with_context(|| format!("cannot make a directory in {FILES}"))?;
        let redis = Redis::start(base)?;
        let port = free_port()?;
        let settings = vec![
            ("SWITCHBOARD_BASE_URL", format!("http://127.0.0.1:{port}")),
            ("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.1".to_owned()),
            ("SWITCHBOARD_REDIS_URL", redis.url()),
            ("SWITCHBOARD_GRAPH_APP_SECRET", reporter::APP_SECRET.to_owned()),
            ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned()),
        ];
        let logs = plan.logs.clone().unwrap_or_else(|| files.path().to_owned());
        fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
        let folder = files.path().to_owned();
        let database = urls.first().context("no database")?.clone();
        let shared = Shared { folder, logs, database, settings, graph: plan.graph.clone() };
        let mut instances = Vec::new();
        for (number, url) in (1..=plan.instances).zip(urls.iter().cycle()) {
            let own = Shared { database: url.clone(), ..shared.clone() };
            let mut instance = Instance::new(&own, number)?;
            instance.start(&plan.binary)?;
            instances.push(instance);
        }
        let ports: Vec<u16> = instances.iter().map(|it| it.port).collect();
        let proxy = Proxy::start(&plan.root, files.path(), port, &ports)?;
        let site = Self {
            _proxy: proxy,
            instances,
            _redis: redis,
            servers,
            shared,
            _files: files,
            binary: plan.binary.clone(),
            port,
        };
        site.operator().plan(UNLIMITED, None, None)?;
        Ok(site)
    }

    /// Returns an operator, who runs admin commands.
    pub fn operator(&self) -> Operator {
        let (binary, folder) = (self.binary.clone(), self.shared.folder.clone());
        Operator { binary, folder, database: self.database() }
    }

    /// Returns a client of the proxy with a key.
    pub fn client(&self, key: &Credentials) -> Client {
        client(self.port, key)
    }

    /// Returns the process and the database of each node of a distributed database, the coordinator
    /// first.
    pub fn nodes(&self) -> Vec<(u32, Database)> {
        let Some(DatabaseServers::Several(citus)) = &self.servers else { return Vec::new() };
        let databases = citus.database_urls(DATABASE).into_iter().map(Database::Postgres);
        citus.processes().into_iter().zip(databases).collect()
    }

    /// Returns the database, to read data that the API does not show.
    pub fn database(&self) -> Database {
        Database::Postgres(self.shared.database.clone())
    }
}
