//! The number of SQL statements for the delivery of an event.

use super::receiver::Receiver;
use super::{SETTINGS, create_endpoint, send_message};
use crate::world::{Database, World, statements};
use domain::webhook::Selection;
use persistence::records::Owner;
use serde_json::json;
use service::endpoints::{self, EndpointInput};
use workers::webhook;

/// The number of organizations with one webhook endpoint each.
const ORGANIZATIONS: usize = 16;

/// Returns the statements that create deliveries and those that make them, without those that begin
/// and end transactions.
async fn statements_of_deliveries(world: &World) -> [Vec<String>; 2] {
    let deps = &world.server.deps;
    statements::taken();
    while webhook::fan_out(deps).await.unwrap() > 0 {}
    let created = statements::taken();
    while webhook::send(deps).await.unwrap() > 0 {}
    let bounds = ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PRAGMA"];
    let is_bound = |it: &String| bounds.iter().any(|bound| it.starts_with(bound));
    [created, statements::taken()].map(|all| all.into_iter().filter(|it| !is_bound(it)).collect())
}

async fn scenario(database: Database) {
    // Given a webhook endpoint that has received an event before,
    statements::record();
    let world = World::on(database, &SETTINGS).await;
    let receiver = Receiver::start().await;
    create_endpoint(&world, &receiver, &[]).await;
    send_message(&world).await;
    world.settle().await;
    // when a message is accepted, then its delivery takes this number of statements;
    send_message(&world).await;
    let [created, made] = statements_of_deliveries(&world).await;
    assert_eq!(created.len(), 7, "{created:#?}{made:#?}");
    assert_eq!(made.len(), 13, "{created:#?}{made:#?}");
    // with many organizations, due endpoints are claimed and updated together, and the total is
    // less than that of separate deliveries.
    let text = json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
    for number in 0..ORGANIZATIONS {
        let name = format!("Other {number}");
        let other = world.organization_on(&name, "Unlimited").await;
        world.number(other, &format!("+120255502{number:02}")).await;
        let owner = Owner::Organization(other);
        let endpoint_input =
            EndpointInput { url: &receiver.url, description: "", events: Selection::All };
        endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();
        let key = world.key_of(other).await;
        assert_eq!(world.post("/api/v1/messages", &key, &text).await.status, 201);
    }
    let [created, made] = statements_of_deliveries(&world).await;
    let due = created.iter().filter(|it| it.contains("\"endpoint_work\"")).count();
    assert_eq!(due, 2, "{created:#?}");
    assert!(made.len() < ORGANIZATIONS * 13, "{}: {made:#?}", made.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_takes_few_statements_sqlite() {
    scenario(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_takes_few_statements_postgres() {
    scenario(Database::plain_postgres().await).await;
}
