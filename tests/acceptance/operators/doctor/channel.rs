//! The doctor's findings on accounts on Meta's Cloud API, with a stand-in for the Cloud API.

use super::examine;
use crate::cloud::{APP_SECRET, BUSINESS, NUMBER, VERIFY_TOKEN};
use crate::cloud_inbound::connect;
use crate::operators::prepare;
use crate::world::graph::{Fault, Graph};
use crate::world::{Database, free_port};

const BASE_URL: &str = "http://localhost:8080";
const WEBHOOK: &str = "http://localhost:8080/channel/cloud/webhook";
const FIELDS: [&str; 2] = ["messages", "message_template_status_update"];
const ENCRYPTION_KEY: &str = "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE=";

/// A database with an account on the stand-in, and a registered webhook.
struct CloudSetup {
    graph: Graph,
    database: Database,
    bind: String,
}

impl CloudSetup {
    async fn on(database: Database) -> Self {
        prepare(&database.url).await;
        connect(&database.url).await;
        let graph = Graph::start().await;
        graph.set_up(APP_SECRET, BUSINESS, NUMBER, "+1 202-555-0180");
        graph.set_webhook(WEBHOOK, &FIELDS);
        Self { graph, database, bind: format!("127.0.0.1:{}", free_port()) }
    }

    async fn examine(&self, more: &[(&str, &str)]) -> super::DoctorReport {
        let url = self.graph.url();
        let ours = [
            ("SWITCHBOARD_DATABASE_URL", self.database.url.as_str()),
            ("SWITCHBOARD_BIND", &self.bind),
            ("SWITCHBOARD_BASE_URL", BASE_URL),
            ("SWITCHBOARD_GRAPH_URL", &url),
            ("SWITCHBOARD_GRAPH_APP_SECRET", APP_SECRET),
            ("SWITCHBOARD_GRAPH_VERIFY_TOKEN", VERIFY_TOKEN),
            ("SWITCHBOARD_ENCRYPTION_KEY", ENCRYPTION_KEY),
        ];
        let ours = ours.into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name));
        let variables: Vec<_> = ours.chain(more.iter().copied()).collect();
        examine(self.database.folder.path(), &variables).await
    }
}

async fn each_fault_of_a_number_is_distinguished(database: Database) {
    let line = CloudSetup::on(database).await;
    line.examine(&[])
        .await
        .is_well(&["numbers", "the token of +12025550180 works"])
        .is_well(&["numbers", "is subscribed to account"])
        .is_well(&["SWITCHBOARD_GRAPH_VERIFY_TOKEN", WEBHOOK]);
    assert_eq!(line.graph.violations(), [""; 0]);

    // The webhook's URL is wrong, one of its fields is missing, or there is no webhook.
    line.graph.set_webhook("https://old.example/hook", &FIELDS);
    line.examine(&[]).await.fails(&["SWITCHBOARD_BASE_URL", "https://old.example/hook", WEBHOOK]);
    line.graph.set_webhook(WEBHOOK, &FIELDS[..1]);
    line.examine(&[]).await.fails(&["message_template_status_update", "subscribe to messages"]);
    line.graph.set_webhook("", &[]);
    line.examine(&[]).await.fails(&["no webhook", WEBHOOK, "SWITCHBOARD_GRAPH_VERIFY_TOKEN"]);
    line.graph.set_webhook(WEBHOOK, &FIELDS);

    // The app secret belongs to another app, or is missing.
    let wrong = [("SWITCHBOARD_GRAPH_APP_SECRET", "hunter2")];
    line.examine(&wrong).await.fails(&["SWITCHBOARD_GRAPH_APP_SECRET", "App settings"]);
    let none = [("SWITCHBOARD_GRAPH_APP_SECRET", ""), ("SWITCHBOARD_GRAPH_VERIFY_TOKEN", "")];
    let found = line.examine(&none).await;
    found.fails(&["SWITCHBOARD_GRAPH_APP_SECRET", "no callback is accepted"]);
    found.says("warning", &["SWITCHBOARD_GRAPH_VERIFY_TOKEN"]);

    // The app is not subscribed to the business account.
    line.graph.unsubscribe();
    line.examine(&[]).await.fails(&["numbers", "is not subscribed to", "subscribed_apps"]);
    line.graph.set_up(APP_SECRET, BUSINESS, NUMBER, "+1 202-555-0180");

    // The phone number id belongs to another number.
    line.graph.set_up(APP_SECRET, BUSINESS, NUMBER, "+1 202-555-0999");
    line.examine(&[]).await.fails(&["numbers", "+1 202-555-0999", "--phone-number-id"]);
    line.graph.set_up(APP_SECRET, BUSINESS, NUMBER, "+1 202-555-0180");

    // The access token is refused, or cannot be decrypted with this key.
    line.graph.plan(|_| Fault::Error {
        status: 401,
        code: 190,
        subcode: Some(463),
        message: "Session has expired".to_owned(),
    });
    line.examine(&[]).await.fails(&[
        "numbers",
        "+12025550180",
        "Session has expired",
        "system user",
    ]);
    line.graph.plan(|_| Fault::None);
    let other = [("SWITCHBOARD_ENCRYPTION_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")];
    line.examine(&other).await.fails(&["SWITCHBOARD_ENCRYPTION_KEY", "cannot be decrypted"]);

    // A fault of Meta's is not a failure of this installation.
    line.graph.plan(|_| Fault::Status(503));
    let found = line.examine(&[]).await;
    found.is_well(&["configuration"]).says("warning", &["SWITCHBOARD_GRAPH_URL", "later"]);
    assert_eq!(line.graph.accepted().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_on_sqlite() {
    each_fault_of_a_number_is_distinguished(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_on_postgres() {
    each_fault_of_a_number_is_distinguished(Database::postgres().await).await;
}
