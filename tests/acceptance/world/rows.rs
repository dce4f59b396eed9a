//! Counts the rows of each table.

use super::World;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use std::collections::BTreeMap;

/// The number of rows by table name.
pub type Rows = BTreeMap<String, i64>;

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

pub async fn rows(world: &World) -> Rows {
    rows_of(world.database_url()).await
}

pub async fn rows_of(url: &str) -> Rows {
    match url.strip_prefix("sqlite:") {
        Some(path) => on_sqlite(path),
        None => on_postgres(url).await,
    }
}

fn on_sqlite(path: &str) -> Rows {
    let mut conn = SqliteConnection::establish(path).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: Vec<Name> = diesel::sql_query(tables).load(&mut conn).unwrap();
    let count = |Name { name }| {
        let count: Count = diesel::sql_query(format!("SELECT count(*) AS count FROM {name}"))
            .get_result(&mut conn)
            .unwrap();
        (name, count.count)
    };
    tables.into_iter().map(count).collect()
}

async fn on_postgres(url: &str) -> Rows {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";
    let mut rows = Rows::new();
    for table in client.query(tables, &[]).await.unwrap() {
        let name: String = table.get(0);
        let count = client.query_one(&format!("SELECT count(*) FROM {name}"), &[]).await.unwrap();
        rows.insert(name, count.get(0));
    }
    driver.abort();
    rows
}
