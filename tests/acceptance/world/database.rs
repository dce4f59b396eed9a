//! A database of its own for each story.

use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// A database that is gone when the story ends.
pub struct Database {
    pub url: String,
    pub folder: TempDir,
}

impl Database {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
        Self { url, folder }
    }

    pub async fn postgres() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("SWITCHBOARD_TEST_POSTGRES");
        let server =
            server.expect("SWITCHBOARD_TEST_POSTGRES names a server: run `cargo xtask test`");
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("story_{}_{number}", std::process::id());
        let (client, connection) = tokio_postgres::connect(&server, tokio_postgres::NoTls)
            .await
            .expect("PostgreSQL answers");
        let driver = tokio::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        driver.abort();
        let (start, _) = server.rsplit_once('/').expect("the URL names a database");
        Self { url: format!("{start}/{name}"), folder: tempfile::tempdir().unwrap() }
    }
}
