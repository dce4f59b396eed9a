//! Locks in PostgreSQL: who waits for whom.

use super::{Person, USER, events_of};
use crate::cloud::{Cloud, MINUTE, PERSON, PERSON_THERE};
use crate::world::{Database, DirectConnection, statements};
use diesel_async::{AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection as _};
use std::time::Duration;
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(30);

/// Waits until a statement in the database waits for a lock.
async fn somebody_waits(observer: &mut DirectConnection) {
    let waiting = "SELECT count(*) AS number FROM pg_stat_activity \
                   WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let waiting = async { while observer.number(waiting).await == 0 {} };
    timeout(LONG, waiting).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contact_that_gets_a_number_and_a_send_to_it_do_not_wait_for_each_other() {
    let cloud = Cloud::on(Database::plain_postgres().await, &[]).await;
    let by_user = Person { user: Some(USER), ..Person::default() };
    cloud.post_callback(&by_user.text("wamid.A", 0, "Hello")).await;
    // Given a send to an unknown number, which has inserted the conversation but not yet the
    // contact,
    let (mut sender, mut observer) = (cloud.beside().await, cloud.beside().await);
    let columns =
        "organization_id, account_id, agent_paused, last_message_at, created_at, has_merged";
    let ids = "'00000000-0000-7000-8000-000000000001'::uuid, '00000000-0000-7000-8000-000000000002'::uuid";
    sender.execute(&format!(
        "BEGIN; INSERT INTO conversations (id, contact_id, phone_number, message_count, {columns}) \
         SELECT {ids}, '{PERSON}', 0, {columns} FROM conversations"
    )).await;
    // when another contact turns out to have that number,
    let both = Person { number: Some(PERSON_THERE), ..by_user };
    cloud.report(&both.text("wamid.B", 1, "It is me")).await;
    let contact = "INSERT INTO contacts (id, organization_id, account_id, phone_number, created_at) \
                   SELECT '00000000-0000-7000-8000-000000000002'::uuid, organization_id, account_id";
    let going_on = async {
        somebody_waits(&mut observer).await;
        // then the send is not blocked,
        sender.execute("SET LOCAL lock_timeout = 300").await;
        sender.execute(&format!("{contact}, '{PERSON}', created_at FROM contacts; COMMIT")).await;
    };
    tokio::join!(workers::callbacks::step(&cloud.server.deps), going_on).0.unwrap();
    // and both contacts are merged in the end.
    cloud.advance(MINUTE);
    cloud.settle().await;
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 1);
    assert!(cloud.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_ended_because_two_waited_for_each_other_was_not_done() {
    let database = Database::plain_postgres().await;
    let connect = async || AsyncPgConnection::establish(&database.url).await.unwrap();
    let (mut one, mut other) = (connect().await, connect().await);
    let table = "CREATE TABLE things (id integer PRIMARY KEY); INSERT INTO things VALUES (1), (2)";
    one.batch_execute(table).await.unwrap();
    let write = |id: i32| format!("UPDATE things SET id = id WHERE id = {id}");
    one.batch_execute(&format!("BEGIN; {}", write(1))).await.unwrap();
    other.batch_execute(&format!("BEGIN; {}", write(2))).await.unwrap();
    let (first, second) = (write(2), write(1));
    // When two transactions wait for each other, then PostgreSQL ends one of them, and the other
    // continues.
    let both = async { tokio::join!(one.batch_execute(&first), other.batch_execute(&second)) };
    let error = match timeout(LONG, both).await.unwrap() {
        (Err(error), Ok(())) | (Ok(()), Err(error)) => persistence::Error::from(error),
        both => panic!("{both:?}"),
    };
    assert!(error.is_refusal(), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_are_locked_in_the_order_of_bytes() {
    statements::record();
    let cloud = Cloud::on(Database::plain_postgres().await, &[]).await;
    // When messages are sent and received, then statements that lock conversations by address use
    // the same order as sends.
    let by_user = Person { user: Some(USER), ..Person::default() };
    cloud.post_callback(&by_user.text("wamid.A", 0, "Hello")).await;
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let locks = statements::taken();
    let by_address = |it: &&String| {
        let order = it.split("ORDER BY").nth(1).unwrap_or_default();
        it.contains("FOR UPDATE") && order.contains("\"conversations\".\"phone_number\"")
    };
    let locks: Vec<&String> = locks.iter().filter(by_address).collect();
    assert!(!locks.is_empty());
    assert!(locks.iter().all(|it| it.contains("COLLATE \"C\"")), "{locks:#?}");
}
