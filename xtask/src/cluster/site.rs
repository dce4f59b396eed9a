//! Several instances on one `PostgreSQL`, with Redis and a proxy before them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::proxy::Proxy;
use crate::bench::{Credentials, Database};
use crate::proof::instance::{Instance, Shared};
use crate::proof::operator::{Operator, UNLIMITED, client};
use crate::proof::reporter;
use crate::servers::{Citus, Durability, Postgres, Redis, client::Client, free_port};
use crate::step::step;

/// On disk on every Debian, where `/tmp` may be in memory and an fsync worth nothing.
pub const FILES: &str = "/var/tmp";

/// A distributed one's name on each node.
const DATABASE: &str = "switchboard";

/// What a site is made of.
#[derive(Clone)]
pub struct Plan {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The server's program.
    pub binary: PathBuf,
    /// How many instances.
    pub instances: usize,
    /// Where they log; in the site's own folder, which is gone at the end, if it is not given.
    pub logs: Option<PathBuf>,
    /// Meta's Graph API, where something stands in for it.
    pub graph: Option<String>,
    /// Over what the database is distributed, if it is.
    pub citus: Option<Spread>,
}

/// A database that is distributed.
#[derive(Clone, Copy)]
pub struct Spread {
    /// Beside the coordinator.
    pub workers: u8,
    /// The shards of each table; few, if nobody says.
    pub shards: Option<u8>,
}

/// The database's servers, held until the site is gone.
enum DatabaseServers {
    One(#[expect(dead_code, reason = "dropping it stops it")] Postgres),
    Several(Citus),
}

/// Everything, until it is dropped.
pub struct Site {
    // In this order: nothing goes before what uses it.
    _proxy: Proxy,
    /// The instances, which a drill starts and stops.
    pub instances: Vec<Instance>,
    _redis: Redis,
    servers: Option<DatabaseServers>,
    shared: Shared,
    _files: TempDir,
    binary: PathBuf,
    /// Where the proxy listens.
    pub port: u16,
}

impl Site {
    /// Starts everything.
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

    /// Starts everything but the database, which is there, and to which several URLs lead: the instances take turns.
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

    /// Whoever types commands beside it.
    pub fn operator(&self) -> Operator {
        let (binary, folder) = (self.binary.clone(), self.shared.folder.clone());
        Operator { binary, folder, database: self.database() }
    }

    /// A client of the proxy with a key.
    pub fn client(&self, key: &Credentials) -> Client {
        client(self.port, key)
    }

    /// The processes of the nodes of a distributed database and the database on each, the coordinator's first.
    pub fn nodes(&self) -> Vec<(u32, Database)> {
        let Some(DatabaseServers::Several(citus)) = &self.servers else { return Vec::new() };
        let databases = citus.database_urls(DATABASE).into_iter().map(Database::Postgres);
        citus.processes().into_iter().zip(databases).collect()
    }

    /// The database, for what the API does not tell.
    pub fn database(&self) -> Database {
        Database::Postgres(self.shared.database.clone())
    }
}
