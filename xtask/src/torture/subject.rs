//! What is tortured: a server on one of the databases, with a channel and a receiver of webhooks that note what arrives.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::bench::Database;
use crate::clock::Stopwatch;
use crate::proof::channel::{Channel, Delay};
use crate::proof::instance::{Instance, Shared};
use crate::proof::operator::{Operator, Organization, UNLIMITED};
use crate::proof::receiver::Receiver;
use crate::proof::sender::{Failed, Load, Outcome};
use crate::servers::{Durability, Member, Postgres, Redis};

/// On disk on every Debian, where `/tmp` may be in memory and an fsync worth nothing.
pub const FILES: &str = "/var/tmp";
const PASSWORD: &str = "correct horse battery staple";
/// How long the channel takes, in milliseconds.
const DELAY: Delay = Delay { least: 2, more: 8 };
/// Senders, of whom one half writes by way of the sandbox, the other by way of the stand-in.
pub const SENDERS: usize = 12;
/// Milliseconds between two messages of a sender, or up to twice as many: the machine is to carry it easily.
pub const PAUSE: u64 = 40;

/// Which database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

impl Engine {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// What a subject is made of.
pub struct Setup {
    /// The server's program.
    pub binary: PathBuf,
    /// Its database.
    pub engine: Engine,
    /// How many servers.
    pub instances: usize,
    /// How many connections `PostgreSQL` takes at most.
    pub connections: u32,
    /// Whether they share rate windows in Redis.
    pub redis: bool,
    /// Where `PostgreSQL` keeps its files, if not where they are otherwise.
    pub postgres_files: Option<PathBuf>,
    /// Where files are kept, if not where they are otherwise.
    pub folder: Option<PathBuf>,
    /// How long the channel takes.
    pub delay: Delay,
    /// The environment besides.
    pub variables: Vec<(&'static str, String)>,
}

impl Setup {
    /// One server, with nothing special.
    pub fn plain(binary: &Path, engine: Engine) -> Self {
        Self {
            binary: binary.to_owned(),
            engine,
            instances: 1,
            connections: 100,
            redis: false,
            postgres_files: None,
            folder: None,
            delay: DELAY,
            variables: Vec::new(),
        }
    }
}

/// It, until it is dropped.
pub struct Subject {
    // In this order: nothing goes before what uses it.
    /// The servers.
    pub instances: Vec<Instance>,
    /// Redis, if there is one.
    pub redis: Option<Redis>,
    /// `PostgreSQL`, if it is the database.
    pub postgres: Option<Postgres>,
    /// One in the sandbox, one at the stand-in for Meta.
    pub organizations: [Organization; 2],
    /// Where the second one's messages arrive.
    pub channel: Channel,
    /// Where the events of both arrive.
    pub receiver: Receiver,
    /// Whoever types commands.
    pub operator: Operator,
    /// What times are counted from.
    pub watch: Stopwatch,
    /// The servers' program.
    pub binary: PathBuf,
    /// Where everything is.
    pub folder: PathBuf,
    _files: TempDir,
}

/// The path of an organization's webhooks.
pub fn webhook_path(organization: usize) -> String {
    format!("/{organization}")
}

impl Subject {
    /// Starts everything, and makes the organizations with their endpoints.
    pub fn start(setup: &Setup) -> Result<Self> {
        let files = tempfile::Builder::new()
            .prefix("switchboard-torture-")
            .tempdir_in(FILES)
            .with_context(|| format!("cannot make a directory in {FILES}"))?;
        let watch = Stopwatch::start();
        let (channel, receiver) = (Channel::start(watch, setup.delay)?, Receiver::start()?);
        let base = Path::new(FILES);
        let postgres = match setup.engine {
            Engine::Postgres => {
                let base = setup.postgres_files.as_deref().unwrap_or(base);
                Some(Postgres::start_with(Durability::Durable, base, setup.connections)?)
            }
            Engine::Sqlite => None,
        };
        let redis = if setup.redis { Some(Redis::start(base)?) } else { None };
        let folder = setup.folder.clone().unwrap_or_else(|| files.path().to_owned());
        let database = match &postgres {
            Some(postgres) => Database::Postgres(postgres.url()),
            None => Database::Sqlite(folder.join("switchboard.db")),
        };
        let mut settings = vec![("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned())];
        settings.extend(redis.iter().map(|it| ("SWITCHBOARD_REDIS_URL", it.url())));
        settings.extend(setup.variables.iter().cloned());
        let shared = Shared {
            folder: folder.clone(),
            logs: files.path().to_owned(),
            database: database.url(),
            settings,
            graph: Some(channel.url()),
        };
        let mut instances = Vec::new();
        for number in 1..=setup.instances {
            let mut instance = Instance::new(&shared, number)?;
            let url = format!("http://127.0.0.1:{}", instance.port);
            instance.set("SWITCHBOARD_BASE_URL", url);
            instance.start(&setup.binary)?;
            instances.push(instance);
        }
        let operator = Operator { binary: setup.binary.clone(), folder: folder.clone(), database };
        operator.plan(UNLIMITED, None, None)?;
        let organizations = [
            operator.organization("Bakery", UNLIMITED)?,
            operator.organization_at_meta("Florist")?,
        ];
        let subject = Self {
            instances,
            redis,
            postgres,
            organizations,
            channel,
            receiver,
            operator,
            watch,
            binary: setup.binary.clone(),
            folder,
            _files: files,
        };
        subject.add_endpoints()?;
        Ok(subject)
    }

    fn add_endpoints(&self) -> Result<()> {
        for (number, organization) in self.organizations.iter().enumerate() {
            let email = format!("ada{number}@torture.example");
            self.operator.member(&organization.id, &email, PASSWORD)?;
            let member = Member::sign_in(self.port()?, &email, PASSWORD)?;
            member.add_endpoint(&self.receiver.url(&webhook_path(number)))?;
        }
        Ok(())
    }

    /// Where the first server listens.
    pub fn port(&self) -> Result<u16> {
        Ok(self.instances.first().context("no server")?.port)
    }

    /// The first server.
    pub fn server(&mut self) -> Result<&mut Instance> {
        self.instances.first_mut().context("no server")
    }

    /// Does `work` with it while there is load on its first server.
    pub fn under_load(
        &mut self,
        failed: Failed,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Outcome> {
        let (organizations, watch, port) = (self.organizations.clone(), self.watch, self.port()?);
        let (organizations, senders, pause) = (&organizations[..], SENDERS, PAUSE);
        let load = Load { port, organizations, senders, pause, failed, watch };
        load.during(|| work(self))
    }
}
