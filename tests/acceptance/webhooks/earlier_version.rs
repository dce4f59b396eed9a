//! Servers of the previous version share PostgreSQL with servers of this version during an update.
//! They read and write claims, health and due times in `webhook_endpoints`, and a trigger copies
//! them to `endpoint_work`.

use super::receiver::Receiver;
use super::{create_endpoint, endpoint_owner, read_endpoint, send_message, world_with_receivers};
use crate::world::{Database, DirectConnection, World};
use domain::webhook::EndpointState;
use service::endpoints;

async fn execute_sql(world: &World, statement: &str) {
    world.beside().await.execute(statement).await;
}

/// Returns the number that a query gives.
async fn query_number(world: &World, query: &str) -> i64 {
    let DirectConnection::Postgres(client) = world.beside().await else {
        panic!("this is not PostgreSQL")
    };
    client.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_queued_by_the_previous_version_are_sent() {
    // Given a webhook endpoint that a server of the previous version disabled,
    let world = world_with_receivers(Database::plain_postgres().await).await;
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    execute_sql(
        &world,
        "UPDATE webhook_endpoints SET state = 'disabled', disabled_reason = 'by_member', disabled_at = now(), \
             failing_since = NULL, due_at = NULL, claimed_until = NULL",
    )
    .await;
    assert_eq!(read_endpoint(&world, &made).await.state, EndpointState::Disabled);
    // then nothing is sent to it;
    endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
        .await
        .unwrap();
    world.settle().await;
    assert_eq!(receiver.take().len(), 0);
    // when such a server enables it and makes it due,
    execute_sql(
        &world,
        "UPDATE webhook_endpoints SET state = 'enabled', disabled_reason = NULL, disabled_at = NULL, \
             failing_since = NULL, due_at = '2020-01-01', claimed_until = NULL",
    )
    .await;
    // then that server itself finds nothing due, and this version delivers the event;
    let due = "SELECT count(*) FROM webhook_endpoints WHERE due_at IS NOT NULL";
    assert_eq!(query_number(&world, due).await, 0);
    world.settle().await;
    assert_eq!(receiver.take().len(), 1);
    // and when such a server makes it due while another worker has claimed the endpoint,
    send_message(&world).await;
    execute_sql(&world, "UPDATE endpoint_work SET claimed_until = now() + interval '1 day'").await;
    execute_sql(
        &world,
        "UPDATE webhook_endpoints SET claimed_until = '2020-01-01', due_at = '2020-01-01'",
    )
    .await;
    world.settle().await;
    // then the delivery waits for the end of that claim.
    assert_eq!(receiver.take().len(), 0);
    execute_sql(&world, "UPDATE endpoint_work SET claimed_until = NULL").await;
    world.settle().await;
    assert!(!receiver.take().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_claimed_by_the_previous_version_is_taken_over_after_its_release() {
    // Given a webhook endpoint that a server of the previous version had claimed when the migration
    // ran,
    let world = world_with_receivers(Database::plain_postgres().await).await;
    let receiver = Receiver::start().await;
    create_endpoint(&world, &receiver, &[]).await;
    let claimed = "claimed_until = '2100-01-01'";
    execute_sql(&world, &format!("UPDATE webhook_endpoints SET {claimed}")).await;
    execute_sql(&world, &format!("UPDATE endpoint_work SET {claimed}")).await;
    send_message(&world).await;
    world.settle().await;
    assert_eq!(receiver.take().len(), 0);
    // when that server has failed to deliver, and releases its claim,
    execute_sql(
        &world,
        "UPDATE webhook_endpoints SET state = 'enabled', failing_since = '2020-01-01', due_at = '2020-01-01', \
             claimed_until = NULL",
    )
    .await;
    // then this version knows of the failure and takes over.
    let failing = "SELECT count(*) FROM endpoint_work WHERE failing_since IS NOT NULL AND claimed_until IS NULL";
    assert_eq!(query_number(&world, failing).await, 1);
    world.settle().await;
    // The endpoint is disabled after five days of failures.
    let disabled = "SELECT count(*) FROM webhook_endpoints WHERE state = 'disabled'";
    assert_eq!(receiver.take().len(), 0);
    assert_eq!(query_number(&world, disabled).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endpoints_that_the_previous_version_creates_and_deletes_are_known() {
    // Given a webhook endpoint,
    let world = world_with_receivers(Database::plain_postgres().await).await;
    let receiver = Receiver::start().await;
    create_endpoint(&world, &receiver, &[]).await;
    // when a server of the previous version creates another one,
    execute_sql(
        &world,
        "INSERT INTO webhook_endpoints (id, owner_id, organization_id, url, events, state, secret, created_at) \
             SELECT gen_random_uuid(), owner_id, organization_id, url, events, state, secret, created_at \
             FROM webhook_endpoints",
    )
    .await;
    // then each has a row in `endpoint_work`,
    let with_rows = "SELECT count(*) FROM webhook_endpoints JOIN endpoint_work \
        ON endpoint_id = id AND endpoint_work.owner_id = webhook_endpoints.owner_id";
    assert_eq!(query_number(&world, with_rows).await, 2);
    // which disappears when such a server deletes the endpoint.
    execute_sql(&world, "DELETE FROM webhook_deliveries").await;
    execute_sql(&world, "DELETE FROM webhook_endpoints").await;
    assert_eq!(query_number(&world, "SELECT count(*) FROM endpoint_work").await, 0);
}
