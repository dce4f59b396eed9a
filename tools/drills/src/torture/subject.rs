//! The subject of the tests: a server on one of the databases, with a channel and a webhook
//! receiver that record arrivals.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use tempfile::TempDir;

use crate::proof::channel::{Channel, Delay};
use crate::proof::customers::{CustomerLoad, CustomerOutcome};
use crate::proof::instance::{Instance, Shared};
use crate::proof::model::ModelStandIn;
use crate::proof::operator::{Operator, Organization, UNLIMITED};
use crate::proof::receiver::Receiver;
use crate::proof::sender::{Failed, Load, Outcome};
use bench::load::Database;
use bench::member::Member;
use servers::clock::Stopwatch;
use servers::{Durability, Postgres, Redis};

/// A directory that is on disk on every Debian. `/tmp` may be in memory, where an fsync takes no
/// time.
pub const FILES: &str = "/var/tmp";
const PASSWORD: &str = "correct horse battery staple";
/// The channel's delay in milliseconds.
const DELAY: Delay = Delay { least: 2, more: 8 };
/// The number of senders. Half of them use the sandbox, the others the stand-in.
pub const SENDERS: usize = 12;
/// The pause between a sender's messages in milliseconds; it is up to twice as long. The load must
/// be small for the machine.
pub const PAUSE: u64 = 40;
/// The number of customers who write to the AI agent at the same time.
const CUSTOMERS: usize = 6;
/// The pause between a customer's messages in milliseconds; it is up to twice as long.
const CUSTOMER_PAUSE: u64 = 250;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub const BOTH: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// Returns the name that the report shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The configuration of a subject.
pub struct Setup {
    pub binary: PathBuf,
    pub engine: Engine,
    pub instances: usize,
    /// The connection limit of `PostgreSQL`.
    pub connections: u32,
    /// Whether the servers share rate limits in Redis.
    pub redis: bool,
    /// The folder for `PostgreSQL`'s files. `None` means the default folder.
    pub postgres_files: Option<PathBuf>,
    /// The folder for other files. `None` means the default folder.
    pub folder: Option<PathBuf>,
    pub delay: Delay,
    /// Whether there is an organization with an AI agent, to which customers write under load.
    pub has_agent: bool,
    pub variables: Vec<(&'static str, String)>,
}

impl Setup {
    /// Returns the configuration of a single server with default values.
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
            has_agent: false,
            variables: Vec::new(),
        }
    }

    /// Returns the configuration of a single server with an AI agent.
    pub fn with_agent(binary: &Path, engine: Engine) -> Self {
        Self { has_agent: true, ..Self::plain(binary, engine) }
    }
}

/// An organization in the sandbox with an AI agent.
pub struct AgentOrganization {
    pub organization: Organization,
    /// The server of the agent's model.
    pub model: ModelStandIn,
    /// The messages that customers and people have written under load.
    pub outcome: CustomerOutcome,
}

/// A running subject, until it is dropped.
pub struct Subject {
    // Fields are dropped in this order, so that each stops before the services that it uses.
    /// The servers.
    pub instances: Vec<Instance>,
    pub redis: Option<Redis>,
    pub postgres: Option<Postgres>,
    /// An organization in the sandbox, and one on Meta's stand-in.
    pub organizations: [Organization; 2],
    pub agent: Option<AgentOrganization>,
    /// The stand-in to which the second organization's messages are sent.
    pub channel: Channel,
    /// The receiver of all organizations' events.
    pub receiver: Receiver,
    pub operator: Operator,
    /// The stopwatch by which all times are measured.
    pub watch: Stopwatch,
    pub binary: PathBuf,
    /// The folder of the servers' files.
    pub folder: PathBuf,
    _files: TempDir,
}

/// Returns the path of an organization's webhooks.
pub fn webhook_path(organization: usize) -> String {
    format!("/{organization}")
}

impl Subject {
    /// Starts everything, and creates the organizations with their endpoints.
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
        let mut settings = vec![
            ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned()),
            ("SWITCHBOARD_AGENT_ALLOW", "127.0.0.0/8".to_owned()),
        ];
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
        let agent = setup.has_agent.then(|| AgentOrganization::create(&operator)).transpose()?;
        let subject = Self {
            instances,
            redis,
            postgres,
            organizations,
            agent,
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
        for (number, organization) in self.all_organizations().enumerate() {
            let email = format!("ada{number}@torture.example");
            self.operator.member(&organization.id, &email, PASSWORD)?;
            let mut member = Member::sign_in(self.port()?, &email, PASSWORD)?;
            member.add_endpoint(&self.receiver.url(&webhook_path(number)))?;
        }
        Ok(())
    }

    /// Returns the organizations in the order of their webhook paths.
    pub fn all_organizations(&self) -> impl Iterator<Item = &Organization> {
        self.organizations.iter().chain(self.agent.iter().map(|it| &it.organization))
    }

    /// Returns the organization with the AI agent.
    pub fn agent(&self) -> Result<&AgentOrganization> {
        self.agent.as_ref().context("there is no AI agent")
    }

    /// Returns the port of the first server.
    pub fn port(&self) -> Result<u16> {
        Ok(self.instances.first().context("no server")?.port)
    }

    pub fn server(&mut self) -> Result<&mut Instance> {
        self.instances.first_mut().context("no server")
    }

    /// Runs `work` while there is load on the first server, and customers write to the AI agent if
    /// there is one.
    pub fn under_load(
        &mut self,
        failed: Failed,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Outcome> {
        let (organizations, watch, port) = (self.organizations.clone(), self.watch, self.port()?);
        let (organizations, senders, pause) = (&organizations[..], SENDERS, PAUSE);
        let load = Load { port, organizations, senders, pause, failed, watch };
        if self.agent.is_none() {
            return load.during(|| work(self));
        }
        self.while_customers_write(|subject| load.during(|| work(subject)))
    }

    /// Runs `work` while customers write to the AI agent.
    pub fn while_customers_write<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let (port, organization) = (self.port()?, self.agent()?.organization.clone());
        let (customers, pause) = (CUSTOMERS, CUSTOMER_PAUSE);
        let load = CustomerLoad { port, organization, customers, pause };
        let (done, outcome) = load.during(|| work(self))?;
        if let Some(agent) = &mut self.agent {
            agent.outcome.add(outcome);
        }
        Ok(done)
    }
}

impl AgentOrganization {
    /// Starts the model's server, and creates the organization and its agent.
    fn create(operator: &Operator) -> Result<Self> {
        let model = ModelStandIn::start()?;
        let organization = operator.organization("Grocer", UNLIMITED)?;
        operator.agent(&organization.id, &model.url())?;
        Ok(Self { organization, model, outcome: CustomerOutcome::default() })
    }
}
