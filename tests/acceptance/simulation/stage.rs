//! The state that outlives a crash: the database, the channel, the endpoint, the clock, and the
//! record of what was done.

use super::codes::{Code, Partner};
use crate::cloud::{APP_SECRET, BUSINESS, MINUTE, NUMBER, TestRng};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::{Fault, Graph};
use crate::world::{Database, noon, settings_with};
use config::Settings;
use domain::agent::AgentMode;
use domain::id::{AccountId, OrganizationId};
use domain::webhook::Selection;
use persistence::records::Owner;
use platform::clock::Clock;
use platform::login_throttle::LoginThrottle;
use serde_json::Value;
use service::admin::Admin;
use service::admin::{NewChannel, PlanTerms};
use service::agents::{self, AgentInput, NewConnection};
use service::endpoints::{self, EndpointInput};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::runtime::{Builder, Runtime};
use workers::agents::opening_hours;

/// The plan's monthly allowance, which is lower than the number of attempted sends.
pub const ALLOWANCE: u32 = 96;
/// The database is in memory if possible. A crash of a process leaves the same data there as on a
/// disk, and each commit on a disk would wait. `cargo xtask torture` tests power cuts on disks.
const MEMORY: &str = "/dev/shm";

/// The known outcome of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Accepted,
    /// The server crashed before it responded.
    Unknown,
}

/// Everything that was done, as far as an outside observer knows.
#[derive(Debug, Default)]
pub struct Model {
    /// The sent messages in order: contact, text and outcome.
    pub sent: Vec<(usize, String, Known)>,
    /// The texts of inbound messages.
    pub written: Vec<String>,
    /// The latest status of each message in a callback that got a response, by the message's text.
    pub reported: BTreeMap<String, usize>,
    /// Callbacks without a response, which the channel repeats at the end.
    pub unanswered: Vec<Value>,
    /// Callbacks with a response, which the channel may repeat too.
    pub answered: Vec<Value>,
    /// A log of the actions, one line each, to find the cause of a failure.
    pub history: Vec<String>,
    pub crashes: usize,
    /// The number of polls at which the server continued or crashed.
    pub moments: usize,
    /// The authorization codes in the order of their issue.
    pub codes: Vec<Code>,
    /// The number of sends that were rejected because of the allowance.
    pub refused: usize,
}

pub struct Stage {
    pub seed: u64,
    pub graph: Graph,
    pub receiver: Receiver,
    pub clock: Clock,
    pub settings: Settings,
    pub organization: OrganizationId,
    pub account: AccountId,
    pub model: Model,
    /// The application that exchanges codes; `None` until it is registered.
    pub partner: Option<Partner>,
    /// Kept between lives, because creating it hashes a password, which is slow. Nobody signs in
    /// here.
    pub login_throttle: Option<LoginThrottle>,
    /// The number of lives so far.
    pub lives: u64,
    pub lost_answers: Arc<AtomicUsize>,
    pub database: Database,
    is_calm: Arc<AtomicBool>,
    /// The runtime of the channel and the endpoint.
    #[expect(dead_code, reason = "they end when it is dropped")]
    outside: Runtime,
}

impl Stage {
    pub fn start(seed: u64) -> Self {
        let outside = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (graph, receiver) =
            outside.block_on(async { (Graph::start().await, Receiver::start().await) });
        let folder = tempfile::tempdir_in(MEMORY).or_else(|_| tempfile::tempdir()).unwrap();
        let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
        let database = Database { url, folder };
        let url = graph.url();
        let settings = [
            ("graph_url", url.as_str()),
            ("graph_app_secret", APP_SECRET),
            ("graph_timeout", "12"),
            ("webhook_allow", "127.0.0.0/8"),
            ("webhook_timeout", "2"),
        ];
        let settings = settings_with(&database.url, &settings);
        let nowhere = OrganizationId::new(noon(), [0; 10]);
        let mut stage = Self {
            seed,
            graph,
            receiver,
            clock: Clock::frozen_at(noon()),
            settings,
            organization: nowhere,
            account: AccountId::new(noon(), [0; 10]),
            model: Model::default(),
            partner: None,
            login_throttle: None,
            lives: 0,
            lost_answers: Arc::default(),
            database,
            is_calm: Arc::default(),
            outside,
        };
        stage.make_rows();
        stage.plan_faults();
        stage
    }

    /// Creates an organization with an account on the channel, a webhook endpoint and an AI agent.
    fn make_rows(&mut self) {
        let runtime = self.runtime();
        let made = runtime.block_on(async {
            let deps = self.deps(None).await;
            let messages_per_month = Some(ALLOWANCE);
            let terms = PlanTerms { api_access: true, api_calls_per_day: None, messages_per_month };
            Admin::new(&deps).set_plan("Some", &terms).await.unwrap();
            let made = Admin::new(&deps).create_organization("Cloud", Some("Some")).await.unwrap();
            let organization = made.id.parse().unwrap();
            let access_token = self.graph.token();
            let channel =
                NewChannel::CloudApi { phone_number_id: NUMBER, waba_id: BUSINESS, access_token };
            let admin = Admin::new(&deps);
            let number = admin.connect_account(organization, "+12025550180", "Shop", channel, true);
            let account = number.await.unwrap().id.parse().unwrap();
            let owner = Owner::Organization(organization);
            let url = &self.receiver.url;
            let input = EndpointInput { url, description: "", events: Selection::All };
            endpoints::create(&deps, owner, input).await.unwrap();
            let input = AgentInput {
                name: Some("Opening hours"),
                mode: Some(AgentMode::Auto),
                url: Some(opening_hours::URL),
                quiet_seconds: Some(0),
                longest_seconds: Some(0),
                accounts: Some(vec![account]),
                ..AgentInput::default()
            };
            agents::create(&deps, organization, NewConnection::Webhook, input).await.unwrap();
            (organization, account, Partner::register(&deps).await, deps.login_throttle)
        });
        self.end_life(runtime);
        let (organization, account, partner, login_throttle) = made;
        (self.organization, self.account) = (organization, account);
        (self.partner, self.login_throttle) = (Some(partner), Some(login_throttle));
    }

    /// Plans random faults of the channel from the seed.
    fn plan_faults(&self) {
        let mut chance = TestRng::new(self.seed ^ 0xfa17);
        let (is_calm, lost) = (self.is_calm.clone(), self.lost_answers.clone());
        self.graph.plan(move |_| {
            if is_calm.load(Ordering::SeqCst) {
                return Fault::None;
            }
            match chance.roll(12) {
                0 => {
                    lost.fetch_add(1, Ordering::SeqCst);
                    Fault::DropAfter
                }
                1 => Fault::DropBefore,
                2 => Fault::Status(503),
                3 => Fault::RateLimited { retry_after: Some(2), code: 130_429 },
                _ => Fault::None,
            }
        });
    }

    /// Stops all faults.
    pub fn calm(&self) {
        self.is_calm.store(true, Ordering::SeqCst);
        self.receiver.answer(Answers::With(200));
    }

    /// Moves the clock forward, because an endpoint that failed several times is retried only after
    /// hours.
    pub fn pass_time(&self) {
        self.clock.set(self.clock.now().plus(30 * MINUTE));
    }
}
