//! `/readyz` reports whether the server can work.

use super::get;
use crate::world::World;
use std::time::Duration;

/// Another process holds the write lock of the SQLite file, so that it can be read but not written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_file_takes_no_writes_is_not_ready() {
    let world = World::on_sqlite().await;
    let address = format!("{}/readyz", world.base);
    let mut other = world.beside().await;
    for (statement, status) in [("BEGIN IMMEDIATE", 503), ("ROLLBACK", 200)] {
        other.execute(statement).await;
        world.advance(Duration::from_secs(1));
        assert_eq!(get(&address).await.status, status, "{statement}");
    }
}

/// PostgreSQL can be read but not written, as on a standby or with a full disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_database_takes_no_writes_is_not_ready() {
    let world = World::on_postgres().await;
    let address = format!("{}/readyz", world.base);
    assert_eq!(get(&address).await.status, 200);
    let (client, connection) =
        tokio_postgres::connect(world.database_url(), tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let switch = async |on: &str| {
        let name = world.database_url().rsplit_once('/').unwrap().1;
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                      WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
        client.batch_execute(&set).await.unwrap();
        client.batch_execute(others).await.unwrap();
    };
    let becomes = async |status: u16| {
        for _ in 0..100 {
            world.advance(Duration::from_secs(1));
            if get(&address).await.status == status {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: connections are replaced
        }
        panic!("{status} within some seconds");
    };
    switch("on").await;
    becomes(503).await;
    for _ in 0..3 {
        world.advance(Duration::from_secs(1));
        assert_eq!(get(&address).await.status, 503);
    }
    switch("off").await;
    becomes(200).await;
    driver.abort();
}
