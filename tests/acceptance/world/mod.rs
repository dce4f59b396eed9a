//! The fixture of a test: a server with its own database, an organization, an account and a key.

mod account;
mod answer;
pub mod certificate;
mod database;
pub mod document;
#[allow(dead_code, clippy::allow_attributes, reason = "equipment that not every story needs")]
pub mod graph;
pub mod moto;
pub mod pgbouncer;
mod process;
mod proxy;
pub mod redis;
pub mod rows;
pub mod s3;
pub mod slow_network;
pub mod snapshot;
pub mod statements;
mod tenants;
mod terminal;
pub mod twilio;

pub use account::ordinary_account;
pub use answer::Answer;
pub use process::{Process, bench, free_port, serving, switchboard};
pub use proxy::Proxy;
pub use terminal::TerminalSession;

use auth::secret::Secret;
use config::{Effective, SettingOrigin, Settings};
pub use database::{Database, DirectConnection, entropy};
use delivery::cli::{Running, start};
use domain::id::{AccountId, OrganizationId};
use domain::key::RateLimit;
use domain::keyword::Keyword as _;
use domain::name::Name;
use domain::plan::SubscriptionStatus;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use platform::clock::Clock;
use reqwest::Method;
use serde_json::Value;
use service::admin::{Admin, NewChannel, PlanTerms};
use service::keys::{CreatedKey, NewKey};
use std::path::Path;
use std::time::Duration;

/// The step of [`World::live_through`].
const STEP: Duration = Duration::from_millis(50);

/// Runs each of the listed functions as two tests: `sqlite` and `postgres`.
///
/// A test is an `async fn` with one parameter, the [`World`]. The list is at the end of its file. The
/// compiler warns of a function that is not in a list, because nothing calls it.
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$test($crate::world::World::on_sqlite().await).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$test($crate::world::World::on_postgres().await).await;
            }
        }
    )+};
}
pub(crate) use on_both_databases;

/// The credentials of an API key.
#[derive(Clone, Debug)]
pub struct Pair {
    pub client_id: String,
    pub client_secret: String,
}

impl Pair {
    /// Returns the digest by which the database finds the key.
    pub fn secret_digest(&self) -> Vec<u8> {
        Secret::parse(&self.client_secret).unwrap().digest().as_bytes().to_vec()
    }
}

impl From<&CreatedKey> for Pair {
    fn from(key: &CreatedKey) -> Self {
        Self { client_id: key.client_id.clone(), client_secret: key.client_secret.clone() }
    }
}

/// A server with its own database. At the start it has one organization with an active
/// subscription, one sandbox account and a key with all scopes.
pub struct World {
    pub server: Running,
    pub clock: Clock,
    pub http: reqwest::Client,
    pub base: String,
    pub organization: OrganizationId,
    pub account: AccountId,
    pub key: Pair,
    database: Database,
    /// Fails the test at its end if a statement did not name its tenant.
    #[expect(dead_code, reason = "it fails the test when it is dropped")]
    tenants: tenants::Check,
}

/// 2026-11-21T12:00:00Z: noon on a Saturday, far from the end of a day, week, month or year.
pub fn noon() -> Timestamp {
    Timestamp::from_seconds(1_795_262_400)
}

impl World {
    pub async fn on_sqlite() -> Self {
        Self::on(Database::migrated_sqlite(), &[]).await
    }

    pub async fn on_postgres() -> Self {
        Self::on(Database::migrated_postgres().await, &[]).await
    }

    /// Starts a server on `database`; the settings in `more` are set in addition to the usual ones.
    pub async fn on(database: Database, more: &[(&str, &str)]) -> Self {
        statements::check_tenants();
        let clock = Clock::frozen_at(noon());
        let media = format!("file:{}", database.folder.path().join("media").display());
        let more = [&[("media_url", media.as_str())], more].concat();
        let settings = settings_with(&database.url, &more);
        let server = start(settings, clock.clone(), false).await.expect("the server starts");
        let base = format!("http://{}", server.address);
        let http = client();
        let nobody = Pair { client_id: String::new(), client_secret: String::new() };
        let nowhere = OrganizationId::new(noon(), [0; 10]);
        let account = AccountId::new(noon(), [0; 10]);
        let (organization, key) = (nowhere, nobody);
        let mut world = Self {
            server,
            clock,
            http,
            base,
            organization,
            account,
            key,
            database,
            tenants: tenants::Check,
        };
        world.plan("Unlimited", true, None, None).await;
        world.organization = world.organization_on("Acme", "Unlimited").await;
        world.account = world.number(world.organization, "+12025550190").await;
        world.key = world.key_of(world.organization).await;
        world
    }

    /// Starts a server on a database that already holds organizations. The world's organization and
    /// account are those of `key`.
    pub async fn reopened(
        database: Database,
        now: Timestamp,
        settings: &[(&str, &str)],
        key: Pair,
    ) -> Self {
        let clock = Clock::frozen_at(now);
        let media = format!("file:{}", database.folder.path().join("media").display());
        let settings = [&[("media_url", media.as_str())], settings].concat();
        let settings = settings_with(&database.url, &settings);
        let server = start(settings, clock.clone(), false).await.expect("the server starts");
        let base = format!("http://{}", server.address);
        let me = Answer::of(crate::credentials::with_credentials(
            client().get(format!("{base}/api/v1/me")),
            &key,
        ))
        .await;
        let id = |of: &str| me.body[of]["id"].as_str().expect("an id").to_owned();
        let organization = id("organization").parse().unwrap();
        let account = id("account").parse().unwrap();
        Self {
            server,
            clock,
            http: client(),
            base,
            organization,
            account,
            key,
            database,
            tenants: tenants::Check,
        }
    }

    /// Returns the use cases of the operators' command line.
    pub fn admin(&self) -> Admin<'_> {
        Admin::new(&self.server.deps)
    }

    pub async fn plan(
        &self,
        name: &str,
        api_access: bool,
        calls: Option<u32>,
        messages: Option<u32>,
    ) {
        let terms =
            PlanTerms { api_access, api_calls_per_day: calls, messages_per_month: messages };
        self.admin().set_plan(name, &terms).await.unwrap();
    }

    /// Creates an organization with an active subscription to a plan.
    pub async fn organization_on(&self, name: &str, plan: &str) -> OrganizationId {
        let made = self.admin().create_organization(name, Some(plan)).await.unwrap();
        made.id.parse().unwrap()
    }

    pub async fn subscription(&self, of: OrganizationId, status: SubscriptionStatus) {
        self.admin().set_subscription(of, None, status).await.unwrap();
    }

    /// Connects a sandbox number. The first account of an organization is its default.
    pub async fn number(&self, of: OrganizationId, phone_number: &str) -> AccountId {
        self.connect(of, phone_number, NewChannel::Sandbox).await
    }

    /// Connects a number on the given channel.
    pub async fn connect(
        &self,
        of: OrganizationId,
        phone_number: &str,
        channel: NewChannel<'_>,
    ) -> AccountId {
        let made = self.admin().connect_account(of, phone_number, "Shop", channel, false).await;
        made.unwrap().id.parse().unwrap()
    }

    /// Creates a key with all scopes and without a rate limit.
    pub async fn key_of(&self, of: OrganizationId) -> Pair {
        self.key_with(of, Scope::ALL, None, 0).await
    }

    pub async fn key_with(
        &self,
        of: OrganizationId,
        scopes: &[Scope],
        account: Option<AccountId>,
        rate_limit: i64,
    ) -> Pair {
        let scopes: ScopeSet = scopes.iter().copied().collect();
        let rate_limit = RateLimit::parse(rate_limit).unwrap();
        let new = NewKey { name: Name::parse("Integration").unwrap(), scopes, account, rate_limit };
        Pair::from(&self.admin().create_key(of, new).await.unwrap())
    }

    pub fn advance(&self, by: Duration) {
        self.clock.set(self.clock.now().plus(by));
    }

    /// Runs the workers until nothing more is due at the clock's present time.
    pub async fn settle(&self) {
        workers::run_until_idle(&self.server.deps).await.unwrap();
    }

    /// Moves the clock forward in steps of 50 ms, and runs the workers after each step at which they
    /// have something to do.
    pub async fn live_through(&self, time: Duration) {
        // In a short time there are few steps to save.
        let mut beside = if time > 10 * STEP { Some(self.beside().await) } else { None };
        self.settle().await;
        let mut left = time;
        while !left.is_zero() {
            let idle = match &mut beside {
                Some(beside) => beside.next_due().await.since(self.clock.now()).min(left),
                None => Duration::ZERO,
            };
            let mut step = left.min(STEP);
            while step < idle {
                step = (step + STEP).min(left);
            }
            self.advance(step);
            self.settle().await;
            left -= step;
        }
    }

    /// Begins a request with the credentials of `key`. The caller completes and sends it.
    pub fn request(&self, method: Method, path: &str, key: &Pair) -> reqwest::RequestBuilder {
        self.http
            .request(method, format!("{}{path}", self.base))
            .header("x-client-id", &key.client_id)
            .header("x-client-secret", &key.client_secret)
    }

    pub async fn post(&self, path: &str, key: &Pair, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path, key).json(body)).await
    }

    pub async fn get(&self, path: &str, key: &Pair) -> Answer {
        Answer::of(self.request(Method::GET, path, key)).await
    }

    /// Posts a body with the world's key and an `Idempotency-Key`.
    pub async fn post_once(&self, path: &str, name: &str, body: &Value) -> Answer {
        let request = self.request(Method::POST, path, &self.key).json(body);
        Answer::of(request.header("Idempotency-Key", name)).await
    }

    /// Posts a body given as bytes, with the world's key.
    pub async fn post_bytes(
        &self,
        path: &str,
        content_type: &str,
        body: impl Into<Vec<u8>>,
    ) -> Answer {
        let request = self.request(Method::POST, path, &self.key).body(body.into());
        Answer::of(request.header("content-type", content_type)).await
    }

    /// Returns the message history with a contact's phone number, oldest first.
    pub async fn history(&self, phone_number: &str) -> Vec<Value> {
        let number = phone_number.replace('+', "%2B");
        let path =
            format!("/api/v1/conversations/history?phone_number={number}&order=asc&limit=100");
        let answer = self.get(&path, &self.key).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["data"].as_array().unwrap().clone()
    }

    /// Opens the test's own connection to the database.
    pub async fn beside(&self) -> DirectConnection {
        DirectConnection::connect(self.database_url()).await
    }

    /// Returns the test's temporary directory, which is deleted at the end of the test.
    pub fn folder(&self) -> &Path {
        self.database.folder.path()
    }

    pub fn database_url(&self) -> &str {
        &self.database.url
    }
}

/// Creates an HTTP client that keeps up to 256 idle connections per host.
pub fn client() -> reqwest::Client {
    platform::outbound::provide_cryptography();
    reqwest::Client::builder().pool_max_idle_per_host(256).build().unwrap()
}

/// Returns the usual settings of a server, with a free port on the loopback address.
pub fn settings(database_url: &str) -> Settings {
    settings_with(database_url, &[])
}

/// Returns the usual settings of a server, overridden and completed by `more`.
pub fn settings_with(database_url: &str, more: &[(&str, &str)]) -> Settings {
    let mut effective = Effective::defaults();
    // The default directory for media is shared by all tests that do not set `media_url`.
    let media = format!("file:{}", std::env::temp_dir().join("switchboard-stories").display());
    let values = [
        ("media_url", media.as_str()),
        ("bind", "127.0.0.1:0"),
        ("base_url", "https://api.example.com"),
        ("database_url", database_url),
        ("database_connections", "6"),
        ("upgrade_url", "https://example.com/upgrade"),
        ("workers", "2"),
        ("encryption_key", "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE="),
    ];
    for (name, value) in values.iter().chain(more) {
        assert!(effective.set(name, (*value).to_owned(), SettingOrigin::Flag), "{name}");
    }
    Settings::read(&effective).unwrap()
}
