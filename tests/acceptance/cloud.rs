//! A world whose organization has an account on the Cloud API, with a stand-in for the Cloud API.

use crate::world::graph::callbacks::{self, Inbound};
use crate::world::graph::{Accepted, Fault, Graph, Request};
use crate::world::{Answer, Database, Pair, World};
use domain::id::{AccountId, OrganizationId};
use domain::instance::WorkKind;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::time::Timestamp;
use persistence::records::Message;
use serde_json::{Value, json};
use service::admin::NewChannel;
use std::ops::Deref;
use std::time::Duration;

pub const SEND: &str = "/api/v1/messages";
pub const WEBHOOK: &str = "/channel/cloud/webhook";
pub const APP_SECRET: &str = "5f4dcc3b5aa765d61d8327deb882cf99";
pub const VERIFY_TOKEN: &str = "meatyhamhock";
/// The Cloud API's ids of the account's number and of its `WhatsApp` Business Account.
pub const NUMBER: &str = "106540352242922";
pub const BUSINESS: &str = callbacks::WABA;
/// A contact's number, as our API writes it and as the Cloud API writes it.
pub const PERSON: &str = "+16505551234";
pub const PERSON_THERE: &str = "16505551234";
/// The time, in seconds, at which each test begins.
pub const NOON: i64 = callbacks::TEMPLATE_TIME;

pub const MOMENT: Duration = Duration::from_millis(50);
pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_mins(1);

/// Runs each of the listed functions on SQLite and on PostgreSQL, in a [`Cloud`] world. A test
/// can have settings of its own: `a_test with [("graph_timeout", "1")]`.
macro_rules! on_both_clouds {
    ($($test:ident $(with [$($setting:expr),+])?),+ $(,)?) => {$(
        mod $test {
            use $crate::cloud::Cloud;
            use $crate::world::Database;
            const SETTINGS: &[(&str, &str)] = &[$($($setting),+)?];
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$test(Cloud::on(Database::migrated_sqlite(), SETTINGS).await).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$test(Cloud::on(Database::migrated_postgres().await, SETTINGS).await).await;
            }
        }
    )+};
}
pub(crate) use on_both_clouds;

/// A world whose organization has an account on the Cloud API and a key for it. Like in every world
/// there is also a sandbox account, but of another organization.
pub struct Cloud {
    pub graph: Graph,
    pub sandbox: (OrganizationId, AccountId, Pair),
    world: World,
}

impl Deref for Cloud {
    type Target = World;
    fn deref(&self) -> &World {
        &self.world
    }
}

impl Cloud {
    /// Starts the world with additional settings; one with an empty value is not set.
    pub async fn on(database: Database, more: &[(&str, &str)]) -> Self {
        let graph = Graph::start().await;
        let url = graph.url();
        let usual = [
            ("graph_url", url.as_str()),
            ("graph_app_secret", APP_SECRET),
            ("graph_verify_token", VERIFY_TOKEN),
            // The longest allowed timeout, so that a busy machine does not cause retries.
            ("graph_timeout", "12"),
            ("webhook_allow", "127.0.0.0/8"),
        ];
        let mut world = World::on(database, &[&usual, more].concat()).await;
        let organization = world.organization_on("Cloud", "Unlimited").await;
        let key = world.key_of(organization).await;
        let sandbox_key = std::mem::replace(&mut world.key, key);
        let sandbox = (world.organization, world.account, sandbox_key);
        world.organization = organization;
        world.account =
            connect_number(&world, organization, "+12025550180", NUMBER, graph.token()).await;
        Self { graph, sandbox, world }
    }

    /// Creates another organization with an account on the Cloud API and a key.
    pub async fn other(&self, phone_number: &str, phone_number_id: &str) -> (OrganizationId, Pair) {
        let organization = self.organization_on("Other", "Unlimited").await;
        let token = self.graph.token();
        connect_number(self, organization, phone_number, phone_number_id, token).await;
        (organization, self.key_of(organization).await)
    }

    /// Connects another account of the organization with this access token, and returns a key for
    /// it.
    pub async fn key_with_token(&self, token: &str) -> Pair {
        let account =
            connect_number(self, self.organization, "+12025550181", "106540352242923", token);
        self.key_with(self.organization, Scope::ALL, Some(account.await), 0).await
    }

    /// Sends a message and returns its id.
    pub async fn send(&self, body: &Value) -> String {
        let answer = self.post(SEND, &self.key, body).await;
        assert_eq!(answer.status, 201, "{body}: {}", answer.text);
        answer.text_of("id")
    }

    /// Sends a text message and returns its id.
    pub async fn text(&self, to: &str, text: &str) -> String {
        self.send(&json!({"type": "text", "phone_number": to, "text": text})).await
    }

    /// Returns a message from the API.
    pub async fn message(&self, id: &str) -> Value {
        let answer = self.get(&format!("{SEND}/{id}"), &self.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    }

    pub async fn status(&self, id: &str) -> String {
        self.message(id).await["status"].as_str().unwrap().to_owned()
    }

    /// Returns a message's record from the database.
    pub async fn row(&self, id: &str) -> Message {
        let found =
            self.server.deps.db.organization(self.organization).message(None, id.parse().unwrap());
        found.await.unwrap().expect("the message")
    }

    /// Returns what the stand-in accepted for a message, in order.
    pub fn accepted(&self, id: &str) -> Vec<Accepted> {
        let all = self.graph.accepted().into_iter();
        all.filter(|it| it.ours.as_deref() == Some(id)).collect()
    }

    /// Returns the texts that the stand-in accepted, in order.
    pub fn texts(&self) -> Vec<String> {
        let text = |it: &Accepted| it.body["text"]["body"].as_str().unwrap_or_default().to_owned();
        self.graph.accepted().iter().map(text).collect()
    }

    /// Posts a callback body with the given signatures.
    pub async fn report_bytes(&self, bytes: impl Into<Vec<u8>>, signatures: &[&str]) -> Answer {
        let request = self.http.post(format!("{}{WEBHOOK}", self.base)).body(bytes.into());
        let request = request.header("content-type", "application/json");
        let signed = signatures
            .iter()
            .fold(request, |it, signature| it.header("x-hub-signature-256", *signature));
        Answer::of(signed).await
    }

    /// Posts a signed callback as Meta does, and asserts that the server accepts it.
    pub async fn report(&self, callback: &Value) {
        let body = callback.to_string();
        let signature = callbacks::signature(APP_SECRET, &body);
        let answer = self.report_bytes(body, &[&signature]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.text, "");
    }

    /// Posts a callback and lets the workers process it.
    pub async fn post_callback(&self, callback: &Value) {
        self.report(callback).await;
        self.settle().await;
    }

    /// Builds a status callback about an outbound message with the present time.
    pub fn status_callback(&self, wamid: &str, ours: Option<&str>, state: &str) -> Value {
        callbacks::status(NUMBER, wamid, ours, state, self.second(), None)
    }

    /// Returns the present time in seconds.
    pub fn second(&self) -> i64 {
        self.clock.now().micros() / 1_000_000
    }

    /// Returns whether no message waits to be sent and no callback waits to be processed.
    pub async fn is_idle(&self) -> bool {
        let db = &self.server.deps.db;
        let report = db.operator().next_report_due(Timestamp::from_micros(0)).await.unwrap();
        let work = db.operator().unclaimed_work(WorkKind::Messages, 1).await.unwrap();
        work.is_empty() && report.is_none()
    }

    /// Plans the faults of the next requests, one fault for each.
    pub fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        let mut faults: Vec<Fault> = faults.into_iter().collect();
        faults.reverse();
        self.graph.plan(move |_| faults.pop().unwrap_or_default());
    }

    /// Moves the clock forward several times, and runs the workers after each time.
    pub async fn advance_by(&self, strides: usize, each: Duration) {
        for _ in 0..strides {
            self.advance(each);
            self.settle().await;
        }
    }

    /// Asserts that all requests to the stand-in had Meta's format.
    #[track_caller]
    pub fn all_in_shape(&self) {
        assert_eq!(self.graph.violations(), Vec::<String>::new());
    }
}

/// Connects an account on the Cloud API.
async fn connect_number(
    world: &World,
    of: OrganizationId,
    phone_number: &str,
    phone_number_id: &str,
    access_token: &str,
) -> AccountId {
    let channel = NewChannel::CloudApi { phone_number_id, waba_id: BUSINESS, access_token };
    world.connect(of, phone_number, channel).await
}

/// Begins a message that the contact has just sent.
pub fn from_person(id: &str) -> Inbound<'_> {
    Inbound::new(NUMBER, PERSON_THERE, id, NOON)
}

/// Returns the text of a request to send a message, or an empty string.
pub fn text_of(request: &Request) -> &str {
    request.body["text"]["body"].as_str().unwrap_or_default()
}

/// Builds an error of Meta's.
pub fn refusal(status: u16, code: i64, message: &str) -> Fault {
    Fault::Error { status, code, subcode: None, message: message.to_owned() }
}

/// A pseudo-random number generator with a fixed seed.
pub struct TestRng(u64);

impl TestRng {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        for (left, right) in [(13, 7), (17, 43)] {
            self.0 ^= self.0 << left;
            self.0 ^= self.0 >> right;
        }
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// Shuffles a slice in place.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.roll(last + 1));
        }
    }
}
